import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { terminalText } from '../../src/report/terminal.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { decisionRows } from './decision.js';
import { sweepResultOf } from './decision-fixture.js';
import { recommender } from './index.js';
import { recommend } from './recommend.js';
import { ASSUMED_PER_YEAR, yearlyLosses } from './risk.js';

/**
 * @import { Configuration } from './decision-fixture.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 */

/** 16,000 writes are acknowledged in a trial of the fixture, 1,000 of them before the fault. */
const BEFORE = 1000;

/** @type {Configuration[]} */
const TWO_MODES = [
  {
    mode: 'async',
    throughput: [20_000, 300_000],
    lostOnKill: [0],
    lostOnPartition: [9000],
    lost: { restart: [BEFORE], failover: [500] },
  },
  {
    mode: 'wait1-min1-aof',
    throughput: [10_000, 200_000],
    lostOnKill: [0],
    lostOnPartition: [0],
    lost: { restart: [0], failover: [167] },
  },
];

describe('the faults of a decision', () => {
  test('only the faults that were asked for are judged; those that were not tested are listed', () => {
    const faults = /** @type {FaultId[]} */ (['kill', 'partition', 'restart', 'power']);
    const { meets, tested, notTested } = recommend(sweepResultOf(TWO_MODES), {
      maxLoss: { count: 0 },
      survive: ['one-replica-down'],
      faults,
    });
    assert.deepEqual(
      meets.map(({ row }) => row.mode),
      ['wait1-min1-aof'],
    );
    assert.deepEqual([tested, notTested], [['kill', 'partition', 'restart'], ['power']]);
  });
});

describe('a fault that only some servers have', () => {
  /** @param {{name: string, version: string | null}} server */
  const onServer = (server) => {
    const result = sweepResultOf(TWO_MODES);
    result.stack.server = server;
    return result;
  };

  test('is no hole in a recommendation for another server; the text names it', () => {
    for (const server of [
      { name: 'redis', version: '8.0.2' },
      { name: 'valkey', version: '8.1.1' },
    ]) {
      const { notTested, notAvailable } = recommend(onServer(server));
      assert.ok(!notTested.includes('coordinated') && notTested.includes('power'));
      assert.deepEqual(notAvailable, ['coordinated']);
      const text = terminalText(recommender.answer(onServer(server), { batch: 1 })?.blocks ?? []);
      assert.match(text, /^This server does not have: coordinated failover \(Valkey 9\.0 or later\)\.$/m);
    }
  });

  test('is not tested where the server has it, or may have it', () => {
    for (const version of ['9.0.0', '9.1.2', '10.0.1', null]) {
      const { notTested, notAvailable } = recommend(onServer({ name: 'valkey', version }));
      assert.ok(notTested.includes('coordinated'), String(version));
      assert.deepEqual(notAvailable, []);
    }
  });
});

test('without any trial of a fault no mode meets a limit of losses', () => {
  const result = sweepResultOf(TWO_MODES);
  result.benchmarks = result.benchmarks.filter(({ name }) => !FAULTS.some(({ benchmark }) => benchmark === name));
  const { meets, undecided, tested } = recommend(result);
  assert.deepEqual([meets.length, undecided.length, tested.length], [0, 2, 0]);
});

describe('losses a year, weighed by how common faults are', () => {
  const rows = decisionRows(sweepResultOf(TWO_MODES));

  test('a common fault with a small loss outweighs a rare one with a large loss', () => {
    const none = { kill: 0, restart: 0 };
    const lost = (/** @type {Partial<Record<FaultId, number>>} */ faultsPerYear) =>
      Object.fromEntries(
        yearlyLosses(rows, { faultsPerYear: { ...none, ...faultsPerYear } }).map(({ row, seconds }) => [
          row.mode,
          Math.round(seconds * 1000),
        ]),
      );
    assert.deepEqual(lost({ partition: 0.1, failover: 52 }), { async: 900 + 26_000, 'wait1-min1-aof': 52 * 167 });
    assert.deepEqual(lost({ partition: 4, failover: 0 }), { async: 36_000, 'wait1-min1-aof': 0 });
  });

  test('a loss of everything counts by how often it happens, and comes last', () => {
    const [first, last] = yearlyLosses(rows, { faultsPerYear: { restart: 3, failover: 1e6 } });
    assert.deepEqual([first.row.mode, first.everything], ['wait1-min1-aof', 0]);
    assert.deepEqual([last.row.mode, last.everything], ['async', 3]);
  });

  test('faults that were not given have the assumption; those that a mode was not tested in are named', () => {
    for (const { id, perYear } of FAULTS) assert.ok(perYear >= 0 && ASSUMED_PER_YEAR[id] === perYear, id);
    const [row] = decisionRows(sweepResultOf([{ mode: 'async', lostOnPartition: [5] }]));
    assert.deepEqual(yearlyLosses([row], { faults: ['partition', 'power'] })[0].untested, ['power']);
    const answer = recommender.answer(
      sweepResultOf(TWO_MODES),
      { batch: 1 },
      {
        faultsPerYear: { partition: 7 },
        writesPerSecond: 500,
      },
    );
    const text = terminalText(answer?.blocks ?? [], { columns: 200 });
    assert.match(text, /^Faults a year: primary killed 2, network partition 7, /m);
    assert.match(text, /^async +ALL 2×, 63\.0 s +31,500$/m);
  });
});
