import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, trialOf } from '../../src/report/trials/fixture.js';
import { ResultSchema } from '../index.js';
import { cheaperFirst, decisionRows, lossIn, pauseOf } from './decision.js';
import { pauseTrialOf, sweepResultOf } from './decision-fixture.js';
import { faultBenchmarks } from './failures.js';

/**
 * @import { Result } from '../../src/result/schema.js'
 * @import { Configuration } from './decision-fixture.js'
 */

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
 * @param {ReturnType<typeof rowOf>} row
 * @param {string} id of a fault
 */
function trialsIn({ trials }, id) {
  return trials.find(({ fault }) => fault.id === id);
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

  test('async stays first where it is measured last and another mode is faster', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [500, 1000] },
      { mode: 'aof', throughput: [700, 1000] },
      { mode: 'min1', throughput: [600, 1000] },
    ]);
    benchmarkOf(result, 'sweep-healthy').cases.reverse();
    assert.deepEqual(
      decisionRows(result).map(({ id }) => id),
      ['async', 'aof', 'min1'],
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
    });
    healthy.cases = [like('eight', 8), like('two', 2), like('four', 4), { ...like('none', 1), rounds: [] }];
    assert.equal(rowOf(result, 'async').healthy[1]?.case, 'two');
    assert.equal(rowOf(result, 'async').healthy[100], null);
  });

  test('only async is its own measure: another mode without a ratio has none', () => {
    const result = sweepResultOf([
      { mode: 'async', throughput: [500, 1000] },
      { mode: 'min1', throughput: [400, 1000] },
    ]);
    for (const { summary } of benchmarkOf(result, 'sweep-healthy').cases) summary.relativeToBaseline = undefined;
    assert.equal(rowOf(result, 'min-replicas 1').healthy[1]?.relative, null);
    assert.equal(rowOf(result, 'async').healthy[1]?.relative?.median, 1);
  });

  test('a note is for a client that waits after its write, and for a variation', () => {
    const ids = (/** @type {Configuration[]} */ configurations, /** @type {object} */ params = {}) => {
      const result = sweepResultOf(configurations);
      for (const benchmark of result.benchmarks)
        for (const one of benchmark.cases) if (one.params.setting !== undefined) Object.assign(one.params, params);
      return decisionRows(result).map(({ id }) => id);
    };
    const sequential = (/** @type {Configuration['mode']} */ mode) =>
      ids([{ mode, sequential: true, throughput: [500, 1000] }]);
    assert.deepEqual(sequential('wait1'), ['wait1, sequential']);
    assert.deepEqual(sequential('waitaof-local'), ['waitaof-local, sequential']);
    assert.deepEqual(sequential('async'), ['async'], 'nothing to wait for');
    const varied = (/** @type {object} */ params) =>
      ids([{ mode: 'wait1', setting: 'down-after-1s', lostOnKill: [0] }], params);
    assert.deepEqual(varied({ waitMode: 'sequential' }), ['wait1, down-after 1 s']);
    assert.deepEqual(
      varied({ setting: undefined, waitMode: 'sequential' }),
      ['wait1'],
      'writers of failures have one wait mode',
    );
    assert.deepEqual(varied({ setting: 'other' }), ['wait1, other']);
    assert.deepEqual(varied({ downAfterMs: undefined }), ['wait1, down-after-1s']);
  });

  test('a case without a mode is no row', () => {
    const result = sweepResultOf([{ mode: 'async', throughput: [500, 1000] }]);
    const healthy = benchmarkOf(result, 'sweep-healthy');
    const [one] = healthy.cases;
    healthy.cases.push({ ...one, id: 'other', params: { ...one.params, mode: undefined } });
    assert.equal(decisionRows(result).length, 1);
  });

  test('the detection time of the failures; null without a failure', () => {
    const downAfter = (/** @type {string} */ title) => rowOf(sweepResultOf(), title).downAfterMs;
    assert.deepEqual(['WAIT 1', 'WAIT 1 (down-after 1 s)', 'AOF always'].map(downAfter), [5000, 1000, null]);
  });

  test('sequential WAIT and a variation are rows of their own, with their own figures only', () => {
    const sequential = rowOf(sweepResultOf(), 'WAIT 1 (sequential)');
    assert.equal(sequential.healthy[1]?.case, 'wait1-sequential-batch1');
    assert.ok(sequential.trials.length === 0 && Object.values(sequential.down).every((figure) => figure === null));
    const varied = rowOf(sweepResultOf(), 'WAIT 1 (down-after 1 s)');
    assert.deepEqual(Object.values(varied.healthy), [null, null]);
    assert.equal(trialsIn(varied, 'partition')?.outage.medianMs, 2200);
    assert.equal(trialsIn(rowOf(sweepResultOf(), 'WAIT 1'), 'partition')?.outage.medianMs, 6280);
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
    const result = sweepResultOf([{ mode: 'async', lostOnKill: [0, 0] }]);
    const killed = benchmarkOf(result, 'sweep-killed');
    killed.audit = [
      auditOf('async', { round: 1, writer: 'sticky', acked: 1000, ackedLost: 5, unavailableMs: 100 }),
      auditOf('async', { round: 1, writer: 'failover-aware', acked: 100, ackedLost: 4, unavailableMs: 300 }),
      auditOf('async', { round: 2, writer: 'sticky', acked: 1000, unavailableMs: 900 }),
      auditOf('async', { round: 2, writer: 'failover-aware', acked: 900, unavailableMs: null }),
    ];
    const kill = lossIn(rowOf(result, 'async'), 'kill');
    assert.deepEqual(kill?.each, [
      { lost: 5, acked: 1000, share: 0.04, seconds: 0.005 },
      { lost: 0, acked: 900, share: 0, seconds: 0 },
    ]);
    assert.deepEqual([kill?.trials, kill?.lost, kill?.acked], [2, 5, 1900]);
    assert.deepEqual(trialsIn(rowOf(result, 'async'), 'kill')?.outage, {
      medianMs: Number.POSITIVE_INFINITY,
      lowMs: 300,
      highMs: Number.POSITIVE_INFINITY,
      toTheEnd: 1,
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
    assert.equal(lossIn(rowOf(result, 'async'), 'kill')?.lost, 0);
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
  assert.equal(lossIn(rowOf(result, 'async'), 'partition')?.lost, 5);
  const partitioned = faultBenchmarks.find(({ name }) => name === 'sweep-partition');
  const findingTexts = () =>
    partitioned?.findings(benchmarkOf(result, 'sweep-partition'), {}).map(({ text }) => text) ?? [];
  assert.match(findingTexts()[0], /^async lost 5 acknowledged writes \(5\.00 ms\); outage/);
  for (const trial of benchmarkOf(result, 'sweep-partition').timeline ?? []) trial.events = [];
  assert.equal(lossIn(rowOf(result, 'async'), 'partition'), null);
  assert.deepEqual(findingTexts(), [], 'without a failover there is no merit in losing none');
});

describe('everything before the fault is lost', () => {
  /** 1,000 writes are acknowledged before the fault. */
  const emptied = (/** @type {number[]} */ ...lost) => {
    const result = sweepResultOf([{ mode: 'async', lost: { restart: lost } }]);
    return { result, benchmark: benchmarkOf(result, 'sweep-restarted') };
  };
  const isAll = (/** @type {Result} */ result) => lossIn(rowOf(result, 'async'), 'restart')?.everything;

  test('from 99% of them on, in at least one trial', () => {
    assert.equal(isAll(emptied(990).result), true);
    assert.equal(isAll(emptied(989).result), false);
    assert.equal(isAll(emptied(0, 1000, 0).result), true);
    assert.equal(isAll(emptied(0, 0).result), false);
  });

  test('by the writes of the same writer in the same trial', () => {
    const { result, benchmark } = emptied(0, 500);
    const [first, second] = benchmark.timeline ?? [];
    const few = (/** @type {number} */ each) => first.writers[0].acked.map(() => each);
    first.writers[0].acked = few(50);
    assert.equal(isAll(result), false, 'the loss of one trial, the writes of another');
    second.writers[1].acked = few(50);
    assert.equal(isAll(result), false, 'the loss of one writer, the writes of another');
    const [, aware] = (benchmark.audit ?? []).filter(({ round }) => round === 2);
    aware.ackedLost = 499;
    assert.equal(isAll(result), true);
  });

  test('no writes before the fault, no fault, or no timeline: nothing shows it', () => {
    const fault = { by: 'harness', kind: /** @type {const} */ ('fault-begun') };
    for (const trial of [
      trialOf('async', { events: [{ ...fault, at: 0 }] }),
      trialOf('async', { events: [] }),
      trialOf('async', { names: [] }),
    ]) {
      const { result, benchmark } = emptied(0);
      benchmark.timeline = [trial];
      assert.equal(isAll(result), false);
    }
  });
});

const WRITERS = ['sticky', 'failover-aware'];

describe('writes while replicas are frozen', () => {
  test('what counts is the end of the pause, and the writer that fared worse', () => {
    const trial = pauseTrialOf('min1', [
      { writer: 'sticky' },
      { writer: 'failover-aware', outcome: 'rejected', after: 70 },
    ]);
    assert.deepEqual(pauseOf([trial], WRITERS), {
      trials: 1,
      lengthMs: 9997,
      ackedAtEnd: { median: 0, low: 0, high: 0 },
      instead: 'rejected',
    });
  });

  test('a machine that sends half of the writes anyway is not the mode’s doing', () => {
    const trial = pauseTrialOf('async', [{ writer: 'sticky' }]);
    const [writer] = trial.writers;
    writer.acked = writer.acked.map((acked) => acked / 2);
    writer.unsent = writer.acked;
    assert.deepEqual(pauseOf([trial], WRITERS)?.ackedAtEnd, { median: 1, low: 1, high: 1 });
  });

  test('the pace before the freeze is that of the whole time before its first mark', () => {
    const trial = pauseTrialOf('async', [{ writer: 'sticky' }]);
    trial.events.unshift({ at: 500, by: 'sticky', kind: 'first-error' });
    const [writer] = trial.writers;
    // Half of the writes of the second half second are not sent: three quarters of all.
    writer.unsent = writer.acked.map((_, step) => (step < 5 ? 0 : step < 10 ? 50 : 25));
    writer.acked = writer.unsent.map((unsent) => 100 - unsent);
    assert.deepEqual(pauseOf([trial], WRITERS)?.ackedAtEnd, { median: 1, low: 1, high: 1 });
  });

  test('a writer with no write due at the end does not count', () => {
    const trial = pauseTrialOf('async', [{ writer: 'sticky' }, { writer: 'failover-aware' }]);
    trial.writers[0].acked = trial.writers[0].acked.map(() => 0);
    assert.equal(pauseOf([trial], WRITERS)?.ackedAtEnd.median, 1);
    assert.equal(pauseOf([trial], ['sticky']), null);
  });

  test('the most frequent answer to the others, over all trials', () => {
    const instead = (/** @type {Partial<Record<'rejected' | 'underAcked' | 'unknown' | 'unsent', number>>} */ each) => {
      const trial = pauseTrialOf('wait2', [{ writer: 'sticky' }]);
      const [writer] = trial.writers;
      const steps = Object.entries(each).map(([outcome, number]) => [outcome, writer.acked.map(() => number)]);
      Object.assign(writer, Object.fromEntries(steps));
      return pauseOf([trial], WRITERS)?.instead;
    };
    assert.equal(instead({}), null);
    assert.equal(instead({ rejected: 1, underAcked: 2 }), 'underAcked');
    assert.equal(instead({ rejected: 2, underAcked: 1 }), 'rejected');
    assert.equal(instead({ unknown: 1, unsent: 2 }), 'unsent');
    assert.equal(instead({ unknown: 2, unsent: 1 }), 'unknown');
  });

  test('part of the end: refusals that began in it', () => {
    // The last 2 s end 0.3 s before the undoing was marked: 8.7 s … 10.7 s; refused from 9.7 s on.
    const trial = pauseTrialOf('min1', [{ writer: 'sticky', outcome: 'rejected', after: 87 }]);
    assert.deepEqual(pauseOf([trial], WRITERS)?.ackedAtEnd, { median: 0.5, low: 0.5, high: 0.5 });
  });

  test('answers tell more than what was not sent because there were none', () => {
    const trial = pauseTrialOf('wait2', [{ writer: 'sticky', outcome: 'unsent' }]);
    assert.equal(pauseOf([trial], WRITERS)?.instead, 'unsent');
    trial.writers[0].underAcked = trial.writers[0].underAcked.map((_, step) => (step % 10 === 0 ? 1 : 0));
    assert.equal(pauseOf([trial], WRITERS)?.instead, 'underAcked');
  });

  test('several trials: their range', () => {
    const trials = [
      pauseTrialOf('min1', [{ writer: 'sticky' }], 1),
      pauseTrialOf('min1', [{ writer: 'sticky', outcome: 'rejected' }], 2),
      pauseTrialOf('min1', [{ writer: 'sticky' }], 3),
    ];
    trials[1].events = trials[1].events.map((mark) => (mark.kind === 'fault-undone' ? { ...mark, at: 9003 } : mark));
    const pause = pauseOf(trials, WRITERS);
    assert.equal(pause?.lengthMs, 8000, 'the shortest');
    assert.deepEqual(pause?.ackedAtEnd, { median: 1, low: 0, high: 1 });
    assert.equal(pause?.trials, 3);
  });

  test('a pause that never ended, writers that do not count, or no trial: not measured', () => {
    const trial = pauseTrialOf('async', [{ writer: 'sticky' }]);
    assert.equal(pauseOf([], WRITERS), null);
    assert.equal(pauseOf([trial], ['redis']), null);
    trial.events = trial.events.filter(({ kind }) => kind !== 'fault-undone');
    assert.equal(pauseOf([trial], WRITERS), null);
    trial.events = [];
    assert.equal(pauseOf([trial], WRITERS), null);
  });
});
