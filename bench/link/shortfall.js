/**
 * The benchmark `link-shortfall`: what piles up on a slow link, when the replica is disconnected, and what a promotion then loses.
 *
 * @import { BenchmarkResult, CaseResult, Check, Finding } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */

import { bytes, count, percent, plural } from '../../src/format.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { finding, oneFinding, roundsText } from '../../src/report/findings.js';
import { sum } from '../../src/stats/statistics.js';
import { SECONDS_AN_HOUR } from '../../src/units.js';
import { ON_A_PATH, paceOf } from './round.js';
import { shortfallCharts, shortfallDetails } from './shortfall-charts.js';
import {
  backlogOf,
  capOf,
  DEFAULT_LIMIT,
  demandOf,
  gigabytes,
  grows,
  growthOf,
  isPlain,
  isShort,
  limitAfterSeconds,
  limitText,
  linksOf,
  linkTitle,
  promotionText,
  RATE,
  SHORTFALL_COLUMNS,
  STACK_SETTINGS,
  shortfallCases,
  time,
  timelineOf,
  total,
  typical,
} from './shortfall-figures.js';
import { measureShortfall } from './shortfall-round.js';

/** A replica that keeps up leaves less in its sender's buffer: the block that is being filled, and the next. */
const EMPTY_BUFFER_BYTES = 64 * 1024;
/** INFO's lag counts whole seconds of acknowledgements that come once a second: one second is no delay. */
const NO_DELAY_SECONDS = 1;
/** Redis's default `min-replicas-max-lag`. */
const DEFAULT_MAX_LAG_SECONDS = 10;
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
  findings: shortfallFindings,
  checks: (result) => [everyWriteAcked(result), ...shortfallChecks(result)],
};

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} losses first; the table has the other figures
 */
export function shortfallFindings({ cases }) {
  const short = cases.filter(isShort);
  return [
    promotionFinding(cases),
    growthFinding(short.filter((result) => isPlain(result) && grows(result))),
    ...short.filter(isPlain).map(disconnectFinding),
    lagFinding(short),
    backlogFinding(short),
    bufferFinding(short),
    chainFinding(short),
  ].filter((each) => each !== null);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} the most and the least that a promotion lost
 */
function promotionFinding(cases) {
  const missing = (/** @type {CaseResult} */ result) => typical(result, (link) => link.promotion?.missing) ?? 0;
  const audited = cases.filter((result) => promotionText(result) !== '').sort((a, b) => missing(b) - missing(a));
  const [most] = audited;
  if (!most) return null;
  const least = audited[audited.length - 1];
  const other = least === most ? '' : `; at ${linkTitle(least)} ${promotionText(least)}`;
  const n = roundsText(most.rounds.length);
  return finding(
    'promotion',
    `Promoting the replica loses acknowledged writes: at ${linkTitle(most)} ${promotionText(most)}${other} (${n})`,
    audited,
  );
}

/**
 * @param {readonly CaseResult[]} growing
 * @returns {Finding | null} how fast replicas fall behind, and when Redis's default limit would be reached
 */
function growthFinding(growing) {
  if (growing.length === 0) return null;
  const parts = growing.map((result, i) => {
    const growth = growthOf(result) ?? 0;
    const reached = time(limitAfterSeconds(growth, DEFAULT_LIMIT));
    const first = i === 0;
    return `${gigabytes(growth * SECONDS_AN_HOUR)}${first ? ' an hour' : ''} at ${linkTitle(result)} (${first ? 'default buffer limit ' : ''}after ${reached})`;
  });
  return finding('growth', oneFinding('A replica falls behind by ', parts), growing);
}

/**
 * @param {CaseResult} result
 * @returns {Finding | null}
 */
function disconnectFinding(result) {
  const links = linksOf(result);
  const limits = links[0]?.outputLimit;
  if (!limits) return null;
  const timelines = links.map(timelineOf);
  const lasted = time(sum(timelines.map(({ seconds }) => seconds)));
  const times = total(result, (link) => link.disconnects);
  const start = `At ${linkTitle(result)} the replica was`;
  const limit = `(buffer limit ${limitText(limits)})`;
  if (times === 0)
    return finding(`disconnects-${result.id}`, `${start} not disconnected within ${lasted} ${limit}`, [result]);
  const first = typical(result, (link) => timelineOf(link).disconnectedAfterMs);
  const full = total(result, (link) => link.fullResyncs);
  const finished = Math.min(full, sum(timelines.map((timeline) => timeline.finished)));
  return finding(
    `disconnects-${result.id}`,
    `${start} disconnected ${times === 1 ? 'once' : `${count(times)} times`} in ${lasted}` +
      `${first === null ? '' : `, first after ${time(first / 1000)}`}; ` +
      `${full === 0 ? 'no full resync' : `${count(finished)} of ${plural(full, 'full resync')} completed`} ${limit}`,
    [result],
  );
}

/**
 * @param {readonly CaseResult[]} short
 * @returns {Finding | null} INFO's lag is the age of the last acknowledgement, not of the data
 */
function lagFinding(short) {
  const inInfo = short.flatMap((result) =>
    linksOf(result).flatMap(({ samples = [] }) => samples.flatMap(({ lagSeconds }) => lagSeconds ?? [])),
  );
  const real = short.flatMap((result) => {
    const [lag, demand] = [typical(result, (link) => link.maxLagBytes), demandOf(result)];
    return lag === null || !demand ? [] : [lag / demand];
  });
  if (inInfo.length === 0 || real.length === 0) return null;
  const [most, behind] = [Math.max(...inInfo), Math.max(...real)];
  if (behind <= most + NO_DELAY_SECONDS) return null;
  const judged =
    most > DEFAULT_MAX_LAG_SECONDS ? '' : `, so min-replicas-max-lag ${DEFAULT_MAX_LAG_SECONDS} refused nothing`;
  return finding(
    'lag',
    `INFO’s \`lag\` never exceeded ${most} s while a connected replica was ${time(behind)} of writing behind${judged}`,
    short,
  );
}

/**
 * @param {readonly CaseResult[]} short
 * @returns {Finding | null} what a larger backlog changes
 */
function backlogFinding(short) {
  const large = short.find((result) => !result.params.chain && !isPlain(result));
  const small = short.find((result) => isPlain(result) && result.params.linkShare === large?.params.linkShare);
  if (!large || !small) return null;
  const resyncs = (/** @type {CaseResult} */ result) => {
    const full = total(result, (link) => link.fullResyncs);
    return `${plural(full, 'full resync')}, ${count(total(result, (link) => link.partialResyncs))} partial`;
  };
  const growth = growthOf(large) ?? 0;
  const lasts = growth <= 0 ? '' : `; it lasts ${time(backlogOf(large) / growth)}`;
  return finding(
    'backlog',
    `At ${linkTitle(small)}, a backlog of ${bytes(backlogOf(large))}: ${resyncs(large)}; of ${bytes(backlogOf(small))}: ${resyncs(small)}${lasts}`,
    [small, large],
  );
}

/**
 * @param {readonly CaseResult[]} short
 * @returns {Finding | null} no buffer of Redis shows what sockets and the path hold
 */
function bufferFinding(short) {
  const hidden = short.map((result) => typical(result, hiddenOf)).filter((size) => size !== null);
  if (hidden.length === 0) return null;
  return finding(
    'buffer',
    `The sender’s output buffer was still empty while the replica was ${bytes(Math.max(...hidden))} behind: sockets held it. Compare offsets`,
    short,
  );
}

/** @param {LinkFigures} link */
function hiddenOf({ samples = [] }) {
  const lost = samples.findIndex(({ state }) => state !== 'online');
  const lags = samples
    .slice(0, lost < 0 ? samples.length : lost)
    .flatMap(({ bufferBytes, lagBytes }) =>
      bufferBytes !== null && bufferBytes < EMPTY_BUFFER_BYTES ? (lagBytes ?? []) : [],
    );
  return lags.length === 0 ? null : Math.max(...lags);
}

/**
 * @param {readonly CaseResult[]} short
 * @returns {Finding | null}
 */
function chainFinding(short) {
  const chain = short.find(({ params }) => params.chain);
  const buffer = chain ? typical(chain, (link) => link.maxBufferBytes) : null;
  const lag = chain ? typical(chain, (link) => link.maxLagBytes) : null;
  if (!chain || buffer === null || lag === null) return null;
  const [reached, sent] = [total(chain, (link) => link.waits?.reached), total(chain, (link) => link.waits?.asked)];
  return finding(
    'chain',
    `In a chain the last replica was ${bytes(lag)} behind and the middle one buffered ${bytes(buffer)}; WAIT 1 on the primary ` +
      `reached ${count(reached)} of ${count(sent)}: it counts the middle one`,
    [chain],
  );
}

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
