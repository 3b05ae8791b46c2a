/**
 * Examines the claims about failures: of the article about synchronous replication, and one of the article about AOF.
 *
 * @import { AuditResult, TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { TrialMode } from './modes.js'
 */
import { rangeText, within } from '../../src/report/articles.js';
import { count, duration, interval, percent, plural } from '../../src/report/format.js';
import { milliseconds, outageOf } from '../../src/report/trials/figures.js';
import { firstStep } from '../../src/report/trials/timeline.js';
import { bootstrapInterval, median, sum } from '../../src/stats/statistics.js';
import { NS_A_MS } from '../../src/units.js';
import { examination, nodesDiffer } from '../claims/index.js';
import { ownAudits, trialRows } from './cases.js';
import { FOREVER, LAGGING } from './replicas-paused.js';

/** The article's setting. @type {readonly TrialMode[]} */
const MINIMUM_ONE = ['min1'];
/** For scenarios that the quick profile measures without it. @type {readonly TrialMode[]} */
const OR_ASYNC = [...MINIMUM_ONE, 'async'];
/** The article's layout: no persistence on the primary, RDB on the replica. */
const SPLIT = 'split-rdb';
/** The article's min-replicas-max-lag, and by how much rejections may come later: lag counts whole seconds, and is checked once a second. */
const MAX_LAG_MS = 10_000;
const LATE_MS = 2000;
/** The freeze of 13 s, less what the writers need to notice. */
const FROZEN_MS = 12_000;

const CLIENT = 'native client';
const FROZEN = `${CLIENT}; both replicas frozen for 13 s`;

/**
 * @typedef {Object} Trials of one mode, with the writers of the native client
 * @property {AuditResult[]} audits at least one
 * @property {TrialResult[]} trials
 * @property {number} rounds number of trials
 * @property {number | undefined} rate writes a second of each writer
 * @property {string[]} evidence
 */

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  shareClaim('synchronous.paused-accepted', {
    benchmark: 'replicas-paused',
    differs: `${FROZEN}, of which a max-lag of 10 s accepts about 80% by arithmetic; theirs does not state how long it paused`,
    claimed: null,
  }),
  claimOf('synchronous.paused-rejects', {
    benchmark: 'replicas-paused',
    differs: FROZEN,
    judge({ trials }) {
      const begins = trials.map((trial) => firstStep(trial, 'rejected'));
      if (begins.length === 0) return null;
      const measuredBegins = begins.filter((after) => after !== null);
      const range = { least: MAX_LAG_MS - LATE_MS, most: MAX_LAG_MS + LATE_MS };
      const when =
        measuredBegins.length === 0
          ? ''
          : `, the first after ${shownMs(Math.min(...measuredBegins))} to ${shownMs(Math.max(...measuredBegins))}`;
      return {
        ours: `writes were rejected in ${measuredBegins.length} of ${plural(begins.length, 'trial')}${when}`,
        holds: begins.every((after) => after !== null && after >= range.least && after <= range.most),
        allowed: rangeText(range, shownMs),
      };
    },
  }),
  claimOf('synchronous.paused-recovers', {
    benchmark: 'replicas-paused',
    differs: FROZEN,
    judge({ trials }) {
      const recoveriesMs = trials.flatMap(({ windows }) => windows.recoveryMs ?? []);
      if (trials.length === 0) return null;
      const when = recoveriesMs.length === 0 ? '' : ` within ${milliseconds(Math.max(...recoveriesMs))}`;
      return {
        ours: `accepted again in ${recoveriesMs.length} of ${plural(trials.length, 'trial')}${when}`,
        holds: recoveriesMs.length === trials.length,
      };
    },
  }),
  lossClaim('synchronous.paused-no-loss', {
    benchmark: 'replicas-paused',
    differs: `${FROZEN}; the primary survives, in their test as in ours, so none of both can show a loss`,
    open: true,
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
  // The article says neither how it failed over nor that it tried. Both usual ways are examined; SENTINEL FAILOVER is the one by that name.
  lossClaim('synchronous.stop-no-loss', {
    benchmark: 'planned-failover',
    differs: `${CLIENT}; SENTINEL FAILOVER, min-replicas 1 without WAIT`,
  }),
  lossClaim('synchronous.stop-no-loss', {
    benchmark: 'primary-stopped',
    modes: OR_ASYNC,
    differs: `${CLIENT}; the primary is stopped by SIGTERM and fails over after that`,
  }),
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
  claimOf('synchronous.max-lag', {
    benchmark: 'primary-partition',
    differs: `${CLIENT}; taken as a bound of what a primary without replicas goes on accepting`,
    judge({ audits, rate }) {
      if (rate === undefined) return null;
      const seconds = audits.map(({ ackedLost }) => ackedLost / rate);
      return {
        ours: `up to ${shownMs(Math.max(...seconds) * 1000)} of acknowledged writes lost (${plural(audits.length, 'writer')})`,
        holds: seconds.every((each) => each * 1000 <= MAX_LAG_MS + LATE_MS),
        allowed: rangeText({ most: MAX_LAG_MS + LATE_MS }, shownMs),
      };
    },
  }),
  claimOf('synchronous.lag-warns', {
    benchmark: 'replicas-paused',
    differs: `${FROZEN}; a monitor that reads INFO once a second; a replica that lags because it hangs, not one that is slow`,
    judge({ trials, evidence, rounds }) {
      const leads = trials.flatMap((trial) => {
        const [warned, refused] = [markOf(trial, LAGGING), firstStep(trial, 'rejected')];
        const begun = markOf(trial, 'fault begun');
        return warned === null || refused === null || begun === null ? [] : begun + refused - warned;
      });
      if (!trials.some(({ marks }) => marks.some(({ what }) => what === LAGGING)))
        return {
          ours: 'not measured: earlier runs did not read the lag; `sentinel-bench run replicas-paused --trials 5`',
          holds: null,
          missing: true,
          rounds,
          evidence,
        };
      const lead = leads.length === 0 ? '' : `, at least ${shownMs(Math.min(...leads))} before the first rejection`;
      return {
        ours: `lag was above 2 s in ${leads.length} of ${plural(trials.length, 'trial')} with rejections${lead}`,
        holds: leads.length === trials.length && leads.every((ms) => ms > 0),
      };
    },
  }),
  claimOf('synchronous.wait-zero', {
    benchmark: 'replicas-paused',
    modes: ['wait1-forever'],
    differs: `${CLIENT}; WAIT 1 0 while both replicas are frozen for 13 s`,
    judge({ audits }) {
      const under = sum(audits.map(({ underAcked }) => underAcked));
      const longest = audits.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY);
      return {
        ours: `${count(under)} WAITs returned without a confirmation; none with one for ${milliseconds(Math.min(...longest))} or longer`,
        holds: under === 0 && longest.every((ms) => ms >= FROZEN_MS),
      };
    },
  }),
  // The article names no fault. The first is a controlled failover, which it says is without loss.
  lossClaim('synchronous.together-loss', {
    benchmark: 'planned-failover',
    modes: ['wait1-min1'],
    differs: `${CLIENT}; SENTINEL FAILOVER; pipelined WAIT`,
  }),
  lossClaim('synchronous.together-loss', {
    benchmark: 'primary-machine-lost',
    modes: ['wait1-min1'],
    differs: `${CLIENT}; the machine of the primary is lost; pipelined WAIT`,
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
        ours: `${loss.everything ? 'every write' : `${milliseconds(median(seconds) * 1000)} of writes`} lost (${trialsText(loss.trials)}); the replica saved every ${milliseconds(interval * 1000)}`,
        holds: splitHolds(seconds, interval),
        rounds: loss.trials,
        trials: /** @type {const} */ (true),
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
 * @param {{benchmark: string, modes?: readonly TrialMode[], differs: string, judge: (trials: Trials) => Pick<Examined, 'ours' | 'holds' | 'allowed' | 'missing'> | null}} what
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
      return { ...judged, rounds, trials: /** @type {const} */ (true), evidence, differs: others.join('; ') };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, differs: string, claimed: Range | null}} what claimed: null: the share follows from the length of the fault,
 *   so it decides nothing
 */
function shareClaim(id, { claimed, ...what }) {
  return claimOf(id, {
    ...what,
    judge({ audits, rounds }) {
      const shares = perTrial(audits, ({ acceptedShare }) => acceptedShare);
      if (shares.length === 0) return null;
      const value = bootstrapInterval(shares);
      return {
        ours: `${interval(value, percent)} accepted (${trialsText(rounds)})`,
        holds: claimed && within(value, claimed),
        ...(claimed && { allowed: rangeText(claimed, percent) }),
      };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, modes?: readonly TrialMode[], differs: string, open?: true}} what open: the fault cannot show a loss, so none
 *   lost decides nothing
 */
function lossClaim(id, { open, ...what }) {
  return claimOf(id, {
    ...what,
    judge({ audits, rounds }) {
      const lost = sum(audits.map(({ ackedLost }) => ackedLost));
      const acked = sum(audits.map((audit) => audit.acked));
      if (acked === 0) return null;
      const holds = lost === 0 ? (open ? null : true) : false;
      return { ours: `lost ${count(lost)} of ${count(acked)} (${trialsText(rounds)})`, holds };
    },
  });
}

/**
 * @param {BenchmarkResult} result
 * @param {TrialMode} mode
 * @returns {Trials | null} null: it was not measured
 */
function trialsIn(result, mode) {
  const cases = result.cases.filter(
    ({ params }) =>
      params.mode === mode &&
      params.client === 'native' &&
      (params.variant === undefined || params.variant === FOREVER),
  );
  const audits = cases.flatMap((one) => ownAudits(result, one));
  if (audits.length === 0) return null;
  const evidence = cases.map(({ id }) => id);
  return {
    audits,
    trials: (result.timeline ?? []).filter((trial) => evidence.includes(trial.case)),
    rounds: Math.max(...cases.map((one) => new Set(ownAudits(result, one).map(({ round }) => round)).size)),
    rate: cases[0].params.rate,
    evidence,
  };
}

/**
 * @param {TrialResult} trial
 * @param {string} wanted
 * @returns {number | null} milliseconds; null: it has no such mark
 */
function markOf({ marks }, wanted) {
  return marks.find(({ what }) => what === wanted)?.afterMs ?? null;
}

/**
 * @param {readonly AuditResult[]} audits
 * @param {(audit: AuditResult) => number | null} value
 * @returns {number[]} a trial each: the mean of its writers; without those that do not know it
 */
function perTrial(audits, value) {
  return [...new Set(audits.map(({ round }) => round))].flatMap((round) => {
    const values = audits.filter((audit) => audit.round === round).flatMap((audit) => value(audit) ?? []);
    return values.length === 0 ? [] : sum(values) / values.length;
  });
}

/** @param {number} ms */
const shownMs = (ms) => duration(ms * NS_A_MS);

/** @param {number} trials */
const trialsText = (trials) => plural(trials, 'trial');
