import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf } from '../../src/report/trials/fixture.js';
import { ResultSchema } from '../../src/result/schema.js';
import { decisionRows, pauseOf } from './decision.js';
import { pauseTrialOf, sweepResultOf } from './decision-fixture.js';
import { faultBenchmarks } from './failures.js';

/** @import { Result } from '../../src/result/schema.js' */

/**
 * @param {Result} result
 * @param {string} title
 */
function rowOf(result, title) {
  const row = decisionRows(result).find((each) => each.title === title);
  assert.ok(row, `no row ${title}`);
  return row;
}

/**
 * @param {Result} result
 * @param {string} name
 */
function benchmarkOf({ benchmarks }, name) {
  const found = benchmarks.find((benchmark) => benchmark.name === name);
  assert.ok(found);
  return found;
}

describe('rows of the decision table', () => {
  test('the fixture is a result', () => assert.equal(ResultSchema.safeParse(sweepResultOf()).error, undefined));

  test('async first, then by throughput at depth 1; rows without one last', () => {
    const result = sweepResultOf([
      { level: 'wait2', variant: 'down-after-1s', lostOnKill: [0] },
      { level: 'async', throughput: [500, 1000] },
      { level: 'aof-always', throughput: [700, 1000] },
      { level: 'wait1', throughput: [900, 1000] },
    ]);
    assert.deepEqual(
      decisionRows(result).map(({ title }) => title),
      ['async', 'WAIT 1', 'AOF always', 'WAIT 2 (down-after 1 s)'],
    );
  });

  test('sequential WAIT and a variant are rows of their own, with their own figures only', () => {
    const awaited = rowOf(sweepResultOf(), 'WAIT 1 (sequential)');
    assert.equal(awaited.healthy[1]?.case, 'wait1-awaited-batch1');
    assert.ok(Object.values({ ...awaited.lost, ...awaited.down }).every((figure) => figure === null));
    const variant = rowOf(sweepResultOf(), 'WAIT 1 (down-after 1 s)');
    assert.deepEqual(Object.values(variant.healthy), [null, null]);
    assert.equal(variant.lost.partition?.unavailable.medianMs, 2200);
    assert.equal(rowOf(sweepResultOf(), 'WAIT 1').lost.partition?.unavailable.medianMs, 6280);
  });

  test('what it costs, relative to async at the same depth', () => {
    const { healthy } = rowOf(sweepResultOf(), 'WAIT 1');
    assert.equal(healthy[1]?.throughput.median, 10_800);
    assert.ok(Math.abs((healthy[1]?.relative?.median ?? 0) - 0.54) < 0.03);
    assert.ok(Math.abs((healthy[100]?.relative?.median ?? 0) - 0.88) < 0.03);
    assert.equal(healthy[100]?.rounds, 5);
    assert.deepEqual(rowOf(sweepResultOf(), 'async').healthy[100]?.relative, { median: 1, low: 1, high: 1 });
  });

  test('a percentile needs values beyond it: the writes of a pipeline are one value', () => {
    const result = sweepResultOf();
    for (const { summary } of benchmarkOf(result, 'sweep-healthy').cases) summary.samples = 50_000;
    const { healthy } = rowOf(result, 'WAIT 1');
    assert.notEqual(healthy[1]?.p99Ns, null);
    assert.equal(healthy[100]?.p99Ns, null);
  });

  test('a percentile is that of all values: one bad round is not left out', () => {
    const result = sweepResultOf();
    const one = benchmarkOf(result, 'sweep-healthy').cases.find(({ id }) => id === 'wait1-batch1');
    assert.ok(one);
    Object.assign(one.summary, {
      p99Ns: { median: 400_000, low: 300_000, high: 450_000 },
      latencyNs: { ...one.summary.latencyNs, p99: 493_000 },
    });
    assert.deepEqual(rowOf(result, 'WAIT 1').healthy[1]?.p99Ns, { median: 493_000, low: 300_000, high: 493_000 });
  });

  test('of writers side by side the one that fared worse counts, trial by trial', () => {
    const result = sweepResultOf([{ level: 'async', lostOnKill: [0, 0] }]);
    const killed = benchmarkOf(result, 'sweep-killed');
    killed.audit = [
      auditOf('async', { round: 1, writer: 'stays', acked: 1000, ackedLost: 5, unavailableMs: 100 }),
      auditOf('async', { round: 1, writer: 'follows', acked: 100, ackedLost: 4, unavailableMs: 300 }),
      auditOf('async', { round: 2, writer: 'stays', acked: 1000, unavailableMs: 900 }),
      auditOf('async', { round: 2, writer: 'follows', acked: 900, unavailableMs: null }),
    ];
    const { kill } = rowOf(result, 'async').lost;
    assert.deepEqual(kill?.each, [
      { lost: 5, acked: 1000, share: 0.04 },
      { lost: 0, acked: 900, share: 0 },
    ]);
    assert.deepEqual([kill?.trials, kill?.lost, kill?.acked], [2, 5, 1900]);
    assert.deepEqual(kill?.unavailable, {
      medianMs: Number.POSITIVE_INFINITY,
      lowMs: 300,
      highMs: Number.POSITIVE_INFINITY,
      toTheEnd: 1,
    });
  });

  test('without acknowledged writes the loss is unknown', () => {
    const result = sweepResultOf([{ level: 'async', lostOnKill: [0] }]);
    benchmarkOf(result, 'sweep-killed').audit = [auditOf('async', { acked: 0, rejected: 500 })];
    assert.equal(rowOf(result, 'async').lost.kill, null);
  });

  test('a library’s Sentinel client is not the configuration’s figure', () => {
    const result = sweepResultOf([{ level: 'async', lostOnKill: [0] }]);
    const killed = benchmarkOf(result, 'sweep-killed');
    const [own] = killed.cases;
    killed.cases.unshift({ ...own, id: 'async-redis', params: { ...own.params, client: 'redis', writers: ['redis'] } });
    killed.audit?.push(auditOf('async-redis', { writer: 'redis', ackedLost: 77 }));
    assert.equal(rowOf(result, 'async').lost.kill?.lost, 0);
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
  const result = sweepResultOf([{ level: 'async', throughput: [500, 1000], lostOnKill: [0], lostOnCut: [5, 7] }]);
  for (const trial of benchmarkOf(result, 'sweep-cut').timeline ?? []) {
    if (trial.round === 2) trial.marks = trial.marks.filter(({ what }) => what !== '+switch-master');
  }
  assert.equal(rowOf(result, 'async').lost.partition?.lost, 5);
  const partitioned = faultBenchmarks.find(({ name }) => name === 'sweep-cut');
  const told = () => partitioned?.findings(benchmarkOf(result, 'sweep-cut'), {}).map(({ text }) => text) ?? [];
  assert.match(told()[0], /^async lost 5 acknowledged writes \(5\.00 ms\); outage/);
  for (const trial of benchmarkOf(result, 'sweep-cut').timeline ?? []) trial.marks = [];
  assert.equal(rowOf(result, 'async').lost.partition, null);
  assert.deepEqual(told(), [], 'without a failover there is no merit in losing none');
});

const WRITERS = ['stays', 'follows'];

describe('writes while replicas are frozen', () => {
  test('what counts is the end of the pause, and the writer that fared worse', () => {
    const trial = pauseTrialOf('min1', [{ writer: 'stays' }, { writer: 'follows', outcome: 'rejected', after: 70 }]);
    assert.deepEqual(pauseOf([trial], WRITERS), {
      trials: 1,
      lengthMs: 9997,
      ackedAtEnd: { median: 0, low: 0, high: 0 },
      instead: 'rejected',
    });
  });

  test('a machine that sends half of the writes anyway is not the mode’s doing', () => {
    const trial = pauseTrialOf('async', [{ writer: 'stays' }]);
    const [writer] = trial.writers;
    writer.acked = writer.acked.map((acked) => acked / 2);
    writer.unsent = writer.acked;
    assert.deepEqual(pauseOf([trial], WRITERS)?.ackedAtEnd, { median: 1, low: 1, high: 1 });
  });

  test('part of the end: refusals that began in it', () => {
    // The last 2 s end 0.3 s before the undoing was marked: 8.7 s … 10.7 s; refused from 9.7 s on.
    const trial = pauseTrialOf('min1', [{ writer: 'stays', outcome: 'rejected', after: 87 }]);
    assert.deepEqual(pauseOf([trial], WRITERS)?.ackedAtEnd, { median: 0.5, low: 0.5, high: 0.5 });
  });

  test('answers tell more than what was not sent because there were none', () => {
    const trial = pauseTrialOf('wait2', [{ writer: 'stays', outcome: 'unsent' }]);
    assert.equal(pauseOf([trial], WRITERS)?.instead, 'unsent');
    trial.writers[0].underAcked = trial.writers[0].underAcked.map((_, step) => (step % 10 === 0 ? 1 : 0));
    assert.equal(pauseOf([trial], WRITERS)?.instead, 'underAcked');
  });

  test('several trials: their range', () => {
    const trials = [
      pauseTrialOf('min1', [{ writer: 'stays' }], 1),
      pauseTrialOf('min1', [{ writer: 'stays', outcome: 'rejected' }], 2),
      pauseTrialOf('min1', [{ writer: 'stays' }], 3),
    ];
    const pause = pauseOf(trials, WRITERS);
    assert.deepEqual(pause?.ackedAtEnd, { median: 1, low: 0, high: 1 });
    assert.equal(pause?.trials, 3);
  });

  test('a pause that never ended, writers that do not count, or no trial: not measured', () => {
    const trial = pauseTrialOf('async', [{ writer: 'stays' }]);
    assert.equal(pauseOf([], WRITERS), null);
    assert.equal(pauseOf([trial], ['redis']), null);
    trial.marks = trial.marks.filter(({ what }) => what !== 'fault undone');
    assert.equal(pauseOf([trial], WRITERS), null);
  });
});
