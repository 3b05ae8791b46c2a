/**
 * What the benchmark `link-shortfall` claims of its own rounds, and what can fail.
 */
import { bytes, count, percent } from './format.js';
import { linkTitle } from './link-shortfall-columns.js';
import { isShort, total, typical } from './link-shortfall-figures.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Check} Check
 */

/** Of what was meant. */
const CLOSE = 0.1;
/** Of what a busy machine makes of a cap over seconds. */
const ROUGHLY = 0.3;
/** A lag of so many seconds of writing is bounded; a shortfall has passed it soon. */
const BOUND_SECONDS = 1;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function shortfallChecks({ cases }) {
  const enough = cases.filter(({ params }) => params.linkShare === undefined || params.linkShare > 1);
  const short = cases.filter(isShort);
  return [
    check('replication demanded what was meant', cases, otherDemand),
    check('a link that carries more than is demanded cuts nobody off, and the lag is bounded', enough, notEnough),
    check('on a link that carries less the lag grows by what it lacks', short, growsOtherwise),
    check('acknowledged writes were looked for on the promoted replica', cases, notLookedFor),
  ];
}

/**
 * @param {string} name
 * @param {readonly CaseResult[]} cases
 * @param {(result: CaseResult) => string | null} wrong null: nothing
 * @returns {Check}
 */
function check(name, cases, wrong) {
  const failed = cases.flatMap((result) => {
    const what = wrong(result);
    return what === null ? [] : [`${linkTitle(result)}: ${what}`];
  });
  const ok = cases.length > 0 && failed.length === 0;
  const well = cases.length === 0 ? 'nothing of the kind was measured' : `${count(cases.length)} cases`;
  return { name, ok, detail: failed.length > 0 ? failed.join('; ') : well };
}

/**
 * @param {CaseResult} result
 * @returns {string | null}
 */
function otherDemand({ params, summary, rounds }) {
  const written = summary.throughput.median;
  if (params.rate === undefined || Math.abs(written / params.rate - 1) > CLOSE) {
    return `${count(written)} writes a second instead of ${count(params.rate ?? 0)}${limitedBy(summary)}`;
  }
  const off = rounds.flatMap(({ link }) => {
    if (link?.limitBytesPerSecond === undefined || params.linkShare === undefined) return [];
    const share = (link.demandBytesPerSecond * params.linkShare) / link.limitBytesPerSecond - 1;
    return Math.abs(share) > CLOSE ? [`the demand was ${percent(1 + share)} of what the cap is a share of`] : [];
  });
  return off[0] ?? null;
}

/** @param {CaseResult['summary']} summary */
function limitedBy({ limitedBy: by }) {
  return by === 'nothing' ? '' : ` (limited by: ${by})`;
}

/**
 * @param {CaseResult} result
 * @returns {string | null}
 */
function notEnough(result) {
  const cuts = total(result, (link) => link.disconnects) + total(result, (link) => link.fullResyncs);
  if (cuts > 0) return `the replica was cut off or resynced ${count(cuts)} times${limitedBy(result.summary)}`;
  const lag = typical(result, (link) => link.maxLagBytes);
  const demand = typical(result, (link) => link.demandBytesPerSecond);
  if (lag === null || demand === null) return 'the lag is not known';
  const seconds = BOUND_SECONDS + (result.params.linkLatencyMs ?? 0) / 1000;
  return lag > demand * seconds ? `it was behind by up to ${bytes(lag)}${limitedBy(result.summary)}` : null;
}

/**
 * What shapes a link can fail to, on a machine that has no time for it; then no figure of the case is that of its link.
 *
 * @param {CaseResult} result
 * @returns {string | null}
 */
function growsOtherwise(result) {
  const growth = typical(result, (link) => link.growthBytesPerSecond);
  const demand = typical(result, (link) => link.demandBytesPerSecond);
  const cap = typical(result, (link) => link.limitBytesPerSecond);
  if (growth === null || demand === null || cap === null) return 'how fast is not known';
  if (Math.abs(growth / (demand - cap) - 1) <= ROUGHLY) return null;
  return `by ${bytes(Math.max(0, growth))} a second instead of ${bytes(Math.max(0, demand - cap))}${limitedBy(result.summary)}`;
}

/**
 * Nothing is missing on the primary itself: that would be an error of the round, and fail another check.
 *
 * @param {CaseResult} result
 * @returns {string | null}
 */
function notLookedFor({ rounds }) {
  const audited = rounds.filter(({ link }) => (link?.promotion?.acked ?? 0) > 0).length;
  return audited === rounds.length ? null : `in ${count(audited)} of ${count(rounds.length)} rounds`;
}
