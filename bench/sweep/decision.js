/**
 * The configuration sweep as rows to decide by: each configuration, what it costs when all is well and what it saves when
 * things break.
 */
import { notAckedShare, p99, p99Interval, TOO_FEW } from './columns.js';
import { pauseOf } from './decision-pause.js';
import { failoversOf } from './failure-steps.js';
import { OWN_WRITERS, ownAudits, trialsOf, unavailableOf } from './failure-totals.js';
import { levelTitle } from './failure-words.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CaseParams} CaseParams
 * @typedef {import('./schema.js').IntervalValue} IntervalValue
 * @typedef {import('./failure-schema.js').AuditResult} AuditResult
 * @typedef {import('./decision-pause.js').Pause} Pause
 * @typedef {1 | 100} Batch
 * @typedef {'kill' | 'cut'} Failure
 * @typedef {'one-replica-down' | 'both-replicas-down'} Survival
 *
 * @typedef {Object} Healthy
 * @property {string} case
 * @property {number} rounds
 * @property {IntervalValue} throughput acked writes a second
 * @property {IntervalValue | null} relative to async at the same batch; of async itself 1; null: there is no ratio
 * @property {IntervalValue | null} p99Ns of all rounds together; null: too few values lie beyond it
 * @property {number} notAcked share of the writes, 0 … 1
 * @property {CaseResult['summary']['limitedBy']} limitedBy
 *
 * @typedef {Object} Loss of each trial the writer that fared worst, `stays` or `follows`
 * @property {number} trials
 * @property {TrialLoss[]} each trial in which anything was acked, at least one
 * @property {number} lost sum of the trials
 * @property {number} acked sum of the trials
 * @property {import('./failure-totals.js').Unavailable} unavailable over the trials
 *
 * @typedef {Object} TrialLoss
 * @property {number} lost acknowledged writes that are gone
 * @property {number} acked by the same writer
 * @property {number} share 0 … 1, the greater of the writers’
 *
 * @typedef {Object} DecisionRow one configuration. null: not measured
 * @property {string} id
 * @property {string} title such as `WAIT 1 + min-replicas 1`
 * @property {string} level
 * @property {string | null} note what is different from the level of this name: `awaited`, or a variant
 * @property {CaseParams} params of one of its cases: what is set, and what the client does
 * @property {Readonly<Record<Batch, Healthy | null>>} healthy by writes a batch
 * @property {Readonly<Record<Failure, Loss | null>>} lost
 * @property {Readonly<Record<Survival, Pause | null>>} down
 */

export const HEALTHY = 'sweep-healthy';
/** @type {Readonly<Record<Failure, string>>} */
export const LOSING = Object.freeze({ kill: 'sweep-killed', cut: 'sweep-cut' });
/** @type {Readonly<Record<Survival, string>>} */
export const PAUSING = Object.freeze({
  'one-replica-down': 'sweep-one-replica-paused',
  'both-replicas-down': 'sweep-both-replicas-paused',
});
export const SWEEP = Object.freeze([HEALTHY, ...Object.values(LOSING), ...Object.values(PAUSING)]);
/** @type {readonly Batch[]} */
export const BATCHES = Object.freeze([1, 100]);

const BASELINE = 'async';
const DOWN_AFTER = 'down-after';
const ITSELF = Object.freeze({ median: 1, low: 1, high: 1 });

/**
 * @param {Result} result
 * @returns {DecisionRow[]} async first, then the cheapest at batch 1 first; what has no throughput in the order of the cases
 */
export function decisionRows({ benchmarks }) {
  const sweep = benchmarks.filter(({ name }) => SWEEP.includes(name));
  /** @type {Map<string, CaseResult[]>} */
  const groups = new Map();
  for (const one of sweep.flatMap(({ cases }) => cases)) {
    if (one.params.level === undefined) continue;
    const id = [one.params.level, noteOf(one.params)].filter((part) => part !== null).join(', ');
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  const named = (/** @type {string} */ name) => benchmarks.find((benchmark) => benchmark.name === name);
  const rows = [...groups].map(([id, cases]) => rowOf(id, cases, named));
  const isBaseline = (/** @type {DecisionRow} */ { id }) => Number(id === BASELINE);
  return rows.sort((a, b) => isBaseline(b) - isBaseline(a) || cheaperFirst(1)(a, b));
}

/**
 * For sorting. What paired rounds say of two configurations weighs more than what each reached: a slow minute that hits a pair
 * hits both of it.
 *
 * @param {Batch} batch
 * @returns {(a: DecisionRow, b: DecisionRow) => number} by throughput relative to async, then by throughput, the highest first; what
 *   has none comes last
 */
export function cheaperFirst(batch) {
  const ratio = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.relative?.median ?? -1;
  const throughput = (/** @type {DecisionRow} */ { healthy }) => healthy[batch]?.throughput.median ?? -1;
  return (a, b) => ratio(b) - ratio(a) || throughput(b) - throughput(a);
}

/**
 * @param {CaseParams} params
 * @returns {string | null}
 */
function noteOf({ habit, wait, waitLocal, variant, writers, downAfterMs }) {
  if (variant !== undefined)
    return variant.startsWith(DOWN_AFTER) && downAfterMs !== undefined
      ? `${DOWN_AFTER} ${downAfterMs / 1000} s`
      : variant;
  const waits = wait > 0 || waitLocal !== undefined;
  return waits && habit === 'awaited' && writers === undefined ? 'awaited' : null;
}

/**
 * @param {string} id
 * @param {CaseResult[]} cases at least one
 * @param {(name: string) => BenchmarkResult | undefined} named
 * @returns {DecisionRow}
 */
function rowOf(id, cases, named) {
  const [{ params }] = cases;
  const own = (/** @type {string} */ name) => {
    const benchmark = named(name);
    // A library's Sentinel client is another question.
    const one = benchmark?.cases.find((each) => cases.includes(each) && ownAudits(benchmark, each).length > 0);
    return benchmark && one ? { benchmark, one } : null;
  };
  const healthyCases = (named(HEALTHY)?.cases ?? []).filter((one) => cases.includes(one));
  const lossOf = (/** @type {Failure} */ failure) => {
    const found = own(LOSING[failure]);
    return found && lossIn(ownAudits(failoversOf(found.benchmark), found.one));
  };
  const pauseIn = (/** @type {Survival} */ survival) => {
    const found = own(PAUSING[survival]);
    return found && pauseOf(trialsOf(found.benchmark, found.one), OWN_WRITERS);
  };
  const note = noteOf(params);
  return {
    id,
    title: note === null ? levelTitle(params) : `${levelTitle(params)}, ${note}`,
    level: /** @type {string} */ (params.level),
    note,
    params,
    healthy: { 1: healthyAt(1, healthyCases, id), 100: healthyAt(100, healthyCases, id) },
    lost: { kill: lossOf('kill'), cut: lossOf('cut') },
    down: {
      'one-replica-down': pauseIn('one-replica-down'),
      'both-replicas-down': pauseIn('both-replicas-down'),
    },
  };
}

/**
 * @param {Batch} batch
 * @param {readonly CaseResult[]} cases
 * @param {string} id of the row
 * @returns {Healthy | null}
 */
function healthyAt(batch, cases, id) {
  // With several numbers of connections the fewest: more of them hide what each waits.
  const [one] = cases
    .filter(({ params, rounds }) => params.pipeline === batch && rounds.length > 0)
    .sort((a, b) => a.params.connections - b.params.connections);
  if (!one) return null;
  const { summary, rounds } = one;
  return {
    case: one.id,
    rounds: rounds.length,
    throughput: summary.throughput,
    relative: summary.relativeToBaseline?.throughput ?? (id === BASELINE ? ITSELF : null),
    p99Ns: p99.cell(one) === TOO_FEW ? null : p99Interval(summary),
    notAcked: notAckedShare(one),
    limitedBy: summary.limitedBy,
  };
}

/**
 * @param {readonly AuditResult[]} audits of one case
 * @returns {Loss | null}
 */
function lossIn(audits) {
  const rounds = [...new Set(audits.map(({ round }) => round))];
  const perRound = rounds.map((round) => audits.filter((audit) => audit.round === round));
  // Of nothing acknowledged nothing can be lost: that says nothing about losses.
  const each = perRound.flatMap((writers) => lossOfTrial(writers.filter(({ acked }) => acked > 0)) ?? []);
  if (each.length === 0) return null;
  const longest = perRound.map((writers) =>
    worst(writers, ({ unavailableMs }) => unavailableMs ?? Number.POSITIVE_INFINITY),
  );
  return {
    trials: rounds.length,
    each,
    lost: each.reduce((sum, { lost }) => sum + lost, 0),
    acked: each.reduce((sum, { acked }) => sum + acked, 0),
    unavailable: unavailableOf(longest),
  };
}

/**
 * @param {readonly AuditResult[]} writers that had something acknowledged
 * @returns {TrialLoss | null}
 */
function lossOfTrial(writers) {
  if (writers.length === 0) return null;
  // Of writers that lost as much (nothing, say) the one that had less to lose: `0 of N` is to promise no more than it can.
  const [{ ackedLost, acked }] = [...writers].sort((a, b) => b.ackedLost - a.ackedLost || a.acked - b.acked);
  return { lost: ackedLost, acked, share: Math.max(...writers.map((audit) => audit.ackedLost / audit.acked)) };
}

/**
 * @param {readonly AuditResult[]} audits at least one
 * @param {(audit: AuditResult) => number} badness
 * @returns {AuditResult}
 */
function worst(audits, badness) {
  return audits.reduce((most, each) => (badness(each) > badness(most) ? each : most));
}
