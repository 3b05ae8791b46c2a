/**
 * Examines the claims of an article about replication of MySQL, on MariaDB.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, NodeUse, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { Outcome } from './figures.js'
 */
import { judge, nearFactor, openIfMachineLimits, spanRatio, trueOrOpen } from '../../src/report/articles.js';
import { count, duration, interval, percent, plural, times } from '../../src/report/format.js';
import { bootstrapInterval, sum } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import {
  asyncCostClaim,
  cpuOf,
  memoryOf,
  notMeasured,
  replicaDiskClaim,
  replicaShare,
  resourceClaims,
} from '../resources/claims.js';
import { costOfMode } from './cost.js';
import { outcomesOf } from './figures.js';

const ARTICLE_CONNECTIONS = 50;
/**
 * Their latencies of writes with a replica, as factors of those without.
 *
 * @type {readonly {id: ClaimId, percentile: string, of: (one: CaseResult) => IntervalValue, theirs: number}[]}
 */
const LATENCIES = [
  {
    id: 'replication.async-p50',
    percentile: 'the median',
    of: ({ summary }) => summary.p50Ns,
    theirs: 142.12 / 101.52,
  },
  { id: 'replication.async-p90', percentile: 'p90', of: p90Of, theirs: 210.77 / 227.78 },
  { id: 'replication.async-p99', percentile: 'p99', of: ({ summary }) => summary.p99Ns, theirs: 287.49 / 379.77 },
];
/** The same with semi-sync, two replicas and a killed primary. @type {typeof LATENCIES} */
const SEMI_SYNC_LATENCIES = [
  {
    id: 'replication.semi-sync-p50',
    percentile: 'the median',
    of: ({ summary }) => summary.p50Ns,
    theirs: 94.94 / 101.52,
  },
  { id: 'replication.semi-sync-p99', percentile: 'p99', of: ({ summary }) => summary.p99Ns, theirs: 346.3 / 379.77 },
];
/** No slower, within the tolerance of shares. */
const NO_SLOWER = 0.9;
/** The wait point of MySQL since 5.7, and that of MariaDB. */
const SEMI_SYNC = ['after-sync', 'after-commit'];
const DIFFERS = 'MariaDB on one machine, one row a commit, without an HTTP application';
const RESOURCES = Object.freeze({ benchmark: 'semi-sync-resources', differs: DIFFERS });

/** Two replicas. */
const SEMI_SYNC_MODE = 'after-sync';
/** wrk gave up after this, in their runs. */
const TIMEOUT_NS = 1e9;
/** Their writes without replication, and with it. */
const THEIR_WRITES = Object.freeze({ alone: 121_030, async: 95_890 });

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  asyncCostClaim(RESOURCES),
  ...LATENCIES.map(({ id, of, theirs, percentile }) =>
    writesClaim(id, ['async', 1], (alone, one) =>
      judge(spanRatio(of(one), of(alone)), nearFactor(theirs), {
        text: (ratio) => `${interval(ratio, times)} in ${percentile}`,
        unit: times,
        cases: [alone, one],
      }),
    ),
  ),
  writesClaim('replication.timeouts', ['async', 1], (alone, one) => {
    const slow = [alone, one].map(({ rounds }) => rounds.filter(({ latencyNs }) => latencyNs.max >= TIMEOUT_NS).length);
    const fewer = [alone, one].some(({ summary }, i) => summary.samples < [THEIR_WRITES.alone, THEIR_WRITES.async][i]);
    const longest = [alone, one].map(({ rounds }) =>
      duration(Math.max(...rounds.map(({ latencyNs }) => latencyNs.max))),
    );
    return {
      ours: `rounds with a write of 1 s or longer: ${slow[0]} without a replica, ${slow[1]} with one (longest ${longest.join(' and ')})`,
      // More slow rounds support it; as few as without a replica decide nothing where fewer writes were sent than in theirs.
      holds: slow[1] > slow[0] ? true : fewer ? null : false,
      rounds: Math.min(alone.rounds.length, one.rounds.length),
      evidence: [alone.id, one.id],
      differs: 'rounds are counted, not timeouts',
    };
  }),
  semiSyncClaim('replication.semi-sync-cost', {
    of: ({ summary }) => summary.throughput,
    claimed: { least: NO_SLOWER },
    unit: percent,
    text: (ratio) => `AFTER_SYNC reaches ${interval(ratio, percent)} of the throughput without replicas`,
  }),
  ...SEMI_SYNC_LATENCIES.map(({ id, of, theirs, percentile }) =>
    semiSyncClaim(id, {
      of,
      claimed: nearFactor(theirs),
      unit: times,
      text: (ratio) => `${interval(ratio, times)} in ${percentile}`,
    }),
  ),
  semiSyncNodesClaim('replication.semi-sync-cpu', {
    of: cpuOf,
    // Two replicas together.
    theirs: (46.34 + 44.87) / 116.76,
    text: (ratio) => `both replicas together use ${interval(ratio, percent)} of the CPU of the primary`,
  }),
  semiSyncNodesClaim('replication.semi-sync-memory', {
    of: memoryOf,
    theirs: (372.4 + 379.2) / 427.8,
    text: (ratio) => `both replicas together have ${interval(ratio, percent)} of the memory of the primary`,
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
    benchmark: 'semi-sync-killed',
    differs: `${DIFFERS}; healthy replicas, as in the article. Replicas frozen for longer than the timeout are in semi-sync-replicas-frozen`,
    judge: noneLost,
  }),
  trialClaim('replication.phantoms', {
    benchmark: 'semi-sync-killed',
    differs: DIFFERS,
    judge(outcomes, trials) {
      const phantoms = sum(outcomes.map((each) => each.phantoms));
      // It takes a write in the instant of the kill, so none in a few trials decides nothing.
      return { ours: `${count(phantoms)} more rows on the old primary (${trials})`, holds: trueOrOpen(phantoms > 0) };
    },
  }),
  trialClaim('replication.trim', {
    benchmark: 'semi-sync-killed',
    differs: `${DIFFERS}; judged by rows that the new primary lacks, before the harness rebuilds the old one`,
    judge(outcomes, trials) {
      const phantoms = sum(outcomes.map((each) => each.phantoms));
      return {
        ours: `${count(phantoms)} rows on the old primary that the new one lacks (${trials})`,
        holds: trueOrOpen(phantoms > 0),
      };
    },
  }),
]);

/**
 * @param {ClaimId} id
 * @param {[mode: string, replicas: number]} replicated
 * @param {(alone: CaseResult, one: CaseResult) => Examined | null} examine writing without replicas and with them
 */
function writesClaim(id, [mode, replicas], examine) {
  return examination(id, {
    ...RESOURCES,
    examine(benchmark) {
      const [alone, one] = [written(benchmark, 'async', 0), written(benchmark, mode, replicas)];
      return alone && one ? openIfMachineLimits(examine(alone, one), [alone, one]) : null;
    },
  });
}

/**
 * Writing with semi-sync and two replicas against writing without replicas, on stacks of their own.
 *
 * @param {ClaimId} id
 * @param {{of: (one: CaseResult) => IntervalValue, claimed: Range, unit: (value: number) => string,
 *   text: (ratio: IntervalValue) => string}} what
 */
function semiSyncClaim(id, { of, claimed, ...shown }) {
  return examination(id, {
    benchmark: 'semi-sync-cost',
    differs: `${DIFFERS}; two replicas, none of which is killed`,
    examine(benchmark) {
      const [alone, one] = ['none', SEMI_SYNC_MODE].map((each) => costOfMode(benchmark, each, ARTICLE_CONNECTIONS));
      if (!alone || !one) return null;
      const cases = [alone, one];
      return openIfMachineLimits(judge(spanRatio(of(one), of(alone)), claimed, { ...shown, cases }), cases);
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {{of: (round: RoundResult, role: NodeUse['role']) => number | null, theirs: number, text: (ratio: IntervalValue) => string}} what
 */
function semiSyncNodesClaim(id, { of, theirs, text }) {
  return {
    ...examination(id, {
      ...RESOURCES,
      examine(benchmark) {
        const one = written(benchmark, SEMI_SYNC_MODE, 2);
        if (!one) return null;
        return (
          judge(replicaShare(one, of), nearFactor(theirs), { text, unit: percent, cases: [one] }) ??
          notMeasured(RESOURCES.benchmark, one)
        );
      },
    }),
    needsNodes: /** @type {const} */ (true),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {string} mode
 * @param {number} replicas
 * @returns {CaseResult | undefined}
 */
function written({ cases }, mode, replicas) {
  return cases.find(
    ({ params, rounds }) =>
      params.operation === 'set' && params.mode === mode && params.replicas === replicas && rounds.length > 0,
  );
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
        trials: /** @type {const} */ (true),
        evidence: outcomes.map(({ one }) => one.id),
      };
    },
  });
}

/** @param {CaseResult} one @returns {IntervalValue} nanoseconds, over rounds */
function p90Of({ rounds }) {
  return bootstrapInterval(rounds.map(({ latencyNs }) => latencyNs.p90));
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
