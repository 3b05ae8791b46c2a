import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boundText, verdictOf } from '../../src/report/articles.js';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { MODES } from '../modes.js';
import { claims } from './claims.js';
import { scenarioNamed } from './fixture.js';

const primaryRestarted = scenarioNamed('primary-restarted-empty');

/** @import { Examined } from '../../src/report/articles.js' */
/** @import { AuditResult } from '../../src/result/failure-schema.js' */
/** @import { BenchmarkResult } from '../../src/result/schema.js' */

/**
 * @param {BenchmarkResult} result
 * @param {string} id without the article
 * @param {BenchmarkResult[]} [benchmarks] of the run; default: this one
 */
function examine(result, id, benchmarks = [result]) {
  const claim = claims.find((each) => each.id === `synchronous.${id}` && each.benchmark === result.name);
  const examined = claim?.examine(result, { benchmarks }) ?? null;
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

test('one trial decides nothing, two without a loss do not, three bound the risk', () => {
  const lost = (/** @type {number} */ trials) =>
    examine(trialsOf('primary-killed', 'min1', THREE.slice(0, trials)), 'automatic-failover');
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

/**
 * @param {string} mode
 * @param {Partial<AuditResult>[]} bare trials of SENTINEL FAILOVER
 * @param {Partial<AuditResult>[]} byHand trials of the runbook
 */
function plannedFailover(mode, bare, byHand) {
  const numbered = [bare, byHand].map((trials) => trials.map((trial, i) => ({ ...trial, round: i + 1 })));
  const result = failureBenchmarkOf(
    'planned-failover',
    [mode, `${mode}-by-hand`].map((name, i) => ({
      mode: name,
      audits: numbered[i].map((trial) => auditOf(name, trial)),
      trials: numbered[i].map(({ round }) => trialOf(name, { round })),
    })),
  );
  Object.assign(result.cases[1].params, { mode, variant: 'by-hand' });
  return result;
}

const WAIT_MIN_AOF = {
  wait: 1,
  settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10', appendonly: 'yes', appendfsync: 'everysec' },
};

test('a controlled failover is decided only if the ways to fail over agree', () => {
  const [lossy, lossless] = [[{ ackedLost: 938 }, { ackedLost: 1006 }, { ackedLost: 950 }], THREE];
  const stopped = trialsOf('primary-stopped', 'wait1-min1-aof', THREE);
  for (const { params } of stopped.cases) Object.assign(params, WAIT_MIN_AOF);
  const planned = plannedFailover('wait1-min1', lossy, lossless);
  for (const result of [planned, stopped]) {
    const found = examine(result, 'stop-no-loss', [planned, stopped]);
    assert.equal(found.verdict, 'undecided');
    assert.match(
      found.ours ?? '',
      /^lost 2,894 of [\d,]+ by SENTINEL FAILOVER; 0 of [\d,]+ by planned-failover\.sh; with WAIT 1 \+ min-replicas 1 \+ AOF everysec: 0 of [\d,]+ by SIGTERM \(3 trials each\)$/,
    );
    assert.match(found.differs ?? '', /the ways disagree, and theirs names none/);
  }
  const verdictOfWays = (/** @type {Partial<AuditResult>[]} */ bare, /** @type {Partial<AuditResult>[]} */ byHand) =>
    examine(plannedFailover('wait1-min1', bare, byHand), 'stop-no-loss').verdict;
  assert.equal(verdictOfWays(lossless, lossless), 'reproduced');
  assert.equal(verdictOfWays(lossy, lossy), 'contradicted');
  const alone = examine(trialsOf('planned-failover', 'wait1-min1', lossy), 'stop-no-loss');
  assert.equal(alone.verdict, 'undecided', 'one way');
  const withoutWait = examine(plannedFailover('min1', lossy, lossless), 'stop-no-loss');
  assert.equal(withoutWait.verdict, 'not measured', 'the article’s pattern has WAIT');
});

test('WAIT and min-replicas together: each fault shows what all of them lost, and one alone decides nothing', () => {
  const lost = { ackedLost: 936 };
  const planned = trialsOf('planned-failover', 'wait1-min1', [lost, lost, lost]);
  const machine = trialsOf('primary-machine-lost', 'wait1-min1', THREE);
  const split = trialsOf('primary-partition', 'wait1-min1', THREE);
  for (const result of [planned, machine, split]) {
    const found = examine(result, 'together-loss', [planned, machine, split]);
    assert.equal(found.verdict, 'undecided');
    assert.match(found.ours ?? '', /with the primary’s machine; 0 of .* in a partition; 2,808 of .* by SENTINEL/);
  }
  assert.equal(examine(machine, 'together-loss').verdict, 'undecided');
  assert.equal(examine(machine, 'together-loss', [machine, split]).verdict, 'reproduced');
  const confirming = trialsOf('confirming-replica-lost', 'wait1-min1-aof', [lost, lost, lost]);
  const withAnother = examine(confirming, 'together-loss', [machine, split, confirming]);
  assert.equal(withAnother.verdict, 'undecided');
  assert.match(withAnother.ours ?? '', /2,808 of .* after the confirming replica was lost/);
});

test('split brain is how long two primaries accepted writes, beside the same without min-replicas', () => {
  /**
   * @param {string} name
   * @param {number[]} times of min-replicas 1, milliseconds
   * @param {number[]} without
   */
  const partition = (name, times, without) => {
    const trialsWith = (/** @type {string} */ mode, /** @type {number[]} */ each) => ({
      mode,
      audits: each.map((_, i) => auditOf(mode, { round: i + 1, ackedLost: 8000 })),
      trials: each.map((splitBrainMs, i) =>
        trialOf(mode, { round: i + 1, windows: { detectionMs: 1, failoverMs: 1, splitBrainMs, recoveryMs: 1 } }),
      ),
    });
    const result = failureBenchmarkOf(name, [trialsWith('min1', times), trialsWith('async', without)]);
    for (const { params } of result.cases) params.downAfterMs = 5000;
    return result;
  };
  const [none, async] = [
    [0, 0, 0],
    [13_000, 13_100, 13_050],
  ];
  const shorter = examine(partition('primary-partition', [2600, 3000, 2900], async), 'split-brain');
  assert.equal(shorter.verdict, 'undecided', 'it protects in part, and theirs does not state down-after');
  assert.equal(
    shorter.ours,
    'two primaries accepted writes for 2.60 s to 3.00 s, without min-replicas for 13.1 s (3 trials)',
  );
  assert.match(shorter.differs ?? '', /down-after 5\.00 s \(theirs: not stated\)/);
  const never = partition('primary-isolated', none, async);
  assert.equal(examine(never, 'split-brain').verdict, 'reproduced', 'losses before the promotion are no split brain');
  const both = [never, partition('primary-partition', [0, 0, 500], async)];
  assert.equal(examine(never, 'split-brain', both).verdict, 'undecided', 'another fault of the run shows one');
  assert.equal(examine(partition('primary-partition', async, async), 'split-brain').verdict, 'contradicted');
});

describe('RDB on both nodes, a fast restart', () => {
  /** Seconds of 1,000 writes before the fault. */
  const BEFORE = 8;
  /**
   * @param {number} lost of the last writes before the fault, in each of three trials
   * @param {string} [save] of the primary
   * @param {number} [reached] writes a second of 1,000 that were asked for
   */
  const examined = (lost, save = '2 1', reached = 1000) => {
    const rounds = [1, 2, 3];
    const acked = Array.from({ length: BEFORE + 4 }, () => reached);
    const zeros = acked.map(() => 0);
    const gone = zeros.map((_, second) => Math.min(reached, Math.max(0, lost - (BEFORE - 1 - second) * reached)));
    for (let second = BEFORE; second < gone.length; second++) gone[second] = 0;
    const counts = { acked, underAcked: zeros, rejected: zeros, unknown: zeros, unsent: zeros, p99Ms: zeros };
    const result = failureBenchmarkOf('primary-restarted-empty', [
      {
        mode: 'split-rdb',
        audits: rounds.map((round) => auditOf('split-rdb', { round, acked: 12_000, ackedLost: lost })),
        trials: rounds.map((round) =>
          trialOf('split-rdb', {
            round,
            stepMs: 1000,
            events: [
              { at: BEFORE * 1000, by: 'harness', kind: 'fault-begun', node: 'redis-1' },
              { at: BEFORE * 1000 + 50, by: 'harness', kind: 'fault-undone', node: 'redis-1' },
            ],
            writers: [{ writer: 'sticky', ...counts, lost: gone }],
          }),
        ),
      },
    ]);
    for (const { params } of result.cases)
      Object.assign(params, { rate: 1000, settings: { save }, replicaSettings: { save: '1 1' } });
    const claim = claims.find(({ id }) => id === 'aof.split-loss');
    const found = claim?.examine(result, {}) ?? null;
    return { ...found, verdict: verdictOf(found) };
  };

  test('a loss of at most an interval decides nothing where a save takes no time, and a greater one contradicts', () => {
    const found = examined(1900);
    assert.equal(found.verdict, 'undecided');
    assert.equal(found.ours, 'lost 1.90 s of writes at most (3 trials); the primary saved every 2.00 s');
    assert.equal(found.allowed, 'at most 2.00 s');
    assert.equal(examined(2500).verdict, 'undecided', 'more than an interval');
    const slow = examined(2500, '2 1', 400);
    assert.equal(slow.verdict, 'contradicted', 'writers that fell behind lost more seconds');
    assert.match(slow.ours ?? '', /^lost 6\.25 s of writes at most/);
    assert.equal(examined(5000).verdict, 'undecided', 'a save took long');
    assert.equal(examined(7000).verdict, 'contradicted');
  });

  test('a primary without RDB is not what the article recommends, so its loss decides nothing', () => {
    const found = examined(8000, '');
    assert.equal(found.verdict, 'undecided');
    assert.equal(found.ours, 'lost every write that was acknowledged before the fault (3 trials)');
    assert.match(
      found.differs ?? '',
      /RDB on the replicas only .*`sentinel-bench run primary-restarted-empty --trials 3`/,
    );
  });

  test('a trial that is no longer than an interval shows nothing', () => {
    assert.equal(examined(8000, '3600 1').verdict, 'undecided');
    assert.equal(examined(8000).verdict, 'contradicted', 'every snapshot was lost');
  });

  test('the scenario saves on both nodes, and writes for longer than two intervals', async () => {
    const { settings, replicaSettings } = MODES['split-rdb'];
    const [interval] = (settings.save ?? '').split(' ').map(Number);
    assert.ok(interval > 0 && replicaSettings?.save);
    /** @type {number[]} */
    const written = [];
    const scene = /** @type {import('../../src/run/types.js').Scene} */ (
      /** @type {unknown} */ ({
        profile: PROFILES.quick,
        primary: { id: 'redis-1' },
        inject: async () => async () => {},
        write: async (/** @type {number} */ seconds) => void written.push(seconds),
      })
    );
    const cases = primaryRestarted.cases({
      profile: PROFILES.quick,
      server: { name: 'redis', version: '7.0.15' },
      storages: [],
    });
    for (const one of cases) await primaryRestarted.script(scene, one);
    const longest = written[2 * cases.findIndex(({ params }) => params.mode === 'split-rdb')];
    assert.ok(longest > 2 * (interval + 1), `${longest} s`);
    assert.equal(written[0], PROFILES.quick.healthySeconds, 'without RDB on the primary there is nothing to wait for');
  });
});
