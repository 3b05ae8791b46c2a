import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOver, measureOffset } from './clock.js';

/**
 * Two clocks and a link between them, whose delays are given.
 *
 * @param {Object} link
 * @param {number} [link.aheadMs] of the other clock
 * @param {number} [link.rate] of the other clock
 * @param {(i: number) => [thereMs: number, backMs: number]} link.delays
 */
function link({ aheadMs = 0, rate = 1, delays }) {
  let nowMs = 1000;
  let questions = 0;
  const now = () => ({ monotonicMs: nowMs, wallMs: nowMs + 5e11 });
  const ask = async () => {
    const [there, back] = delays(questions++);
    nowMs += there;
    const monotonicMs = aheadMs + 1000 + (nowMs - 1000) * rate;
    nowMs += back;
    return { monotonicMs, wallMs: monotonicMs + 5e11 };
  };
  const pause = async (/** @type {number} */ ms) => {
    nowMs += ms;
  };
  return { ask, options: { now, pause } };
}

test('the exchange with the least round trip counts, and half of it bounds the error', async () => {
  const { ask, options } = link({ aheadMs: 200, delays: (i) => (i === 7 ? [1.5, 0.5] : [30, 2]) });
  const offset = await measureOffset(ask, options);
  assert.equal(offset.roundTripMs, 2);
  assert.equal(offset.boundMs, 1);
  assert.ok(Math.abs(offset.monotonicMs - 200) <= offset.boundMs);
  assert.ok(Math.abs(offset.wallMs - 200) <= offset.boundMs);
  assert.ok(offset.ticks);
});

test('the whole delay in one direction is still within the bound', async () => {
  for (const delays of /** @type {[number, number][]} */ ([
    [8, 0],
    [0, 8],
  ])) {
    const { ask, options } = link({ aheadMs: -200, delays: () => delays });
    const offset = await measureOffset(ask, options);
    assert.ok(Math.abs(offset.monotonicMs + 200) <= offset.boundMs + 1e-9);
  }
});

test('a clock that stands or runs at another rate is noticed', async () => {
  const standing = link({ rate: 0, delays: () => [0.2, 0.2] });
  assert.equal((await measureOffset(standing.ask, standing.options)).ticks, false);
  const fast = link({ rate: 1.2, delays: () => [0.2, 0.2] });
  assert.equal((await measureOffset(fast.ask, fast.options)).ticks, false);
});

test('the bound over a round covers the drift between its two measurements', () => {
  const before = { monotonicMs: 10, wallMs: 5, roundTripMs: 2, boundMs: 1, wallBoundMs: 2, ticks: true };
  const after = { monotonicMs: 10.4, wallMs: 6, roundTripMs: 3, boundMs: 1.5, wallBoundMs: 2.5, ticks: true };
  const { offsetMs, boundMs, roundTripMs } = clockOver(before, after);
  assert.equal(offsetMs, 6);
  assert.ok(Math.abs(boundMs - 2.9) < 1e-9);
  assert.equal(roundTripMs, 2);
});
