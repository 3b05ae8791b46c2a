/**
 * The benchmark `link-shortfall`: what piles up on a slow link, when the replica is disconnected, and what a promotion then loses.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */

import { bytes, count, percent } from '../../src/format.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { ON_A_PATH, paceOf } from './round.js';
import { shortfallCharts, shortfallDetails } from './shortfall-charts.js';
import {
  capOf,
  demandOf,
  growthOf,
  isShort,
  linkTitle,
  RATE,
  SHORTFALL_COLUMNS,
  STACK_SETTINGS,
  shortfallCases,
  total,
  typical,
} from './shortfall-figures.js';
import { measureShortfall } from './shortfall-round.js';

/** A demand within this share of the intended one is right. */
const CLOSE = 0.1;
/** A cap on a busy machine holds within this share. */
const ROUGHLY = 0.3;
/** A lag of fewer seconds of writing is bounded. */
const BOUND_SECONDS = 1;

/** @type {Benchmark} */
export default {
  name: 'link-shortfall',
  question: 'What happens when a replica’s link carries less than replication demands, or is long?',
  method:
    `Writers send ${count(RATE)} writes a second to the primary, each key once. The bytes of stream a write takes are measured before each ` +
    'round. The replica’s link is then capped to a share of that demand, or delayed. A chain is a replica of a replica with the slow link ' +
    'between them. A separate connection sends four writes a second, each with WAIT 1. At the end the link is cut while writes go on, ' +
    'the replica is promoted with what it has, and every acknowledged write is looked for on it. The output buffer limit of replicas is ' +
    'scaled down to be reached within a round (see below).',
  ...ON_A_PATH,
  needs: [...ON_A_PATH.needs, 'logs'],
  stacks: { ...ON_A_PATH.stacks, settings: STACK_SETTINGS },
  measure: measureShortfall,
  pace: paceOf({ quick: [1, 8.5], standard: [5, 9], full: [5, 30] }),
  cases: shortfallCases,
  table: SHORTFALL_COLUMNS,
  charts: shortfallCharts,
  details: shortfallDetails,
  findings: () => [],
  checks: (result) => [everyWriteAcked(result), ...shortfallChecks(result)],
};

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function shortfallChecks({ cases }) {
  const enough = cases.filter(({ params }) => params.linkShare === undefined || params.linkShare > 1);
  const words = { title: linkTitle };
  return [
    checkEach('replication demanded what was intended', cases, otherDemand, words),
    checkEach('on a sufficient link no replica is disconnected and the lag is bounded', enough, notEnough, words),
    checkEach('on a link below demand the lag grows by the difference', cases.filter(isShort), growsOtherwise, words),
    checkEach('the promoted replica was audited for acknowledged writes', cases, notAudited, words),
  ];
}

/**
 * @param {CaseResult} result
 * @returns {string | null}
 */
function otherDemand({ params: { rate = 0, linkShare }, summary, rounds }) {
  const written = summary.throughput.median;
  if (rate === 0 || Math.abs(written / rate - 1) > CLOSE)
    return `${count(written)} writes a second instead of ${count(rate)}${limitedBy(summary)}`;
  const off = rounds.flatMap(({ link }) => {
    if (link?.limitBytesPerSecond === undefined || linkShare === undefined) return [];
    const share = (link.demandBytesPerSecond * linkShare) / link.limitBytesPerSecond;
    return Math.abs(share - 1) > CLOSE
      ? [`the demand was ${percent(share)} of the demand that the cap was computed from`]
      : [];
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
  const times = total(result, (link) => link.disconnects) + total(result, (link) => link.fullResyncs);
  if (times > 0) return `the replica was disconnected or resynced ${count(times)} times${limitedBy(result.summary)}`;
  const [lag, demand] = [typical(result, (link) => link.maxLagBytes), demandOf(result)];
  if (lag === null || demand === null) return 'the lag is not known';
  const seconds = BOUND_SECONDS + (result.params.linkLatencyMs ?? 0) / 1000;
  return lag > demand * seconds ? `it was behind by up to ${bytes(lag)}${limitedBy(result.summary)}` : null;
}

/**
 * A busy machine may fail to shape the link; then the figures of the case are not those of its link.
 *
 * @param {CaseResult} result
 * @returns {string | null}
 */
function growsOtherwise(result) {
  const [growth, demand, cap] = [growthOf(result), demandOf(result), capOf(result)];
  if (growth === null || demand === null || cap === null) return 'the growth is not known';
  if (Math.abs(growth / (demand - cap) - 1) <= ROUGHLY) return null;
  return `by ${bytes(Math.max(0, growth))} a second instead of ${bytes(Math.max(0, demand - cap))}${limitedBy(result.summary)}`;
}

/**
 * @param {CaseResult} result
 * @returns {string | null}
 */
function notAudited({ rounds }) {
  const audited = rounds.filter(({ link }) => (link?.promotion?.acked ?? 0) > 0).length;
  return audited === rounds.length ? null : `in ${count(audited)} of ${count(rounds.length)} rounds`;
}
