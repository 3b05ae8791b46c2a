import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventText } from '../result/events.js';
import { randomFrom } from '../stats/random.js';
import { ledgerOf } from './fixture.js';
import { firstAcceptedByOther, lastAcceptedBy, timelineOf, windowsOf, writerEvents } from './timeline.js';

/**
 * @import { EventKind } from '../result/events.js'
 * @import { TrialEvent } from '../result/failure-schema.js'
 * @import { LedgerEntry } from './fixture.js'
 */

test('an answer counts when it came; an unanswered write when it was due', () => {
  /** @type {LedgerEntry[]} due at 0, 50, 100, 150, 200, 250 */
  const entries = [
    { is: 'acked', at: 99.99 },
    { is: 'acked', at: 100 },
    { is: 'underAcked', at: 210.5 },
    { is: 'unknown' },
    { is: 'unsent' },
    { is: 'none' },
  ];
  const ledger = ledgerOf([...entries, { is: 'acked', at: 1 }]);
  // The primary has none of them after healing.
  const isLost = () => true;
  const [writer] = timelineOf({ writers: [{ name: 'sticky', ledger, writes: 6, rate: 20, isLost }], endMs: 300 });
  assert.deepEqual(writer, {
    writer: 'sticky',
    acked: [1, 1, 0],
    lost: [1, 1, 0],
    underAcked: [0, 0, 1],
    rejected: [0, 0, 0],
    unknown: [0, 1, 0],
    unsent: [0, 0, 2],
    p99Ms: [99.99, 50, 110.5],
  });
});

test('what comes after the end counts in the last step; an empty ledger has one empty step', () => {
  const ledger = ledgerOf([{ is: 'rejected', at: 5000 }]);
  const writers = [{ name: 'redis', ledger, writes: 1, rate: 1, isLost: () => false }];
  assert.deepEqual(timelineOf({ writers, stepMs: 10, endMs: 25 })[0].rejected, [0, 0, 1]);
  const [empty] = timelineOf({ writers: [{ ...writers[0], writes: 0 }], endMs: 0 });
  assert.deepEqual([empty.acked, empty.p99Ms], [[0], [null]]);
});

test('random ledgers: every write is in one step, and the 99th percentile is exact', () => {
  const random = randomFrom(7);
  const states = /** @type {const} */ (['acked', 'underAcked', 'rejected', 'unknown', 'unsent']);
  for (let trial = 0; trial < 20; trial++) {
    const [rate, writes, stepMs] = [1000, 2000, [100, 37, 1000][trial % 3]];
    /** @type {LedgerEntry[]} */
    const entries = Array.from({ length: writes }, (_, number) => ({
      is: states[Math.floor(random() ** 3 * 5)],
      at: number + Math.ceil(random() ** 4 * 50_000) / 100,
    }));
    const endMs = 2600;
    const steps = Math.ceil(endMs / stepMs);
    const isLost = (/** @type {number} */ number) => number % 3 === 0;
    const [writer] = timelineOf({
      writers: [{ name: 'x', ledger: ledgerOf(entries), writes, rate, isLost }],
      stepMs,
      endMs,
    });
    const lost = Array(steps).fill(0);
    entries.forEach(({ is, at = 0 }, number) => {
      if (is === 'acked' && isLost(number)) lost[Math.floor(at / stepMs)]++;
    });
    assert.deepEqual(writer.lost, lost);
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

const NODES = ['redis-1', 'redis-2', 'redis-3'];

/** @type {(kind: EventKind, at: number, node?: string) => TrialEvent} */
const event = (kind, at, node) => ({ at, by: 'somebody', kind, node });
/** @type {(node: number, at: number, is?: LedgerEntry['is']) => LedgerEntry} */
const by = (node, at, is = 'acked') => ({ is, at, node });

const EVENTS = [
  event('down', 50, 'redis-3'),
  event('fault-begun', 100, 'redis-1'),
  event('suspected', 600, 'redis-1'),
  event('down', 700, 'redis-1'),
  event('down', 650, 'redis-1'),
  event('promoted', 950, 'redis-2'),
  event('promoted', 900, 'redis-2'),
  event('fault-undone', 2000, 'redis-1'),
];
const trial = { events: EVENTS, nodes: NODES, primaryId: 'redis-1' };

describe('windows', () => {
  test('an unplanned failover', () => {
    const ledgers = [
      ledgerOf([by(1, 90), by(1, 1500), by(1, 1600, 'rejected')]),
      ledgerOf([
        by(2, 1000, 'rejected'),
        by(2, 1100, 'underAcked'),
        by(2, 1200),
        by(2, 2500),
        by(2, 2300, 'underAcked'),
      ]),
    ];
    assert.deepEqual(windowsOf({ ...trial, ledgers }), {
      detectionMs: 550,
      failoverMs: 250,
      splitBrainMs: 400,
      recoveryMs: 500,
    });
  });

  test('a planned failover begins with the command', () => {
    const { detectionMs, failoverMs } = windowsOf({ ...trial, ledgers: [], planned: true });
    assert.deepEqual([detectionMs, failoverMs], [null, 800]);
  });

  test('a step that did not happen is null; no split brain is 0', () => {
    const events = [event('fault-begun', 100), event('promoted', 900, 'redis-2')];
    const ledgers = [ledgerOf([by(1, 90), by(1, 110), by(2, 120)])];
    assert.deepEqual(windowsOf({ ...trial, events, ledgers }), {
      detectionMs: null,
      failoverMs: null,
      splitBrainMs: 0,
      recoveryMs: null,
    });
    assert.equal(windowsOf({ ...trial, ledgers: [ledgerOf([by(1, 5000)])] }).splitBrainMs, 0, 'no other node accepted');
    const unbegun = windowsOf({ ...trial, events: [], ledgers: [ledgerOf([by(2, 1), by(1, 5)])] });
    assert.deepEqual(unbegun, { detectionMs: null, failoverMs: null, splitBrainMs: 0, recoveryMs: null });
  });

  test('writes that another node accepted before the fault are no split brain', () => {
    assert.equal(windowsOf({ ...trial, ledgers: [ledgerOf([by(2, 50), by(1, 800), by(2, 1000)])] }).splitBrainMs, 0);
  });

  test('an old primary that is primary again may accept writes', () => {
    const events = [...EVENTS, event('promoted', 3000, 'redis-1')];
    const ledgers = [ledgerOf([by(1, 90), by(2, 1000), by(1, 1300), by(1, 3500)])];
    assert.equal(windowsOf({ ...trial, events, ledgers }).splitBrainMs, 300);
  });

  test('an answer of an old primary that is a replica by now was sent again', () => {
    const ledgers = [ledgerOf([by(1, 90), by(2, 1000), by(1, 1300), by(1, 3500)])];
    const events = [...EVENTS, event('demoted', 3000, 'redis-1')];
    assert.equal(windowsOf({ ...trial, events, ledgers }).splitBrainMs, 300);
    assert.equal(windowsOf({ ...trial, ledgers }).splitBrainMs, 2500);
  });
});

test('the nodes that accepted first and last, by the time of the answer', () => {
  const ledgers = [
    ledgerOf([by(1, 30), by(1, 10), by(1, 90, 'rejected'), by(2, 50)]),
    ledgerOf([by(1, 20), by(3, 40)], 10),
  ];
  assert.equal(lastAcceptedBy(ledgers, 1), 30);
  assert.equal(lastAcceptedBy(ledgers, 1, 25), 20);
  assert.deepEqual(firstAcceptedByOther(ledgers, 1), { afterMs: 40, node: 3 });
  assert.deepEqual(firstAcceptedByOther(ledgers, 1, 41), { afterMs: 50, node: 2 });
  assert.deepEqual([lastAcceptedBy(ledgers, 4), firstAcceptedByOther([], 1)], [null, null]);
});

test('events of writers, by time: when each of them saw the new primary', () => {
  const writers = [
    {
      name: 'sticky',
      ledger: ledgerOf([by(1, 10), by(1, 300), by(2, 1400)]),
      firstError: { afterMs: 310, text: 'READONLY' },
    },
    { name: 'failover-aware', ledger: ledgerOf([by(1, 20), by(2, 250)]), firstError: null },
    { name: 'redis', ledger: ledgerOf([by(1, 500)]), firstError: null },
  ];
  const events = writerEvents({ writers, nodes: NODES, primaryId: 'redis-1', fromMs: 100 });
  assert.deepEqual(
    events.map((each) => `${each.at} ${each.by} ${eventText(each)}`),
    [
      '20 failover-aware last accepted by redis-1',
      '250 failover-aware first accepted by redis-2',
      '300 sticky last accepted by redis-1',
      '310 sticky first error READONLY',
      '1400 sticky first accepted by redis-2',
    ],
  );
});
