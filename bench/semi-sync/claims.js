/**
 * Examines the claims of an article about replication of MySQL, on MariaDB.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { Outcome } from './figures.js'
 */
import { judge, nearFactor, nearShare, spanRatio } from '../../src/report/articles.js';
import { costOf } from '../../src/report/columns.js';
import { count, interval, percent, plural, times } from '../../src/report/format.js';
import { sum } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import { replicaDiskClaim, resourceClaims } from '../resources/claims.js';
import { costOfMode } from './cost.js';
import { outcomesOf } from './figures.js';

const ARTICLE_CONNECTIONS = 50;
/** No slower, within the tolerance of shares. */
const NO_SLOWER = 0.9;
/** The wait point of MySQL since 5.7, and that of MariaDB. */
const SEMI_SYNC = ['after-sync', 'after-commit'];
const DIFFERS = 'MariaDB on one machine, one row a commit, without an HTTP application';
const RESOURCES = Object.freeze({ benchmark: 'semi-sync-resources', differs: DIFFERS });

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  costClaim('replication.async-cost', 'async', {
    value: ({ summary }) => summary.throughput,
    claimed: nearShare(319.54 / 403.31),
    text: (ratio) => `a cost of ${interval(costOf(ratio), percent)}`,
  }),
  costClaim('replication.async-p50', 'async', {
    value: ({ summary }) => summary.p50Ns,
    claimed: nearFactor(142.12 / 101.52),
    text: (ratio) => interval(ratio, times),
  }),
  costClaim('replication.semi-sync-cost', 'after-sync', {
    value: ({ summary }) => summary.throughput,
    claimed: { least: NO_SLOWER },
    text: (ratio) => `AFTER_SYNC reaches ${interval(ratio, percent)} of the throughput without replicas`,
  }),
  ...resourceClaims(RESOURCES),
  replicaDiskClaim(RESOURCES),
  trialClaim('replication.killed-loss', { benchmark: 'semi-sync-killed', differs: DIFFERS, judge: noneLost }),
  trialClaim('replication.killed-both', {
    benchmark: 'semi-sync-killed',
    differs: `${DIFFERS}; counted after the old primary has joined again`,
    judge(outcomes, trials) {
      const missing = sum(outcomes.map((each) => each.missing));
      return { ours: `${count(missing)} rows missing on a node (${trials})`, holds: missing === 0 };
    },
  }),
  trialClaim('replication.at-least-one', {
    benchmark: 'semi-sync-replicas-frozen',
    differs: `${DIFFERS}; both replicas frozen for longer than the timeout, which the article did not test`,
    judge: noneLost,
  }),
  trialClaim('replication.phantoms', {
    benchmark: 'semi-sync-killed',
    differs: DIFFERS,
    judge(outcomes, trials) {
      const phantoms = sum(outcomes.map((each) => each.phantoms));
      return { ours: `${count(phantoms)} more rows on the old primary (${trials})`, holds: phantoms > 0 };
    },
  }),
]);

/**
 * @param {ClaimId} id
 * @param {string} mode compared with no replica, on a stack of its own
 * @param {{value: (one: CaseResult) => IntervalValue, claimed: Range, text: (ratio: IntervalValue) => string}} what
 */
function costClaim(id, mode, { value, claimed, text }) {
  return examination(id, {
    benchmark: 'semi-sync-cost',
    differs: `${DIFFERS}; two replicas`,
    examine(benchmark) {
      const [alone, one] = ['none', mode].map((each) => costOfMode(benchmark, each, ARTICLE_CONNECTIONS));
      return alone && one ? judge(spanRatio(value(one), value(alone)), claimed, { text, cases: [alone, one] }) : null;
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{benchmark: string, differs: string, judge: (outcomes: Outcome[], trials: string) => Pick<Examined, 'ours' | 'holds'>}} what
 *   judge: of the trials with semi-sync
 */
function trialClaim(id, { benchmark, differs, judge: judged }) {
  return examination(id, {
    benchmark,
    differs,
    /** @param {BenchmarkResult} result */
    examine(result) {
      const outcomes = outcomesOf(result).filter(({ one }) => SEMI_SYNC.includes(one.params.mode ?? ''));
      if (outcomes.length === 0) return null;
      const trials = sum(outcomes.map(({ loss }) => loss.trials));
      return {
        ...judged(outcomes, plural(trials, 'trial')),
        rounds: trials,
        evidence: outcomes.map(({ one }) => one.id),
      };
    },
  });
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {string} trials
 */
function noneLost(outcomes, trials) {
  const lost = sum(outcomes.map(({ loss }) => loss.lost));
  const acked = sum(outcomes.map(({ loss }) => loss.acked));
  return { ours: `lost ${count(lost)} of ${count(acked)} (${trials})`, holds: lost === 0 };
}
