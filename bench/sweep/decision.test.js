import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, trialOf } from '../../src/report/trials/fixture.js';
import { ResultSchema } from '../index.js';
import { cheaperFirst, decisionRows, emptiedIn, lossIn, saferFirst, withSentinelsBeside, worstOf } from './decision.js';
import { sweepResultOf } from './decision-fixture.js';

/**
 * @import { Result } from '../../src/result/schema.js'
 * @import { Configuration } from './decision-fixture.js'
 */

/** @param {Result} result @param {string} title */
function rowOf(result, title) {
  const row = decisionRows(result).find((each) => each.title === title);
  assert.ok(row, `no row ${title}`);
  return row;
}

/** @param {ReturnType<typeof rowOf>} row @param {string} id of a fault */
function trialsIn({ trials }, id) {
  return trials.find(({ fault }) => fault.id === id);
}

/** @param {Result} result @param {string} name */
function benchmarkOf({ benchmarks }, name) {
  const found = benchmarks.find((benchmark) => benchmark.name === name);
  assert.ok(found);
  return found;
}

describe('rows of the decision table', () => {
  test('the fixture is a result', () => assert.equal(ResultSchema.safeParse(sweepResultOf()).error, undefined));

  test('async first, then by throughput at depth 1; rows without one last', () => {
    const result = sweepResultOf([
      { mode: 'wait2', setting: 'down-after-1s', lostOnKill: [0] },
      { mode: 'async', throughput: [500, 1000] },
      { mode: 'aof-always', throughput: [700, 1000] },
      { mode: 'wait1', throughput: [900, 1000] },
    ]);
    assert.deepEqual(
      decisionRows(result).map(({ title }) => title),
      ['async', 'WAIT 1', 'AOF always', 'WAIT 2 (down-after 1 s)'],
    );
  });

  test('paired ratios decide the order before throughput; without a ratio throughput does', () => {
    const rows = decisionRows(
      sweepResultOf([
        { mode: 'async', throughput: [1000, 1000] },
        { mode: 'wait1', throughput: [600, 1000] },
        { mode: 'wait2', throughput: [500, 1000] },
        { mode: 'aof', lostOnKill: [0] },
      ]),
    );
    const [, wait1, wait2, aof] = rows;
    const order = () => [aof, wait1, wait2].sort(cheaperFirst(1)).map(({ id }) => id);
    assert.deepEqual(order(), ['wait1', 'wait2', 'aof']);
    const ratio = (/** @type {number} */ median) => ({ relative: { median, low: median, high: median } });
    Object.assign(wait1.healthy[1] ?? {}, ratio(0.4));
    assert.deepEqual(order(), ['wait2', 'wait1', 'aof']);
    Object.assign(wait1.healthy[1] ?? {}, { relative: null });
    assert.deepEqual(order(), ['wait2', 'wait1', 'aof'], 'a mode without a ratio comes after one that has it');
    Object.assign(wait2.healthy[1] ?? {}, { relative: null });
    assert.deepEqual(order(), ['wait1', 'wait2', 'aof']);
    assert.deepEqual([aof, wait2, wait1].sort(cheaperFirst(1)), [wait1, wait2, aof]);
  });

  test('of cases with different numbers of connections the fewest count; a case without rounds does not', () => {
    const result = sweepResultOf([{ mode: 'async', throughput: [500, 1000] }]);
    const healthy = benchmarkOf(result, 'sweep-healthy');
    const [one] = healthy.cases;
    const like = (/** @type {string} */ id, /** @type {number} */ connections) => ({
      ...one,
      id,
      params: { ...one.params, connections },
      summary: { ...one.summary, throughput: { median: 125 * connections, low: 1, high: 1000 } },
    });
    healthy.cases = [like('eight', 8), like('two', 2), like('four', 4), { ...like('none', 1), rounds: [] }];
    assert.equal(rowOf(result, 'async').healthy[1]?.throughput.median, 250);
    assert.equal(rowOf(result, 'async').healthy[100], null);
  });

  test('only a client that waits after its write has a note', () => {
    const idsOf = (/** @type {Configuration['mode']} */ mode) =>
      decisionRows(sweepResultOf([{ mode, sequential: true, throughput: [500, 1000] }])).map(({ id }) => id);
    assert.deepEqual(
      ['wait1', 'waitaof-local', 'async'].flatMap((mode) => idsOf(/** @type {Configuration['mode']} */ (mode))),
      ['wait1, sequential', 'waitaof-local, sequential', 'async'],
    );
  });

  test('sequential WAIT and a variant are rows of their own, with their own figures only', () => {
    const sequential = rowOf(sweepResultOf(), 'WAIT 1 (sequential)');
    assert.equal(sequential.healthy[1]?.throughput.median, 7000);
    assert.ok(sequential.trials.length === 0 && Object.values(sequential.down).every((figure) => figure === null));
    const variant = rowOf(sweepResultOf(), 'WAIT 1 (down-after 1 s)');
    assert.deepEqual(Object.values(variant.healthy), [null, null]);
    assert.equal(trialsIn(variant, 'partition')?.outage.medianMs, 2200);
    assert.equal(trialsIn(rowOf(sweepResultOf(), 'WAIT 1'), 'partition')?.outage.medianMs, 6280);
  });

  test('of writers side by side the one that fared worse counts, trial by trial', () => {
    const result = sweepResultOf([{ mode: 'async', lostOnKill: [0, 0] }]);
    const killed = benchmarkOf(result, 'sweep-killed');
    killed.audit = [
      auditOf('async', { round: 1, writer: 'sticky', acked: 1000, ackedLost: 5, unavailableMs: 100 }),
      auditOf('async', { round: 1, writer: 'failover-aware', acked: 100, ackedLost: 4, unavailableMs: 300 }),
      auditOf('async', { round: 2, writer: 'sticky', acked: 1000, unavailableMs: 900 }),
      auditOf('async', { round: 2, writer: 'failover-aware', acked: 900, unavailableMs: null }),
    ];
    const kill = lossIn(rowOf(result, 'async'), 'kill');
    assert.deepEqual(kill, {
      ...{ all: false, seconds: 0.005, writes: 5, losing: 1, trials: 2 },
      ...{ share: 0.04, usualSeconds: 0.005 },
    });
    assert.deepEqual(trialsIn(rowOf(result, 'async'), 'kill')?.outage, {
      medianMs: Number.POSITIVE_INFINITY,
      lowMs: 300,
      highMs: Number.POSITIVE_INFINITY,
    });
  });

  test('without acknowledged writes the loss is unknown', () => {
    const result = sweepResultOf([{ mode: 'async', lostOnKill: [0] }]);
    benchmarkOf(result, 'sweep-killed').audit = [auditOf('async', { acked: 0, rejected: 500 })];
    assert.equal(lossIn(rowOf(result, 'async'), 'kill'), null);
  });

  test('a library’s Sentinel client is not the configuration’s figure', () => {
    const result = sweepResultOf([{ mode: 'async', lostOnKill: [0] }]);
    const killed = benchmarkOf(result, 'sweep-killed');
    const [theCase] = killed.cases;
    killed.cases.unshift({
      ...theCase,
      id: 'async-redis',
      params: { ...theCase.params, client: 'redis', writers: ['redis'] },
    });
    killed.audit?.push(auditOf('async-redis', { writer: 'redis', ackedLost: 77 }));
    assert.equal(lossIn(rowOf(result, 'async'), 'kill')?.writes, 0);
  });

  test('a result without a sweep, or with one that was not measured, has no rows', () => {
    const result = sweepResultOf();
    assert.deepEqual(decisionRows({ ...result, benchmarks: [] }), []);
    for (const benchmark of result.benchmarks) Object.assign(benchmark, { status: 'skipped', cases: [] });
    assert.deepEqual(decisionRows(result), []);
    const other = sweepResultOf();
    for (const benchmark of other.benchmarks) benchmark.name = benchmark.name.replace('sweep', 'primary');
    assert.deepEqual(decisionRows(other), []);
  });
});

test('a trial in which no replica was promoted says nothing about losses', () => {
  const result = sweepResultOf([{ mode: 'async', throughput: [500, 1000], lostOnKill: [0], lostOnPartition: [5, 7] }]);
  for (const trial of benchmarkOf(result, 'sweep-partition').timeline ?? []) {
    if (trial.round === 2) trial.events = trial.events.filter(({ kind }) => kind !== 'promoted');
  }
  assert.equal(lossIn(rowOf(result, 'async'), 'partition')?.writes, 5);
  for (const trial of benchmarkOf(result, 'sweep-partition').timeline ?? []) trial.events = [];
  assert.equal(lossIn(rowOf(result, 'async'), 'partition'), null);
});

test('safest first: a mode that loses everything comes after any other loss', () => {
  const rows = decisionRows(
    sweepResultOf([
      { mode: 'async', lost: { restart: [1000] }, lostOnKill: [9] },
      { mode: 'wait1', lostOnKill: [5000] },
      { mode: 'wait2', lostOnKill: [5] },
    ]),
  );
  assert.deepEqual(
    rows.toSorted(saferFirst).map(({ mode }) => mode),
    ['wait2', 'wait1', 'async'],
  );
  const [async] = rows;
  assert.deepEqual(
    [emptiedIn(async.trials).map(({ id }) => id), worstOf(async.trials)?.fault.id],
    [['restart'], 'kill'],
  );
});

test('one Sentinel beside each node: faults that were tried so count so, and those that cannot happen are left out', () => {
  const result = sweepResultOf([
    { mode: 'async', lostOnKill: [7], lost: { 'partition-with-replica': [900], 'one-way': [800] } },
  ]);
  const benchmark = benchmarkOf(result, 'sweep-partition-with-replica');
  const [one] = benchmark.cases;
  benchmark.cases.push({ ...one, id: 'beside', params: { ...one.params, placement: 'colocated' } });
  benchmark.audit?.push(auditOf('beside', { ackedLost: 3 }));
  benchmark.timeline?.push(trialOf('beside'));
  const row = rowOf(result, 'async');
  const lost = (/** @type {typeof row | null} */ found) =>
    found?.trials.map(({ fault, loss }) => [fault.id, loss.writes]);
  assert.deepEqual(lost(row), [
    ['kill', 7],
    ['partition-with-replica', 900],
    ['one-way', 800],
  ]);
  assert.deepEqual(lost(withSentinelsBeside(row)), [
    ['partition-with-replica', 3],
    ['kill', 7],
  ]);
});
