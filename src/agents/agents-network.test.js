import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lanesFor } from './agents-network.js';
import { SlowRequest } from './host-protocol.js';

/** Two Redis nodes and a Sentinel beside the second. */
const SERVED = [
  { id: 'redis-1', at: { host: '10.0.0.1', port: 6379 } },
  { id: 'redis-2', at: { host: '10.0.0.2', port: 6380 } },
  { id: 'sentinel-1', at: { host: '10.0.0.2', port: 26_379 } },
];
const NARROW = { latencyMs: 0, bytesPerSecond: 1000 };
const [ONE, TWO] = ['10.0.0.1', '10.0.0.2'];

/** @param {Parameters<typeof lanesFor>[1]} slowed @returns by machine */
function lanes(slowed) {
  const all = lanesFor(SERVED, slowed);
  SlowRequest.parse({ lanes: all });
  return { a: all.filter(({ from }) => from === ONE), b: all.filter(({ from }) => from === TWO) };
}

describe('slow links between machines', () => {
  test('of a primary: the connections that others made to it, in both directions', () => {
    const shape = { delayMs: 0, jitterMs: 0, bytesPerSecond: 1000 };
    assert.deepEqual(lanes({ all: null, nodes: new Map([['redis-1', { shape: NARROW, dials: false }]]) }), {
      a: [{ from: ONE, to: TWO, fromPort: 6379, ...shape }],
      b: [{ from: TWO, to: ONE, toPort: 6379, ...shape }],
    });
  });

  test('of a replica: those that it makes, too; half of a round trip in each direction', () => {
    const shape = { delayMs: 10, jitterMs: 5 };
    const slow = { shape: { latencyMs: 20, jitterMs: 5 }, dials: true };
    assert.deepEqual(lanes({ all: null, nodes: new Map([['redis-2', slow]]) }), {
      a: [
        { from: ONE, to: TWO, fromPort: 6379, ...shape },
        { from: ONE, to: TWO, toPort: 6380, ...shape },
      ],
      b: [
        { from: TWO, to: ONE, toPort: 6379, ...shape },
        { from: TWO, to: ONE, fromPort: 6380, ...shape },
      ],
    });
  });

  test('of all nodes, and on top of that of one: delays add up, the lowest limit counts', () => {
    const { a } = lanes({
      all: { latencyMs: 2, bytesPerSecond: 5000 },
      nodes: new Map([['redis-1', { shape: { ...NARROW, latencyMs: 4 }, dials: false }]]),
    });
    assert.deepEqual(
      a.map(({ fromPort, toPort, delayMs, bytesPerSecond }) => [fromPort ?? toPort, delayMs, bytesPerSecond]),
      [
        [6379, 3, 1000],
        [6380, 1, 5000],
        [26_379, 1, 5000],
      ],
    );
  });

  test('none: no machine has any', () => {
    assert.deepEqual(lanes({ all: null, nodes: new Map() }), { a: [], b: [] });
  });
});

describe('a request to slow links', () => {
  const lane = { from: ONE, to: TWO, toPort: 6379, delayMs: 0, jitterMs: 0, bytesPerSecond: 1000 };
  const wellFormed = (/** @type {object} */ change) =>
    SlowRequest.safeParse({ lanes: [{ ...lane, ...change }] }).success;

  test('names addresses, one port, and numbers within bounds', () => {
    assert.ok(wellFormed({}));
    for (const change of [
      { from: '10.0.0.1 dev lo' },
      { to: '0.0.0.0/0' },
      { toPort: undefined },
      { fromPort: 6379 },
      { toPort: '6379 action drop' },
      { delayMs: -1 },
      { delayMs: 60_000 },
      { jitterMs: Number.NaN },
      { bytesPerSecond: 0 },
      { bytesPerSecond: 1.5 },
      { device: 'eth0' },
    ])
      assert.ok(!wellFormed(change), JSON.stringify(change));
    assert.ok(!SlowRequest.safeParse({ lanes: Array.from({ length: 51 }, () => lane) }).success);
  });
});
