import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../report/trials/fixture.js';
import { factsOf } from './index.js';
import { metricNamed } from './metrics.js';
import { factsCsv, factsJson } from './render.js';

/** @import { Fact } from './fact.js' */

/** @param {readonly Fact[]} facts @param {string} metric @param {string} [writer] */
function only(facts, metric, writer) {
  const found = facts.filter((fact) => fact.metric === metric && (writer === undefined || fact.writer === writer));
  assert.equal(found.length, 1, metric);
  return found[0];
}

/** @param {import('../result/schema.js').RoundResult[]} rounds @param {object} [params] */
const factsOfRounds = (rounds, params = {}) =>
  factsOf({
    ...resultOf(),
    benchmarks: [{ ...resultOf().benchmarks[0], cases: [caseOf('one', params, rounds)] }],
  });

describe('facts of rounds', () => {
  test('throughput and p99 keep the stored interval; p99 says that it is service time', () => {
    const [benchmark] = resultOf().benchmarks;
    const [one] = benchmark.cases;
    const facts = factsOf({ ...resultOf(), benchmarks: [{ ...benchmark, cases: [one] }] });
    const { median, low, high, spread, worst } = only(facts, 'throughput');
    assert.deepEqual({ median, low, high }, one.summary.throughput);
    assert.equal(spread, '95% interval');
    assert.equal(worst, Math.min(...one.rounds.map(({ throughput }) => throughput)), 'less is worse');
    assert.equal(only(facts, 'p99-service-time').median, one.summary.p99Ns.median / 1e6);
  });

  test('a cost is what the ratio to the baseline leaves, and names the baseline', () => {
    const facts = factsOf(resultOf()).filter(({ caseId }) => caseId === 'wait1');
    const [ratio, cost] = ['throughput-ratio', 'cost'].map((metric) => only(facts, metric));
    assert.deepEqual(
      [cost.median, cost.low, cost.high],
      [1 - ratio.median, 1 - Number(ratio.high), 1 - Number(ratio.low)],
    );
    assert.equal(cost.conditions.baseline, 'none');
    assert.equal(only(facts, 'added-time').unit, 'ms');
  });

  test('nodes of a role count together; a figure unknown for one of them is unknown', () => {
    const node = { cpu: 0.25, mainThreadCpu: null, memoryBytes: 1000 };
    const nodes = ['redis-2', 'redis-3'].map((id) => ({ id, role: /** @type {const} */ ('replica'), ...node }));
    nodes[1].mainThreadCpu = /** @type {any} */ (0.2);
    const facts = factsOfRounds([roundOf({ nodes })]);
    assert.equal(only(facts, 'replica-cpu').median, 0.5);
    assert.equal(only(facts, 'replica-memory').median, 2000);
    assert.ok(!facts.some(({ metric }) => metric === 'replica-main-thread-cpu'));
  });

  test('a percentile with too few values beyond it is no fact over all rounds', () => {
    const facts = factsOfRounds([roundOf({ writes: 100 })]);
    assert.ok(facts.some(({ metric }) => metric === 'p99-service-time'));
    assert.ok(!facts.some(({ metric }) => metric === 'p99-service-time-all'));
  });

  test('an unknown server version, mode or placement is empty', () => {
    const facts = factsOf({
      ...resultOf(),
      stack: { ...resultOf().stack, nodes: [], server: { name: 'redis', version: null } },
    });
    const [{ server, topology, mode, placement }] = facts;
    assert.deepEqual({ server, topology, mode, placement }, { server: 'redis', topology: '', mode: '', placement: '' });
  });
});

describe('facts of trials', () => {
  const audits = [
    auditOf('async', { round: 1, writer: 'sticky', ackedLost: 500 }),
    auditOf('async', { round: 1, writer: 'failover-aware', ackedLost: 3, unavailableMs: 2500 }),
    auditOf('async', { round: 1, writer: 'ioredis', ackedLost: 900 }),
    auditOf('async', { round: 2, writer: 'sticky', ackedLost: 0, unavailableMs: null }),
    auditOf('async', { round: 2, writer: 'failover-aware', ackedLost: 100 }),
  ];
  const trials = [1, 2].map((round) => trialOf('async', { round }));
  const result = failureResultOf([
    failureBenchmarkOf('killed', [{ mode: 'async', variation: { length: 'briefly' }, audits, trials }]),
  ]);
  const facts = factsOf(result);

  test('a writer: least, most, total, and trials with a loss', () => {
    const { median, low, high, worst, total, n, trialsWithLoss, spread } = only(facts, 'lost-writes', 'sticky');
    assert.deepEqual(
      { median, low, high, worst, total, n, trialsWithLoss, spread },
      { median: 250, low: 0, high: 500, worst: 500, total: 500, n: 2, trialsWithLoss: 1, spread: 'range' },
    );
    assert.equal(only(facts, 'lost-seconds', 'sticky').worst, 0.5);
  });

  test('the worst native writer of each trial, without the libraries', () => {
    const { values, trialsWithLoss } = only(facts, 'lost-writes', 'native');
    assert.deepEqual(values, [500, 100]);
    assert.equal(trialsWithLoss, 2);
    assert.deepEqual(only(facts, 'outage', 'native').values, [2.5, Number.POSITIVE_INFINITY]);
  });

  test('what concerns a whole trial has no writer', () => {
    assert.equal(only(facts, 'detection').writer, '');
    assert.equal(only(facts, 'stale-reads').total, 0);
    assert.equal(only(facts, 'promotions').total, 2);
  });

  test('what worked beside the writers is a writer of its own', () => {
    const companions = () => [{ writer: 'lock', figures: { twice: 3, heldSeconds: 1.5 } }];
    const told = factsOf(result, { metrics: {}, companions });
    assert.deepEqual(only(told, 'twice', 'lock').values, Array(result.benchmarks[0].cases[0].rounds.length).fill(3));
    assert.equal(only(told, 'held', 'lock').unit, 's');
  });

  test('what a case does differently is in fields', () => {
    assert.ok(facts.every(({ length, setting }) => length === 'briefly' && setting === ''));
  });

  test('an outage to the end is infinite in CSV, and a text in JSON', () => {
    const outage = [only(facts, 'outage', 'sticky')];
    assert.match([...factsCsv(outage)][1], /,outage,s,Infinity,1.2,Infinity,range,Infinity,,2,1,/);
    const [{ high, values }] = JSON.parse([...factsJson(outage)].join(''));
    assert.deepEqual([high, values], ['Infinity', undefined]);
  });

  test('a name from a server is no formula, and conditions are JSON', () => {
    const [fact] = facts;
    const [header, text] = factsCsv([{ ...fact, server: '=cmd|"/C calc"', conditions: { settings: { a: '1,2' } } }]);
    assert.match(text, /,"'=cmd\|""\/C calc""",/);
    assert.ok(text.endsWith(',"{""settings"":{""a"":""1,2""}}"\r\n'));
    assert.match(header, /^run,suite,experiment,.+,conditions\r\n$/);
  });
});

test('a figure that is not in the list gets its name and unit from its place', () => {
  for (const [place, metric, unit] of [
    ['load.cpuPerOperationNs', 'load-cpu-per-operation', 'ms'],
    ['link.wire.toReplicaBytes', 'link-wire-to-replica', 'bytes'],
    ['primary.mainThreadCpu', 'primary-main-thread-cpu', 'cores'],
    ['seconds', 'seconds', 's'],
    ['link.fullResyncs', 'link-full-resyncs', 'count'],
  ])
    assert.deepEqual([metricNamed(place).metric, metricNamed(place).unit], [metric, unit], place);
});
