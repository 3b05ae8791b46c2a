import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { claims } from './claims.js';

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

test('82.3% accepted with both replicas frozen reproduces 81.19%, and contradicts that writes are rejected', () => {
  const result = trialsOf('replicas-paused', 'min1', [{ acceptedShare: 0.823 }, { acceptedShare: 0.825 }]);
  const accepted = examine(result, 'paused-accepted');
  assert.equal(accepted.verdict, 'reproduced');
  assert.match(accepted.ours ?? '', /^82% .*accepted \(2 trials\)$/);
  assert.equal(examine(result, 'paused-rejects').verdict, 'contradicted');
  assert.equal(examine(result, 'paused-recovers').verdict, 'reproduced');
  assert.equal(examine(result, 'paused-no-loss').verdict, 'reproduced');
});

test('one trial decides nothing', () => {
  const result = trialsOf('replicas-paused', 'min1', [{ acceptedShare: 0.823 }]);
  assert.equal(examine(result, 'paused-accepted').verdict, 'undecided');
  const other = trialsOf('replicas-paused', 'wait2', [{}, {}]);
  assert.equal(examine(other, 'paused-accepted').verdict, 'not examined');
});

test('a controlled failover is docker stop, so it is judged where the primary is stopped', () => {
  const benchmarks = claims.filter(({ id }) => id === 'synchronous.stop-no-loss').map(({ benchmark }) => benchmark);
  assert.deepEqual(benchmarks, ['primary-stopped']);
  const result = trialsOf('primary-stopped', 'async', [{ ackedLost: 0 }, { ackedLost: 3 }]);
  const examined = examine(result, 'stop-no-loss');
  assert.equal(examined.verdict, 'contradicted');
  assert.equal(examined.ours, 'lost 3 of 20,000 (2 trials)');
  assert.equal(examined.differs, 'without min-replicas-to-write');
});

test('the course of the replicas comes from the marks of the trials', () => {
  const seen = (/** @type {string[]} */ counts) => {
    const marks = counts.map((count) => ({ afterMs: 1, who: 'harness', what: `${count} replicas`, detail: 'redis-1' }));
    return failureBenchmarkOf('replica-restart', [
      {
        mode: 'min1',
        audits: [1, 2].map((round) => auditOf('min1', { round, acceptedShare: 1 })),
        trials: [1, 2].map((round) => trialOf('min1', { round, marks })),
      },
    ]);
  };
  assert.equal(examine(seen(['2', '1', '2']), 'restart-count').verdict, 'reproduced');
  assert.equal(examine(seen(['2', '1']), 'restart-count').verdict, 'contradicted');
  assert.equal(examine(seen([]), 'restart-count').verdict, 'not examined');
  assert.equal(examine(seen([]), 'restart-accepted').verdict, 'reproduced');
});

test('min-replicas does not protect against split brain where it loses writes', () => {
  const losing = trialsOf('primary-partition', 'min1', [{ ackedLost: 8000 }, { ackedLost: 0 }]);
  assert.equal(examine(losing, 'split-brain').verdict, 'contradicted');
});

test('unconfirmed writes are kept', () => {
  const kept = trialsOf('replicas-paused', 'wait1', [{ underAcked: 500 }, { underAcked: 400 }]);
  assert.equal(examine(kept, 'no-rollback').ours, '0 of 900 unconfirmed writes are gone');
  assert.equal(examine(kept, 'no-rollback').verdict, 'reproduced');
});

test('writes that never succeed again contradict an automatic failover', () => {
  const ended = trialsOf('primary-killed', 'min1', [{ unavailableMs: 1200 }, { unavailableMs: 1300 }]);
  assert.equal(examine(ended, 'automatic-failover').verdict, 'reproduced');
  const never = trialsOf('primary-killed', 'min1', [{ unavailableMs: 1200 }, { unavailableMs: null }]);
  assert.equal(examine(never, 'automatic-failover').verdict, 'contradicted');
});

test('the split layout loses more than a snapshot interval if the replica copies an empty primary', () => {
  /** @param {number} lost of 1,000 writes a second, in each of two trials */
  const examined = (lost) => {
    const result = trialsOf('primary-restarted-empty', 'split-rdb', [{ ackedLost: lost }, { ackedLost: lost }]);
    for (const one of result.cases) Object.assign(one.params, { rate: 1000, replicaSettings: { save: '1 1' } });
    const claim = claims.find(({ id }) => id === 'aof.split-loss');
    const found = claim?.examine(result, {}) ?? null;
    return { verdict: verdictOf(found), ours: found?.ours };
  };
  assert.deepEqual(examined(3000), {
    verdict: 'contradicted',
    ours: '3.00 s of writes lost (2 trials); the replica saved every 1.00 s',
  });
  assert.equal(examined(800).verdict, 'reproduced');
  assert.equal(examined(1500).verdict, 'undecided', 'a save may begin late');
});
