/**
 * Examines the claims of an article about replication of MySQL, on MariaDB.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, NodeUse, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { Outcome } from './figures.js'
 */
import {
  judge,
  nearFactor,
  nearShare,
  openBecause,
  openIfMachineLimits,
  spanRatio,
  trueOrOpen,
} from '../../src/report/articles.js';
import { count, duration, interval, percent, plural, times } from '../../src/report/format.js';
import { auditsOf } from '../../src/report/trials/figures.js';
import { bootstrapInterval } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import {
  asyncCostClaim,
  cpuOf,
  isInMemory,
  memoryOf,
  notMeasured,
  ONE_STACK,
  replicaDiskClaim,
  replicaShare,
  resourceClaims,
} from '../resources/claims.js';
import { costOfMode } from './cost.js';
import { outcomesOf, phantomsIn } from './figures.js';
import { modeTitle } from './modes.js';

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
/** @param {number} share of two replicas together @returns {Required<Range>} twice the tolerance of one */
function nearTwoShares(share) {
  const { least, most } = nearShare(share / 2);
  return { least: 2 * least, most: 2 * most };
}

/** No slower, within the tolerance of shares. */
const NO_SLOWER = 0.9;
/** The wait point of MySQL since 5.7, and that of MariaDB. */
const SEMI_SYNC = ['after-sync', 'after-commit'];
const DIFFERS =
  'MariaDB instead of MySQL, so another figure decides nothing; one machine, one row a commit, without HTTP application and ProxySQL (theirs: ProxySQL and log-bin with replicas only)';
const IN_MEMORY = 'files in memory';
const RESOURCES = Object.freeze({ benchmark: 'semi-sync-resources', differs: DIFFERS });

/** Two replicas. */
const SEMI_SYNC_MODE = 'after-sync';
/** Of the primary until it goes on without replicas. */
const THEIR_TIMEOUT_MS = '1000';
/** wrk gave up after this, in their runs. */
const TIMEOUT_NS = 1e9;
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
    const longest = [alone, one].map(({ rounds }) =>
      duration(Math.max(...rounds.map(({ latencyNs }) => latencyNs.max))),
    );
    return {
      ours: `rounds with a write of 1 s or longer: ${slow[0]} without a replica, ${slow[1]} with one (longest ${longest.join(' and ')})`,
      holds: slow[1] > slow[0],
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
    claimed: nearFactor((46.34 + 44.87) / 116.76),
    text: (ratio) => `both replicas together use ${interval(ratio, percent)} of the CPU of the primary`,
  }),
  semiSyncNodesClaim('replication.semi-sync-memory', {
    of: memoryOf,
    // Ten points for each of two replicas. A factor would also hold for nodes with as much.
    claimed: nearTwoShares((372.4 + 379.2) / 427.8),
    undecidedBecause: ONE_STACK,
    text: (ratio) => `both replicas together have ${interval(ratio, percent)} of the memory of the primary`,
  }),
  ...resourceClaims(RESOURCES),
  replicaDiskClaim(RESOURCES),
  modesClaim('replication.killed-loss', noneLost, '10 connections (theirs: 50)', { control: 'async' }),
  modesClaim(
    'replication.killed-both',
    noneMissing,
    'counted after the old primary has joined again, when a replica may have caught up, so it decides nothing',
  ),
  modesClaim(
    'replication.at-least-one',
    (outcome) => ({ ...noneLost(outcome), holds: null }),
    'the trials of the kill again, and copies of a write were not counted, so this decides nothing; replicas frozen for longer than the timeout are in semi-sync-replicas-frozen',
  ),
  phantomsClaim('replication.phantoms', 'more rows on the old primary', {
    differs: '10 connections (theirs: 50); trials with AFTER_COMMIT and AFTER_SYNC',
  }),
  phantomsClaim('replication.trim', 'rows on the old primary that the new one lacks', {
    differs:
      'before the harness rebuilds the old one; what becomes of them when it follows was not tried, so this decides nothing',
    decides: false,
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
      return alone && one ? trueUnlessLimited(examine(alone, one), [alone, one]) : null;
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
      return trueUnlessLimited(judge(spanRatio(of(one), of(alone)), claimed, { ...shown, cases }), cases);
    },
  });
}

/**
 * @param {Examined | null} found
 * @param {readonly CaseResult[]} cases
 */
function trueUnlessLimited(found, cases) {
  const inMemory = cases.some(isInMemory) ? IN_MEMORY : '';
  return openIfMachineLimits(
    found && {
      ...found,
      holds: trueOrOpen(found.holds),
      differs: [found.differs, inMemory].filter(Boolean).join('; '),
    },
    cases,
  );
}

/**
 * @param {ClaimId} id
 * @param {{of: (round: RoundResult, role: NodeUse['role']) => number | null, claimed: Range, text: (ratio: IntervalValue) => string,
 *   undecidedBecause?: string}} what undecidedBecause: default: a figure within the bounds decides
 */
function semiSyncNodesClaim(id, { of, claimed, text, undecidedBecause }) {
  return {
    ...examination(id, {
      ...RESOURCES,
      differs: `${DIFFERS}; AFTER_SYNC (theirs: not stated)`,
      examine(benchmark) {
        const one = written(benchmark, SEMI_SYNC_MODE, 2);
        if (!one) return null;
        const found = judge(replicaShare(one, of), claimed, {
          text,
          unit: percent,
          cases: [one],
          differs: timeoutText([one]),
        });
        if (!found) return notMeasured(RESOURCES.benchmark, one);
        if (undecidedBecause !== undefined) return openBecause(found, undecidedBecause);
        return { ...found, holds: trueOrOpen(found.holds) };
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
 * What every mode of semi-sync kept. Modes are no repetitions of each other, so the fewest trials of a mode count.
 *
 * @param {ClaimId} id
 * @param {(outcome: Outcome) => {text: string, holds: boolean | null}} judgeMode
 * @param {string} [differs]
 * @param {{control?: string}} [how] control: a mode that must lose in every trial of the same failure, else it shows nothing; default: none. One lost write
 *   in one trial is a matter of luck
 */
function modesClaim(id, judgeMode, differs, { control } = {}) {
  return killedClaim(id, differs, (outcomes, result) => {
    const controls = outcomesOf(result).filter(({ one }) => one.params.mode === control);
    const shows = control === undefined || controls.some(({ loss }) => loss.losing === loss.trials);
    const textOf = (/** @type {Outcome} */ outcome) => `${modeTitle(outcome.one.params)}: ${judgeMode(outcome).text}`;
    return {
      ours: [...outcomes, ...controls].map(textOf).join('; '),
      holds: shows ? trueOrOpen(outcomes.every((outcome) => judgeMode(outcome).holds)) : null,
      rounds: Math.min(...outcomes.map(({ loss }) => loss.trials)),
      differs: [
        timeoutText(outcomes.map(({ one }) => one)),
        shows
          ? ''
          : `${control} did not lose in every trial, so this kill cannot show what semi-sync saves, and decides nothing`,
      ]
        .filter(Boolean)
        .join('; '),
    };
  });
}

/** @param {readonly CaseResult[]} cases @returns {string} how the timeout of semi-sync differs from theirs; empty: it does not */
function timeoutText(cases) {
  const timeouts = cases.map(({ params }) => params.settings?.rpl_semi_sync_master_timeout ?? '');
  return timeouts.every((each) => each === THEIR_TIMEOUT_MS)
    ? ''
    : `timeout of ${timeouts.join(' and ')} ms (theirs: 1 s)`;
}

/**
 * Writes that only the old primary has. It takes a write in the instant of the kill, so none in a few trials decides nothing.
 *
 * @param {ClaimId} id
 * @param {string} what
 * @param {{differs?: string, decides?: boolean}} [how] decides: default: one such write shows that it happens
 */
function phantomsClaim(id, what, { differs, decides = true } = {}) {
  return killedClaim(id, differs, (outcomes, result) => {
    const audits = outcomes.flatMap(({ one }) => auditsOf(result, one));
    const withPhantoms = audits.filter((audit) => phantomsIn([audit]) > 0).length;
    return {
      ours: `${count(phantomsIn(audits))} ${what}, in ${withPhantoms} of ${plural(audits.length, 'trial')}`,
      holds: withPhantoms > 0 && decides ? true : null,
      rounds: audits.length,
      observed: /** @type {const} */ (true),
    };
  });
}

/**
 * @param {ClaimId} id
 * @param {string | undefined} differs
 * @param {(outcomes: Outcome[], result: BenchmarkResult) => Pick<Examined, 'ours' | 'holds' | 'rounds' | 'observed' | 'differs'>} examine
 *   outcomes: of the modes with semi-sync, at least one
 */
function killedClaim(id, differs, examine) {
  return examination(id, {
    benchmark: 'semi-sync-killed',
    differs: [`${DIFFERS}; SIGKILL; two healthy replicas, as in the article`, differs].filter(Boolean).join('; '),
    /** @param {BenchmarkResult} result */
    examine(result) {
      const outcomes = outcomesOf(result).filter(({ one }) => SEMI_SYNC.includes(one.params.mode ?? ''));
      if (outcomes.length === 0) return null;
      return {
        ...examine(outcomes, result),
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

/** @param {Outcome} outcome */
function noneLost({ loss: { lost, acked, trials } }) {
  return { text: `lost ${count(lost)} of ${count(acked)} (${plural(trials, 'trial')})`, holds: lost === 0 };
}

/** @param {Outcome} outcome */
function noneMissing({ missing, loss: { trials } }) {
  return { text: `${count(missing)} rows missing on a node (${plural(trials, 'trial')})`, holds: null };
}
