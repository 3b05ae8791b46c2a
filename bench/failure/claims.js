/**
 * Examines the claims about failures: of the article about synchronous replication, and one of the article about AOF.
 *
 * @import { AuditResult, TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Claim, Examined } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { ModeName } from './modes.js'
 */
import { nearShare, within } from '../../src/report/articles.js';
import { count, interval, percent, plural } from '../../src/report/format.js';
import { milliseconds, outageOf } from '../../src/report/trials/figures.js';
import { bootstrapInterval, median, sum } from '../../src/stats/statistics.js';
import { examination, nodesDiffer } from '../claims/index.js';
import { ownAudits, trialRows } from './cases.js';

/** The article's setting. @type {readonly ModeName[]} */
const MINIMUM_ONE = ['min1'];
/** For scenarios that the quick profile measures without it. @type {readonly ModeName[]} */
const OR_ASYNC = [...MINIMUM_ONE, 'async'];
/** The article's layout: no persistence on the primary, RDB on the replica. */
const SPLIT = 'split-rdb';
/** Their share of accepted writes while both replicas were paused. */
const ACCEPTED = 0.8119;
/** The same result always has the same interval. */
const SEED = 1;

const CLIENT = 'native client';
const FROZEN = `${CLIENT}; both replicas frozen for 13 s`;

/**
 * @typedef {Object} Trials of one mode, with the writers of the native client
 * @property {AuditResult[]} audits at least one
 * @property {TrialResult[]} trials
 * @property {number} rounds number of trials
 * @property {string[]} evidence
 */

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  shareClaim('synchronous.paused-accepted', {
    benchmark: 'replicas-paused',
    differs: `${FROZEN}; their share depends on how long they paused`,
    claimed: nearShare(ACCEPTED),
  }),
  shareClaim('synchronous.paused-rejects', { benchmark: 'replicas-paused', differs: FROZEN, claimed: { most: 0 } }),
  claimOf('synchronous.paused-recovers', {
    benchmark: 'replicas-paused',
    differs: FROZEN,
    judge({ trials }) {
      const known = trials.flatMap(({ windows }) => windows.recoveryMs ?? []);
      if (trials.length === 0) return null;
      const when = known.length === 0 ? '' : ` within ${milliseconds(Math.max(...known))}`;
      return {
        ours: `accepted again in ${known.length} of ${plural(trials.length, 'trial')}${when}`,
        holds: known.length === trials.length,
      };
    },
  }),
  lossClaim('synchronous.paused-no-loss', {
    benchmark: 'replicas-paused',
    differs: `${FROZEN}; the primary survives, so this trial cannot show a loss`,
  }),
  shareClaim('synchronous.restart-accepted', {
    benchmark: 'replica-restart',
    differs: CLIENT,
    claimed: { least: 1 },
  }),
  claimOf('synchronous.restart-count', {
    benchmark: 'replica-restart',
    differs: CLIENT,
    judge({ trials }) {
      const courses = trials.map(({ marks }) =>
        marks.flatMap(({ what }) => /^(\d) replicas$/.exec(what)?.[1] ?? []).join(' → '),
      );
      if (courses.every((course) => course === '')) return null;
      return {
        ours: `${[...new Set(courses)].join('; ')} in ${plural(trials.length, 'trial')}`,
        holds: courses.every((course) => course === '2 → 1 → 2'),
      };
    },
  }),
  lossClaim('synchronous.restart-no-loss', { benchmark: 'replica-restart', differs: CLIENT }),
  lossClaim('synchronous.stop-no-loss', { benchmark: 'primary-stopped', modes: OR_ASYNC, differs: CLIENT }),
  claimOf('synchronous.automatic-failover', {
    benchmark: 'primary-killed',
    modes: OR_ASYNC,
    differs: `${CLIENT}; the primary is killed`,
    judge({ audits, trials }) {
      const outages = audits.map(outageOf);
      const ended = outages.filter(Number.isFinite);
      if (ended.length < outages.length)
        return { ours: `no more writes in ${outages.length - ended.length} of ${trials.length} trials`, holds: false };
      return { ours: `writes again after ${milliseconds(median(ended))} (${trialsText(trials.length)})`, holds: true };
    },
  }),
  ...['primary-partition', 'primary-isolated'].map((benchmark) =>
    lossClaim('synchronous.split-brain', {
      benchmark,
      differs: `${CLIENT}; max-lag 10 s, down-after of this run`,
    }),
  ),
  claimOf('synchronous.no-rollback', {
    benchmark: 'replicas-paused',
    modes: ['wait1'],
    differs: `${CLIENT}; WAIT 1 while both replicas are frozen`,
    judge({ audits }) {
      const unconfirmed = sum(audits.map(({ underAcked }) => underAcked));
      const gone = sum(audits.map(({ underAckedLost }) => underAckedLost));
      if (unconfirmed === 0) return null;
      return {
        ours: `${count(gone)} of ${count(unconfirmed)} unconfirmed writes are gone`,
        holds: gone === 0,
      };
    },
  }),
  examination('aof.split-loss', {
    benchmark: 'primary-restarted-empty',
    differs: `${CLIENT}; 64 B; the primary is killed and started again at once; the replica saves every second`,
    examine(result) {
      const one = result.cases.find(({ params }) => params.mode === SPLIT && params.client === 'native');
      const [interval] = (one?.params.replicaSettings?.save ?? '').split(' ').map(Number);
      const rate = one?.params.rate;
      const loss = trialRows(result).find((row) => row.one === one)?.loss;
      if (!one || !loss || !rate || !interval) return null;
      const seconds = loss.each.map(({ lost }) => lost / rate);
      return {
        ours: `${milliseconds(median(seconds) * 1000)} of writes lost (${trialsText(loss.trials)}); the replica saved every ${milliseconds(interval * 1000)}`,
        holds: splitHolds(seconds, interval),
        rounds: loss.trials,
        evidence: [one.id],
      };
    },
  }),
]);

/**
 * @param {readonly number[]} seconds of writes that were lost, a trial each
 * @param {number} interval of the snapshots, in seconds
 * @returns {boolean | null} a save may begin late and takes a while, so a loss of less than two intervals decides nothing
 */
function splitHolds(seconds, interval) {
  if (seconds.every((lost) => lost <= interval)) return true;
  return seconds.some((lost) => lost > 2 * interval) ? false : null;
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, modes?: readonly ModeName[], differs: string, judge: (trials: Trials) => Pick<Examined, 'ours' | 'holds'> | null}} what
 *   modes: the first that was measured counts, default: min-replicas 1; judge: null: the trials do not show it
 * @returns {Claim}
 */
function claimOf(id, { benchmark, modes = MINIMUM_ONE, differs, judge }) {
  return examination(id, {
    benchmark,
    differs,
    examine(result, run) {
      const mode = modes.find((each) => trialsIn(result, each) !== null);
      const trials = mode === undefined ? null : trialsIn(result, mode);
      const judged = trials && judge(trials);
      if (!judged) return null;
      const { rounds, evidence } = trials;
      const others = [nodesDiffer(run), mode === 'async' ? 'without min-replicas-to-write' : ''].filter(Boolean);
      return { ...judged, rounds, evidence, differs: others.join('; ') };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, differs: string, claimed: {least?: number, most?: number}}} what
 */
function shareClaim(id, { claimed, ...what }) {
  return claimOf(id, {
    ...what,
    judge({ audits, rounds }) {
      const shares = perTrial(audits, ({ acceptedShare }) => acceptedShare);
      if (shares.length === 0) return null;
      const value = bootstrapInterval(shares, { seed: SEED });
      return { ours: `${interval(value, percent)} accepted (${trialsText(rounds)})`, holds: within(value, claimed) };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, modes?: readonly ModeName[], differs: string}} what
 */
function lossClaim(id, what) {
  return claimOf(id, {
    ...what,
    judge({ audits, rounds }) {
      const lost = sum(audits.map(({ ackedLost }) => ackedLost));
      const acked = sum(audits.map((audit) => audit.acked));
      if (acked === 0) return null;
      return { ours: `lost ${count(lost)} of ${count(acked)} (${trialsText(rounds)})`, holds: lost === 0 };
    },
  });
}

/**
 * @param {BenchmarkResult} result
 * @param {ModeName} mode
 * @returns {Trials | null} null: it was not measured
 */
function trialsIn(result, mode) {
  const cases = result.cases.filter(
    ({ params }) => params.mode === mode && params.client === 'native' && params.variant === undefined,
  );
  const audits = cases.flatMap((one) => ownAudits(result, one));
  if (audits.length === 0) return null;
  const evidence = cases.map(({ id }) => id);
  return {
    audits,
    trials: (result.timeline ?? []).filter((trial) => evidence.includes(trial.case)),
    rounds: Math.max(...cases.map((one) => new Set(ownAudits(result, one).map(({ round }) => round)).size)),
    evidence,
  };
}

/**
 * @param {readonly AuditResult[]} audits
 * @param {(audit: AuditResult) => number | null} value
 * @returns {number[]} a trial each: the mean of its writers; without those that do not know it
 */
function perTrial(audits, value) {
  return [...new Set(audits.map(({ round }) => round))].flatMap((round) => {
    const known = audits.filter((audit) => audit.round === round).flatMap((audit) => value(audit) ?? []);
    return known.length === 0 ? [] : sum(known) / known.length;
  });
}

/** @param {number} trials */
const trialsText = (trials) => plural(trials, 'trial');
