import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomFrom } from '../stats/random.js';
import { ledgerOf } from './fixture.js';
import { timelineOf } from './timeline.js';

/** @import { Entry } from './fixture.js' */

test('answers count when they came, what was not answered when it was due', () => {
  /** @type {Entry[]} due at 0, 50, 100, 150, 200, 250 */
  const entries = [
    { is: 'acked', at: 99.99 },
    { is: 'acked', at: 100 },
    { is: 'underAcked', at: 210.5 },
    { is: 'unknown' },
    { is: 'unsent' },
    { is: 'none' },
  ];
  const ledger = ledgerOf([...entries, { is: 'acked', at: 1 }]);
  const [writer] = timelineOf({ writers: [{ name: 'stays', ledger, writes: 6, rate: 20 }], endMs: 300 });
  assert.deepEqual(writer, {
    writer: 'stays',
    acked: [1, 1, 0],
    underAcked: [0, 0, 1],
    rejected: [0, 0, 0],
    unknown: [0, 1, 0],
    unsent: [0, 0, 2],
    p99Ms: [99.99, 50, 110.5],
  });
});

test('what comes after the end counts in the last step; without anything there is one empty step', () => {
  const ledger = ledgerOf([{ is: 'rejected', at: 5000 }]);
  const writers = [{ name: 'redis', ledger, writes: 1, rate: 1 }];
  assert.deepEqual(timelineOf({ writers, stepMs: 10, endMs: 25 })[0].rejected, [0, 0, 1]);
  const [empty] = timelineOf({ writers: [{ ...writers[0], writes: 0 }], endMs: 0 });
  assert.deepEqual([empty.acked, empty.p99Ms], [[0], [null]]);
});

test('random ledgers: every write is in one step, and the 99th percentile is exact', () => {
  const random = randomFrom(7);
  const states = /** @type {const} */ (['acked', 'underAcked', 'rejected', 'unknown', 'unsent']);
  for (let trial = 0; trial < 20; trial++) {
    const [rate, writes, stepMs] = [1000, 2000, [100, 37, 1000][trial % 3]];
    /** @type {Entry[]} */
    const entries = Array.from({ length: writes }, (_, number) => ({
      is: states[Math.floor(random() ** 3 * 5)],
      at: number + Math.ceil(random() ** 4 * 50_000) / 100,
    }));
    const endMs = 2600;
    const steps = Math.ceil(endMs / stepMs);
    const [writer] = timelineOf({ writers: [{ name: 'x', ledger: ledgerOf(entries), writes, rate }], stepMs, endMs });
    for (const name of states) {
      const expected = Array(steps).fill(0);
      entries.forEach(({ is, at = 0 }, number) => {
        const when = ['unknown', 'unsent'].includes(is) ? number : at;
        if (is === name) expected[Math.floor(when / stepMs)]++;
      });
      assert.deepEqual(writer[name], expected, name);
    }
    for (let step = 0; step < steps; step++) {
      const times = entries
        .map(({ is, at = 0 }, number) => ({ is, at, took: at - number }))
        .filter(({ is, at }) => ['acked', 'underAcked'].includes(is) && Math.floor(at / stepMs) === step)
        .map(({ took }) => Math.round(took * 100) / 100)
        .sort((a, b) => a - b);
      const atLeast99 = times.find((time) => times.filter((other) => other <= time).length >= 0.99 * times.length);
      assert.equal(writer.p99Ms[step], atLeast99 ?? null);
    }
  }
});
