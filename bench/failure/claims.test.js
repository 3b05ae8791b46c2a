import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundText, verdictOf } from '../../src/report/articles.js';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { claims } from './claims.js';
import { LAGGING, lagOf } from './replicas-paused.js';

/** @import { Examined } from '../../src/report/articles.js' */
/** @import { AuditResult } from '../../src/result/failure-schema.js' */
/** @import { BenchmarkResult } from '../../src/result/schema.js' */

/**
 * @param {BenchmarkResult} result
 * @param {string} id without the article
 */
function examine(result, id) {
  const claim = claims.find((each) => each.id === `synchronous.${id}` && each.benchmark === result.name);
  const examined = claim?.examine(result, {}) ?? null;
  return { ...examined, verdict: verdictOf(examined) };
}

/**
 * @param {string} name
 * @param {string} mode
 * @param {Partial<AuditResult>[]} trials one writer in each
 */
function trialsOf(name, mode, trials) {
  const numbered = trials.map((trial, i) => ({ ...trial, round: i + 1 }));
  return failureBenchmarkOf(name, [
    {
      mode,
      audits: numbered.map((trial) => auditOf(mode, trial)),
      trials: numbered.map(({ round }) => trialOf(mode, { round })),
    },
  ]);
}

const THREE = [{}, {}, {}];

test('the share of accepted writes follows from the length of the freeze, so it decides nothing', () => {
  const result = trialsOf('replicas-paused', 'min1', [
    { acceptedShare: 0.823 },
    { acceptedShare: 0.825 },
    { acceptedShare: 0.82 },
  ]);
  const accepted = examine(result, 'paused-accepted');
  assert.equal(accepted.verdict, 'undecided');
  assert.match(accepted.ours ?? '', /^82% .*accepted \(3 trials\)$/);
  assert.equal(examine(result, 'paused-recovers').verdict, 'reproduced');
  assert.equal(examine(result, 'paused-no-loss').verdict, 'undecided', 'the primary survives');
});

/** Steps of a second, a fault from the first second on. @param {Record<string, unknown>} [more] */
function frozenTrials(more = {}) {
  const rejected = Array.from({ length: 20 }, (_, second) => (second >= 11 ? 100 : 0));
  const zeros = rejected.map(() => 0);
  return [1, 2, 3].map((round) =>
    trialOf('min1', {
      round,
      stepMs: 1000,
      marks: [
        { afterMs: 1000, who: 'harness', what: 'fault begun', detail: 'redis-2' },
        { afterMs: 18_000, who: 'harness', what: 'fault undone', detail: 'redis-2' },
      ],
      writers: [
        { writer: 'sticky', acked: zeros, underAcked: zeros, rejected, unknown: zeros, unsent: zeros, p99Ms: zeros },
      ],
      ...more,
    }),
  );
}

/** @param {import('../../src/result/failure-schema.js').TrialResult[]} trials */
function paused(trials) {
  return failureBenchmarkOf('replicas-paused', [
    { mode: 'min1', audits: trials.map(({ round }) => auditOf('min1', { round })), trials },
  ]);
}

test('writes are rejected about max-lag after the freeze, and not before', () => {
  const rejects = examine(paused(frozenTrials()), 'paused-rejects');
  assert.equal(rejects.verdict, 'reproduced');
  assert.match(rejects.ours ?? '', /^writes were rejected in 3 of 3 trials, the first after 10\.0 s to 10\.0 s$/);
  const never = frozenTrials();
  never[1].writers[0].rejected = never[1].writers[0].acked;
  assert.equal(examine(paused(never), 'paused-rejects').verdict, 'contradicted');
});

test('lag warns if it passes two seconds before the first rejection; earlier runs did not read it', () => {
  const without = examine(paused(frozenTrials()), 'lag-warns');
  assert.equal(without.verdict, 'not measured');
  assert.match(without.ours ?? '', /`sentinel-bench run replicas-paused/);
  const marked = (/** @type {number} */ afterMs) => {
    const trials = frozenTrials();
    for (const { marks } of trials) marks.push({ afterMs, who: 'harness', what: LAGGING, detail: 'redis-1' });
    return examine(paused(trials), 'lag-warns');
  };
  assert.equal(marked(4000).verdict, 'reproduced');
  assert.match(marked(4000).ours ?? '', /at least 7\.00 s before the first rejection$/);
  assert.equal(marked(12_000).verdict, 'contradicted');
});

test('the lag is that of the replica that lags most', () => {
  assert.equal(lagOf({ slave0: 'ip=::1,port=1,state=online,offset=1,lag=3', slave1: 'state=online,lag=12' }), 12);
  assert.equal(lagOf({ role: 'master', connected_slaves: '0' }), 0);
});

test('one trial decides nothing, two without a loss do not, three bound the risk', () => {
  const lost = (/** @type {number} */ trials) =>
    examine(trialsOf('replica-restart', 'min1', THREE.slice(0, trials)), 'restart-no-loss');
  assert.deepEqual(
    [1, 2, 3].map((trials) => lost(trials).verdict),
    ['undecided', 'undecided', 'reproduced'],
  );
  const found = lost(3);
  assert.ok('evidence' in found);
  assert.equal(boundText(/** @type {Examined} */ (found)), '3 trials bound the risk of an exception at 63%');
  const other = trialsOf('replicas-paused', 'wait2', THREE);
  assert.equal(examine(other, 'paused-accepted').verdict, 'not measured');
});

test('a controlled failover is SENTINEL FAILOVER first, and a stopped primary beside it', () => {
  const benchmarks = claims.filter(({ id }) => id === 'synchronous.stop-no-loss').map(({ benchmark }) => benchmark);
  assert.deepEqual(benchmarks, ['planned-failover', 'primary-stopped']);
  const planned = trialsOf('planned-failover', 'min1', [{ ackedLost: 938 }, { ackedLost: 1006 }, { ackedLost: 950 }]);
  assert.equal(examine(planned, 'stop-no-loss').verdict, 'contradicted');
  assert.match(examine(planned, 'stop-no-loss').ours ?? '', /^lost 2,894 of /);
  const stopped = trialsOf('primary-stopped', 'async', THREE);
  assert.equal(examine(stopped, 'stop-no-loss').verdict, 'reproduced');
  assert.equal(examine(stopped, 'stop-no-loss').differs, 'without min-replicas-to-write');
});

test('WAIT and min-replicas together lose writes in a controlled failover', () => {
  const benchmarks = claims.filter(({ id }) => id === 'synchronous.together-loss').map(({ benchmark }) => benchmark);
  assert.deepEqual(benchmarks, ['planned-failover', 'primary-machine-lost']);
  const lost = { ackedLost: 936 };
  assert.equal(
    examine(trialsOf('planned-failover', 'wait1-min1', [lost, lost, lost]), 'together-loss').verdict,
    'contradicted',
  );
  assert.equal(examine(trialsOf('primary-machine-lost', 'wait1-min1', THREE), 'together-loss').verdict, 'reproduced');
});

test('max-lag bounds what a primary goes on accepting', () => {
  const lost = (/** @type {number} */ ackedLost) => {
    const result = trialsOf('primary-partition', 'min1', [{ ackedLost }, { ackedLost }, { ackedLost }]);
    for (const { params } of result.cases) params.rate = 1000;
    return examine(result, 'max-lag');
  };
  assert.equal(lost(9000).verdict, 'reproduced');
  assert.equal(lost(30_000).verdict, 'contradicted');
});

test('WAIT without a timeout blocks while the replicas are frozen', () => {
  const blocked = (/** @type {Partial<AuditResult>} */ audit) => {
    const result = trialsOf('replicas-paused', 'wait1-forever', [audit, audit, audit]);
    for (const { params } of result.cases) params.variant = 'no-timeout';
    return examine(result, 'wait-zero').verdict;
  };
  assert.equal(blocked({ unavailableMs: 13_100 }), 'reproduced');
  assert.equal(blocked({ unavailableMs: 13_100, underAcked: 10 }), 'contradicted');
  assert.equal(blocked({ unavailableMs: 900 }), 'contradicted');
});

test('the course of the replicas comes from the marks of the trials', () => {
  const seen = (/** @type {string[]} */ counts) => {
    const marks = counts.map((count) => ({ afterMs: 1, who: 'harness', what: `${count} replicas`, detail: 'redis-1' }));
    return failureBenchmarkOf('replica-restart', [
      {
        mode: 'min1',
        audits: [1, 2, 3].map((round) => auditOf('min1', { round, acceptedShare: 1 })),
        trials: [1, 2, 3].map((round) => trialOf('min1', { round, marks })),
      },
    ]);
  };
  assert.equal(examine(seen(['2', '1', '2']), 'restart-count').verdict, 'reproduced');
  assert.equal(examine(seen(['2', '1']), 'restart-count').verdict, 'contradicted');
  assert.equal(examine(seen([]), 'restart-count').verdict, 'not measured');
  assert.equal(examine(seen([]), 'restart-accepted').verdict, 'reproduced');
});

test('min-replicas does not protect against split brain where it loses writes', () => {
  const losing = trialsOf('primary-partition', 'min1', [{ ackedLost: 8000 }, { ackedLost: 0 }]);
  assert.equal(examine(losing, 'split-brain').verdict, 'contradicted');
});

test('unconfirmed writes are kept', () => {
  const kept = trialsOf('replicas-paused', 'wait1', [{ underAcked: 500 }, { underAcked: 400 }, { underAcked: 100 }]);
  assert.equal(examine(kept, 'no-rollback').ours, '0 of 1,000 unconfirmed writes are gone');
  assert.equal(examine(kept, 'no-rollback').verdict, 'reproduced');
});

test('writes that never succeed again contradict an automatic failover', () => {
  const ended = trialsOf('primary-killed', 'min1', [
    { unavailableMs: 1200 },
    { unavailableMs: 1300 },
    { unavailableMs: 1250 },
  ]);
  assert.equal(examine(ended, 'automatic-failover').verdict, 'reproduced');
  const never = trialsOf('primary-killed', 'min1', [{ unavailableMs: 1200 }, { unavailableMs: null }]);
  assert.equal(examine(never, 'automatic-failover').verdict, 'contradicted');
});

test('the split layout loses more than a snapshot interval if the replica copies an empty primary', () => {
  /** @param {number} lost of 1,000 writes a second, in each of three trials */
  const examined = (lost) => {
    const result = trialsOf('primary-restarted-empty', 'split-rdb', [
      { ackedLost: lost },
      { ackedLost: lost },
      { ackedLost: lost },
    ]);
    for (const one of result.cases) Object.assign(one.params, { rate: 1000, replicaSettings: { save: '1 1' } });
    const claim = claims.find(({ id }) => id === 'aof.split-loss');
    const found = claim?.examine(result, {}) ?? null;
    return { verdict: verdictOf(found), ours: found?.ours };
  };
  assert.deepEqual(examined(3000), {
    verdict: 'contradicted',
    ours: '3.00 s of writes lost (3 trials); the replica saved every 1.00 s',
  });
  assert.equal(examined(800).verdict, 'reproduced');
  assert.equal(examined(1500).verdict, 'undecided', 'a save may begin late');
});
