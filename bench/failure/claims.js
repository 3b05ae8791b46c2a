/**
 * Examines the claims about failures: of the article about synchronous replication, and one of the article about AOF.
 *
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range, Run } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { Trials } from './claim-trials.js'
 * @import { ModeName } from '../modes.js'
 */

import { firstAt, happened, outageOf } from '../../src/audit/judgement.js';
import { rangeText, within } from '../../src/report/articles.js';
import { count, interval, percent, plural } from '../../src/report/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { lostEverything } from '../../src/report/trials/losses.js';
import { firstStep } from '../../src/report/trials/timeline.js';
import { bootstrapInterval, median, sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { examination, nodesDiffer } from '../claims/index.js';
import { BY_HAND, COORDINATED } from '../experiments/planned-failover.js';
import { STOPPED_SECONDS } from '../experiments/replica-restart.js';
import { downAfterText, lostSeconds, perTrial, shownMs, splitTimes, trialsIn, trialsText } from './claim-trials.js';

/** The article's setting. @type {readonly ModeName[]} */
const MINIMUM_ONE = ['min1'];
/** The article's pattern, pipeline and WAIT, with its setting. A file of the same beside it loses no more than without. @type {readonly ModeName[]} */
const WITH_WAIT = ['wait1-min1', 'wait1-min1-aof'];
/** @type {ModeName} */
const ASYNC = 'async';
/** For scenarios that the quick profile measures without it. @type {readonly ModeName[]} */
const OR_ASYNC = [...MINIMUM_ONE, ASYNC];
/** The article's layout: RDB on primary and replica, no AOF. */
const SPLIT = 'split-rdb';
/** A save may begin so much later than its interval, because Redis counts whole seconds, and takes a while: more than that contradicts. */
const SAVED_LATE_SECONDS = 2;
/** The article's min-replicas-max-lag, and by how much rejections may come later: lag counts whole seconds, and is checked once a second. */
const MAX_LAG_MS = 10_000;
const LATE_MS = 2000;

/** The freeze of 13 s, less what the writers need to notice. */
const FROZEN_MS = 12_000;
const SURVIVES = 'the primary survives, in their test as in ours, so neither can show a loss';

const CLIENT = 'native client';
/**
 * How to fail over on purpose, which the article does not say.
 *
 * @type {readonly Way[]}
 */
const CONTROLLED = [
  { by: 'by SENTINEL FAILOVER', benchmark: 'planned-failover' },
  { by: 'by planned-failover.sh', benchmark: 'planned-failover', way: BY_HAND },
  { by: 'by SENTINEL FAILOVER … COORDINATED', benchmark: 'planned-failover', way: COORDINATED },
  { by: 'by SIGTERM', benchmark: 'primary-stopped' },
];
/**
 * What may take a primary away, which the article does not say either.
 *
 * @type {readonly Way[]}
 */
const DURABLE = [
  { by: 'with the primary’s machine', benchmark: 'primary-machine-lost' },
  { by: 'in a partition', benchmark: 'primary-partition' },
  { by: 'by SENTINEL FAILOVER', benchmark: 'planned-failover' },
  { by: 'in a partition with a replica', benchmark: 'partition-with-replica' },
  { by: 'after the confirming replica was lost', benchmark: 'confirming-replica-lost' },
];
/**
 * How a primary may be separated, which the article does not say either.
 *
 * @type {readonly Way[]}
 */
const SEPARATED = [
  { by: 'cut off from all replicas', benchmark: 'primary-partition' },
  { by: 'cut off from replicas and clients', benchmark: 'primary-isolated' },
  { by: 'cut off with a replica', benchmark: 'partition-with-replica' },
  { by: 'cut off with a replica, one way', benchmark: 'partition-one-way' },
  { by: 'cut off with a replica, again and again', benchmark: 'partition-flapping' },
  { by: 'behind a narrow link', benchmark: 'narrow-link' },
];
/** A primary that was separated and still accepts writes. */
const SPLITS = Object.freeze(['primary-partition', 'primary-isolated']);
const FROZEN = `${CLIENT}; both replicas frozen for 13 s`;

/**
 * @typedef {Object} Way
 * @property {string} by such as `by SIGTERM`
 * @property {string} benchmark
 * @property {string} [way] of failing over
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
    differs: `${FROZEN}; ${SURVIVES}`,
  }),
  shareClaim('synchronous.restart-accepted', {
    benchmark: 'replica-restart',
    differs: `${CLIENT}; SIGTERM, started again after ${STOPPED_SECONDS} s (theirs: not stated)`,
    claimed: { least: 1 },
  }),
  claimOf('synchronous.restart-count', {
    benchmark: 'replica-restart',
    differs: CLIENT,
    judge({ trials }) {
      const courses = trials.map(({ events }) =>
        events
          .flatMap(({ kind, value }) => (kind === 'replicas-connected' && value !== undefined ? value : []))
          .join(' → '),
      );
      if (courses.every((course) => course === '')) return null;
      return {
        ours: `${[...new Set(courses)].join('; ')} in ${plural(trials.length, 'trial')}`,
        holds: courses.every((course) => course === '2 → 1 → 2'),
      };
    },
  }),
  lossClaim('synchronous.restart-no-loss', {
    benchmark: 'replica-restart',
    differs: `${CLIENT}; ${SURVIVES}`,
  }),
  // The article says neither how it failed over nor that it tried.
  ...waysClaims('synchronous.stop-no-loss', {
    ways: CONTROLLED,
    modes: WITH_WAIT,
    differs: `${CLIENT}; min-replicas 1 and pipelined WAIT 1`,
    judge: noneLost,
  }),
  claimOf('synchronous.automatic-failover', {
    benchmark: 'primary-killed',
    modes: OR_ASYNC,
    differs: `${CLIENT}; the primary is killed, while a majority of the Sentinels and a replica are healthy`,
    judge({ audits, trials, downAfterMs }) {
      const outages = audits.map(outageOf);
      const ended = outages.filter(Number.isFinite);
      const differs = downAfterText(downAfterMs);
      if (ended.length < outages.length)
        return {
          ours: `no more writes in ${outages.length - ended.length} of ${trials.length} trials`,
          holds: false,
          differs,
        };
      return {
        ours: `writes again after ${milliseconds(median(ended))} (${trialsText(trials.length)})`,
        holds: true,
        differs,
      };
    },
  }),
  ...SPLITS.map((benchmark) =>
    examination('synchronous.split-brain', {
      benchmark,
      differs: `${CLIENT}; max-lag 10 s`,
      examine: (result, run) => splitBrain(result, run),
    }),
  ),
  claimOf('synchronous.no-rollback', {
    benchmark: 'replicas-paused',
    modes: ['wait1-min1'],
    differs: `${CLIENT}; WAIT 1 while both replicas are frozen, which receive the writes later; no failover, after which they are gone`,
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
  ...waysClaims('synchronous.max-lag', {
    ways: SEPARATED,
    modes: [...MINIMUM_ONE, 'min1-lag1', ...WITH_WAIT],
    differs: `${CLIENT}; a replica that is cut off too or far behind still acknowledges`,
    judge: lostLittle,
  }),
  claimOf('synchronous.lag-warns', {
    benchmark: 'replicas-paused',
    differs: `${FROZEN}, so lag passes 2 s before max-lag by arithmetic; a monitor that reads INFO once a second`,
    judge({ trials, evidence, rounds }) {
      const leads = trials.flatMap((trial) => {
        const [warned, refused] = [firstAt(trial, 'lagging'), firstStep(trial, 'rejected')];
        const begun = firstAt(trial, 'fault-begun');
        return warned === null || refused === null || begun === null ? [] : begun + refused - warned;
      });
      if (!trials.some((trial) => happened(trial, 'lagging')))
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
        holds: null,
      };
    },
  }),
  claimOf('synchronous.wait-zero', {
    benchmark: 'replicas-paused',
    modes: ['wait1-forever'],
    differs: `${CLIENT}; WAIT 1 0 while both replicas are frozen for 13 s; they name no timeout, so this decides nothing`,
    judge({ audits }) {
      const under = sum(audits.map(({ underAcked }) => underAcked));
      const longest = audits.map(({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY);
      return {
        ours: `${count(under)} WAITs returned without a confirmation, and none with one for at least ${milliseconds(Math.min(...longest))}, while the replicas were frozen`,
        holds: under === 0 && longest.every((ms) => ms >= FROZEN_MS) ? null : false,
      };
    },
  }),
  ...waysClaims('synchronous.together-loss', {
    ways: DURABLE,
    modes: WITH_WAIT,
    differs: `${CLIENT}; pipelined WAIT`,
    judge: noneLost,
  }),
  examination('aof.split-loss', {
    benchmark: 'primary-restarted-empty',
    differs: `${CLIENT}; 64 B; the primary is killed and started again at once, so its own snapshot counts; a save takes no time here, and theirs also loses what is written during a save, so a loss within an interval decides nothing`,
    examine: (result) => splitLoss(result),
  }),
]);

/**
 * @param {BenchmarkResult} result
 * @returns {Examined | null} undecided: the primary had no RDB, or no trial lost more than an interval
 */
function splitLoss(result) {
  const found = trialsIn(result, SPLIT);
  const one = result.cases.find(({ id }) => id === found?.evidence[0]);
  const seconds = found ? lostSeconds(found) : [];
  if (!found || !one || seconds.length === 0) return null;
  const everything = lostEverything(result, one, found.audits);
  const lost = everything
    ? 'every write that was acknowledged before the fault'
    : `${milliseconds(Math.max(...seconds) * 1000)} of writes at most`;
  const shared = { rounds: found.rounds, trials: /** @type {const} */ (true), evidence: found.evidence };
  const [interval] = (one.params.settings?.save ?? '').split(' ').map(Number);
  if (!interval)
    return {
      ours: `lost ${lost} (${trialsText(found.rounds)})`,
      holds: null,
      ...shared,
      differs:
        'this run had RDB on the replicas only (theirs: on the primary, too), which decides nothing; `sentinel-bench run primary-restarted-empty --trials 3`',
    };
  const within = seconds.every((each) => each <= interval);
  return {
    ours: `lost ${lost} (${trialsText(found.rounds)}); the primary saved every ${milliseconds(interval * 1000)}`,
    // A trial that lost everything and was no longer than that shows nothing.
    holds: within ? null : seconds.some((each) => each > 2 * interval + SAVED_LATE_SECONDS) ? false : null,
    ...shared,
    allowed: rangeText({ most: interval }, (each) => shownMs(each * 1000)),
    differs: `save ${one.params.settings?.save}, because a trial is shorter than an hour`,
  };
}

/**
 * @param {BenchmarkResult} result
 * @param {Run} run
 * @returns {Examined | null} reproduced: no two primaries accepted writes at once, in any fault; contradicted: they did for as long as without
 *   min-replicas
 */
function splitBrain(result, run) {
  const [found, without] = [...MINIMUM_ONE, ASYNC].map((mode) => trialsIn(result, mode));
  if (!found || found.trials.length === 0) return null;
  const [times, others] = [found, without].map(splitTimes);
  const elsewhere = (run.benchmarks ?? [])
    .filter(({ name }) => SPLITS.includes(name) && name !== result.name)
    .flatMap((other) => MINIMUM_ONE.flatMap((mode) => splitTimes(trialsIn(other, mode))));
  const [shortest, longest] = [Math.min(...times), Math.max(...times)];
  const asLong = others.length > 0 && shortest >= Math.min(...others);
  const never = longest === 0;
  const range = shortest === longest ? shownMs(longest) : `${shownMs(shortest)} to ${shownMs(longest)}`;
  const compared = others.length === 0 ? '' : `, without min-replicas for ${shownMs(median(others))}`;
  const { rounds, evidence, downAfterMs } = found;
  return {
    ours: `two primaries ${never ? 'never accepted writes at once' : `accepted writes for ${range}`}${compared} (${trialsText(rounds)})`,
    holds: never ? (elsewhere.every((ms) => ms === 0) ? true : null) : asLong ? false : null,
    rounds,
    trials: /** @type {const} */ (true),
    allowed: 'never; as long as without contradicts',
    evidence: [...evidence, ...(without?.evidence ?? [])],
    differs: [nodesDiffer(run), downAfterText(downAfterMs)].filter(Boolean).join('; '),
  };
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, modes?: readonly ModeName[], differs: string, judge: (trials: Trials) => Pick<Examined, 'ours' | 'holds' | 'allowed' | 'missing' | 'differs'> | null}} what
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
      const others = [nodesDiffer(run), mode === ASYNC ? 'without min-replicas-to-write' : '', judged.differs].filter(
        Boolean,
      );
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
 * @param {{benchmark: string, modes?: readonly ModeName[], differs: string}} what its fault cannot show a loss, so that none was lost decides nothing
 */
function lossClaim(id, what) {
  return claimOf(id, {
    ...what,
    judge({ audits, rounds }) {
      const lost = sum(audits.map(({ ackedLost }) => ackedLost));
      const acked = sum(audits.map((audit) => audit.acked));
      if (acked === 0) return null;
      return {
        ours: `lost ${count(lost)} of ${count(acked)} (${trialsText(rounds)})`,
        holds: lost === 0 ? null : false,
      };
    },
  });
}

/**
 * A claim that names neither fault nor way: one of them alone decides nothing. Each benchmark shows what all of them lost.
 *
 * @param {ClaimId} id
 * @param {{ways: readonly Way[], modes: readonly ModeName[], differs: string, judge: (trials: Trials) => Judged | null}} what modes: the
 *   first that was measured counts
 * @returns {Claim[]} one for each benchmark
 */
function waysClaims(id, { ways, modes, differs, judge }) {
  return [...new Set(ways.map(({ benchmark }) => benchmark))].map((benchmark) =>
    examination(id, {
      benchmark,
      differs,
      examine(result, run) {
        const results = run.benchmarks ?? [result];
        const found = ways.flatMap(({ by, benchmark, way }) => {
          const measured = results.find(({ name }) => name === benchmark);
          const mode = measured && modes.find((each) => trialsIn(measured, each, way) !== null);
          const trials = measured && mode ? trialsIn(measured, mode, way) : null;
          const judged = trials && judge(trials);
          return trials && judged ? [{ ...trials, ...judged, mode, text: `${judged.text} ${by}` }] : [];
        });
        if (found.length === 0) return null;
        // A mode is named where it changes.
        const texts = found.map(({ text, title, mode }, i) =>
          (i === 0 ? mode === modes[0] : title === found[i - 1].title) ? text : `with ${title}: ${text}`,
        );
        const holding = found.filter(({ holds }) => holds).length;
        const agree = found.length > 1 && (holding === 0 || holding === found.length);
        const rounds = Math.min(...found.map((each) => each.rounds));
        const why =
          found.length === 1 ? 'one way of several, which decides nothing' : 'the ways disagree, and theirs names none';
        return {
          ours: `lost ${texts.join('; ')} (${trialsText(rounds)}${found.length === 1 ? '' : ' each'})`,
          holds: agree ? holding > 0 : null,
          rounds,
          trials: /** @type {const} */ (true),
          evidence: [...new Set(found.flatMap(({ evidence }) => evidence))],
          differs: [nodesDiffer(run), agree ? '' : why].filter(Boolean).join('; '),
        };
      },
    }),
  );
}

/** @typedef {{text: string, holds: boolean}} Judged what one way lost */

/** @param {Trials} trials @returns {Judged} */
function noneLost({ audits }) {
  const [lost, acked] = [sum(audits.map(({ ackedLost }) => ackedLost)), sum(audits.map((each) => each.acked))];
  return { text: `${count(lost)} of ${count(acked)}`, holds: lost === 0 };
}

/** @param {Trials} found @returns {Judged | null} at most max-lag, and a little more; null: the rate is unknown */
function lostLittle(found) {
  const seconds = lostSeconds(found);
  if (seconds.length === 0 || found.maxLagMs === undefined) return null;
  const longest = Math.max(...seconds) * MS_A_SECOND;
  return { text: longest === 0 ? 'nothing' : `up to ${shownMs(longest)}`, holds: longest <= found.maxLagMs + LATE_MS };
}
