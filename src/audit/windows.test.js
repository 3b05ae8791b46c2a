import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ledgerOf } from './fixture.js';
import { firstAcceptedBy, firstAcceptedByOther, lastAcceptedBy, windowsOf, writerMarks } from './timeline.js';

/**
 * @import { MarkValue } from '../result/failure-schema.js'
 * @import { Entry } from './fixture.js'
 */

const NODES = ['redis-1', 'redis-2', 'redis-3'];

/** @type {(what: string, afterMs: number, detail?: string) => MarkValue} */
const mark = (what, afterMs, detail = '') => ({ what, afterMs, who: 'somebody', detail });
/** @type {(node: number, at: number, is?: Entry['is']) => Entry} */
const by = (node, at, is = 'acked') => ({ is, at, node });

const MARKS = [
  mark('+odown', 50, 'redis-3'),
  mark('fault begun', 100, 'redis-1: kill'),
  mark('+sdown', 600, 'redis-1'),
  mark('+odown', 700, 'redis-1'),
  mark('+odown', 650, 'redis-1'),
  mark('+switch-master', 950, 'redis-2'),
  mark('+switch-master', 900, 'redis-2'),
  mark('fault undone', 2000, 'redis-1: kill'),
];
const events = { down: '+odown', promoted: '+switch-master' };
const trial = { marks: MARKS, events, nodes: NODES, primaryId: 'redis-1' };

describe('windows', () => {
  test('of a failover that nobody asked for', () => {
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

  test('of one that was asked for, failover begins with the command', () => {
    const { detectionMs, failoverMs } = windowsOf({ ...trial, ledgers: [], planned: true });
    assert.deepEqual([detectionMs, failoverMs], [null, 800]);
  });

  test('what did not happen is null, and no split brain is 0', () => {
    const marks = [mark('fault begun', 100), mark('+switch-master', 900, 'redis-2')];
    const ledgers = [ledgerOf([by(1, 90), by(1, 110), by(2, 120)])];
    assert.deepEqual(windowsOf({ ...trial, marks, ledgers }), {
      detectionMs: null,
      failoverMs: null,
      splitBrainMs: 0,
      recoveryMs: null,
    });
    assert.equal(windowsOf({ ...trial, ledgers: [ledgerOf([by(1, 5000)])] }).splitBrainMs, 0, 'nobody else accepted');
    const unbegun = windowsOf({ ...trial, marks: [], ledgers: [ledgerOf([by(2, 1), by(1, 5)])] });
    assert.deepEqual(unbegun, { detectionMs: null, failoverMs: null, splitBrainMs: 0, recoveryMs: null });
  });

  test('what another node accepted before the fault is no split brain', () => {
    assert.equal(windowsOf({ ...trial, ledgers: [ledgerOf([by(2, 50), by(1, 800), by(2, 1000)])] }).splitBrainMs, 0);
  });

  test('the old primary, made the primary again, is right to accept writes', () => {
    const marks = [...MARKS, mark('+switch-master', 3000, 'redis-1')];
    const ledgers = [ledgerOf([by(1, 90), by(2, 1000), by(1, 1300), by(1, 3500)])];
    assert.equal(windowsOf({ ...trial, marks, ledgers }).splitBrainMs, 300);
  });
});

test('who accepted first and last, by the time of the answer', () => {
  const ledgers = [
    ledgerOf([by(1, 30), by(1, 10), by(1, 90, 'rejected'), by(2, 50)]),
    ledgerOf([by(1, 20), by(3, 40)], 10),
  ];
  assert.equal(lastAcceptedBy(ledgers, 1), 30);
  assert.equal(lastAcceptedBy(ledgers, 1, 25), 20);
  assert.equal(firstAcceptedBy(ledgers, 1), 10);
  assert.equal(firstAcceptedBy(ledgers, 1, 15), 20);
  assert.deepEqual(firstAcceptedByOther(ledgers, 1), { afterMs: 40, node: 3 });
  assert.deepEqual(firstAcceptedByOther(ledgers, 1, 41), { afterMs: 50, node: 2 });
  assert.deepEqual(
    [lastAcceptedBy(ledgers, 4), firstAcceptedBy(ledgers, 4), firstAcceptedByOther([], 1)],
    [null, null, null],
  );
});

test('the marks of writers: the change of the primary as each of them saw it', () => {
  const writers = [
    {
      name: 'stays',
      ledger: ledgerOf([by(1, 10), by(1, 300), by(2, 400)]),
      firstError: { afterMs: 310, text: 'READONLY' },
    },
    { name: 'follows', ledger: ledgerOf([by(1, 20), by(2, 250)]), firstError: null },
    { name: 'redis', ledger: ledgerOf([by(1, 500)]), firstError: null },
  ];
  const marks = writerMarks({ writers, nodes: NODES, primaryId: 'redis-1', fromMs: 100 });
  assert.deepEqual(
    marks.map(({ afterMs, who, what, detail }) => `${afterMs} ${who} ${what} ${detail}`),
    [
      '20 follows last accepted by redis-1',
      '250 follows first accepted by redis-2',
      '300 stays last accepted by redis-1',
      '310 stays first error READONLY',
      '400 stays first accepted by redis-2',
    ],
  );
});
