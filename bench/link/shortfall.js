/**
 * The benchmark `link-shortfall`: what piles up, when the replica is cut off, and what a promotion then loses.
 *
 * @import { BenchmarkResult, CaseResult, Check, Finding, LinkFigures } from '../../src/result/schema.js'
 * @import { Benchmark, Pace, Profile } from '../../src/run/types.js'
 */
import { roundsText } from '../../src/report/findings.js';
import { bitRate, bytes, count, duration, percent, plural } from '../../src/report/format.js';
import { checkEach, everyWriteAcked } from '../../src/run/checks.js';
import { ON_A_PATH } from './round.js';
import { RATE, STACK_SETTINGS, shortfallCases } from './shortfall-case.js';
import { shortfallCharts, shortfallDetails } from './shortfall-charts.js';
import {
  backlogOf,
  DEFAULT_LIMIT,
  gigabytes,
  grows,
  isPlain,
  isShort,
  limitAfterSeconds,
  limitText,
  linksOf,
  linkTitle,
  promotionText,
  SECONDS_AN_HOUR,
  SHORTFALL_COLUMNS,
  time,
  timelineOf,
  total,
  typical,
} from './shortfall-figures.js';
import { measureShortfall } from './shortfall-round.js';

/** @type {Record<Profile['name'], Pace>} */
const PACES = {
  quick: { rounds: 1, seconds: 8.5, warmUpSeconds: 0 },
  standard: { rounds: 3, seconds: 15, warmUpSeconds: 0 },
  full: { rounds: 5, seconds: 30, warmUpSeconds: 0 },
};

/** A replica that keeps up has less in its sender's buffer: one block that is being filled, and the next. */
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

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} losses first
 */
export function shortfallFindings({ cases }) {
  const short = cases.filter((result) => isShort(result) && isPlain(result));
  return [
    promotionFinding(cases),
    ...short.map(growthFinding),
    ...short.map(cutFinding),
    lagFinding(cases),
    waitFinding(cases),
    ...backlogFindings(cases),
    defaultFinding(short),
    chainFinding(cases),
    hiddenFinding(cases),
  ].filter((finding) => finding !== null);
}

/** @param {readonly CaseResult[]} results */
const idsOf = (results) => results.map(({ id }) => id);

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} the most and the least that a promotion lost
 */
function promotionFinding(cases) {
  const audited = cases.filter((result) => promotionText(result) !== '').sort((a, b) => missingOf(b) - missingOf(a));
  const [most] = audited;
  if (!most) return null;
  const least = audited[audited.length - 1];
  const n = roundsText(most.rounds.length);
  const other = least === most ? '' : `; at ${linkTitle(least)} ${promotionText(least)}`;
  return {
    text: `Promoting the replica loses acknowledged writes: at ${linkTitle(most)} ${promotionText(most)}${other} (${n})`,
    evidence: idsOf(audited),
  };
}

/** @param {CaseResult} result */
function missingOf(result) {
  return typical(result, (link) => link.promotion?.missing) ?? 0;
}

/**
 * @param {CaseResult} result
 * @returns {Finding | null}
 */
function growthFinding(result) {
  const growth = typical(result, (link) => link.growthBytesPerSecond);
  const demand = typical(result, (link) => link.demandBytesPerSecond);
  const limit = typical(result, (link) => link.limitBytesPerSecond);
  if (growth === null || demand === null || limit === null || !grows(result)) return null;
  return {
    text:
      `At ${linkTitle(result)} (${bitRate(limit)} of ${bitRate(demand)}) the replica falls behind by ${bytes(growth)}/s ` +
      `(computed: ${bytes(Math.max(0, demand - limit))}/s), ${gigabytes(growth * SECONDS_AN_HOUR)} an hour`,
    evidence: [result.id],
  };
}

/**
 * @param {CaseResult} result
 * @returns {Finding | null}
 */
function cutFinding(result) {
  const links = linksOf(result);
  const limits = links[0]?.outputLimit;
  const cuts = total(result, (link) => link.disconnects);
  if (!limits) return null;
  const timelines = links.map(timelineOf);
  const seconds = timelines.reduce((sum, timeline) => sum + timeline.seconds, 0);
  const limit = limitText(limits);
  if (cuts === 0) {
    return {
      text: `At ${linkTitle(result)} and a limit of ${limit} the replica was not cut off within ${time(seconds)}`,
      evidence: [result.id],
    };
  }
  const first = typical(result, (link) => timelineOf(link).cutAfterMs);
  const full = total(result, (link) => link.fullResyncs);
  const finished = timelines.reduce((sum, timeline) => sum + timeline.finished, 0);
  const resyncs =
    full === 0 ? 'no full resync' : `${count(Math.min(finished, full))} of ${plural(full, 'full resync')} completed`;
  return {
    text:
      `At ${linkTitle(result)} the replica was cut off ${times(cuts)} in ${time(seconds)}` +
      `${first === null ? '' : `, first after ${time(first / 1000)}`}; ${resyncs} (limit ${limit})`,
    evidence: [result.id],
  };
}

/** @param {number} number */
const times = (number) => (number === 1 ? 'once' : `${count(number)} times`);

/**
 * @param {readonly CaseResult[]} short
 * @returns {Finding | null}
 */
function defaultFinding(short) {
  const growing = short.filter(grows);
  const told = growing.flatMap((result) => {
    const growth = typical(result, (link) => link.growthBytesPerSecond);
    return growth === null ? [] : [`${time(limitAfterSeconds(growth, DEFAULT_LIMIT))} at ${linkTitle(result)}`];
  });
  if (told.length === 0) return null;
  return {
    text: `Computed: Redis’s default limit (${limitText({ ...DEFAULT_LIMIT, backlogBytes: 0 })}) is reached after ${told.join(', ')}`,
    evidence: idsOf(growing),
  };
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding[]} what a larger backlog changes, and what it costs
 */
function backlogFindings(cases) {
  const large = cases.find((result) => isShort(result) && !result.params.chain && !isPlain(result));
  const small = cases.find((result) => isPlain(result) && result.params.linkShare === large?.params.linkShare);
  if (!large || !small) return [];
  const evidence = [small.id, large.id];
  const resyncs = (/** @type {CaseResult} */ result) =>
    `${plural(
      total(result, (link) => link.fullResyncs),
      'full resync',
    )}, ${count(total(result, (link) => link.partialResyncs))} partial`;
  const growth = typical(large, (link) => link.growthBytesPerSecond);
  const lasts = growth === null || growth <= 0 ? '' : `; it lasts ${time(backlogOf(large) / growth)}`;
  const first = {
    text:
      `At ${linkTitle(small)}, a backlog of ${bytes(backlogOf(large))}: ${resyncs(large)}; of ${bytes(backlogOf(small))}: ` +
      `${resyncs(small)}${lasts}`,
    evidence,
  };
  const [less, more] = [small, large].map((result) => typical(result, (link) => link.memoryGrowthBytes));
  if (less === null || more === null) return [first];
  const [low, high] = [less, more].map((size) => bytes(Math.max(0, size)));
  const missed = typical(large, (link) => link.missedBytes);
  const most = missed === null ? '' : `; the replica missed up to ${bytes(missed)}`;
  return [
    first,
    { text: `With the larger backlog the sender’s memory grew by ${high} instead of ${low}${most}`, evidence },
  ];
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} what sockets and the path hold is in no buffer of Redis
 */
function hiddenFinding(cases) {
  const short = cases.filter(isShort);
  const hidden = short.map((result) => typical(result, hiddenOf)).filter((size) => size !== null);
  if (hidden.length === 0) return null;
  return {
    text: `The sender’s output buffer was still empty while the replica was ${bytes(Math.max(...hidden))} behind: sockets held it. Compare offsets`,
    evidence: idsOf(short),
  };
}

/** @param {LinkFigures} link */
function hiddenOf({ samples = [] }) {
  const cut = samples.findIndex(({ state }) => state !== 'online');
  const before = samples.slice(0, cut < 0 ? samples.length : cut);
  const lags = before.flatMap(({ bufferBytes, lagBytes }) =>
    bufferBytes !== null && bufferBytes < EMPTY_BUFFER_BYTES ? (lagBytes ?? []) : [],
  );
  return lags.length === 0 ? null : Math.max(...lags);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} INFO's lag is the age of the last answer, not of the data
 */
function lagFinding(cases) {
  const short = cases.filter(isShort);
  const told = short.flatMap((result) =>
    linksOf(result).flatMap(({ samples = [] }) => samples.flatMap(({ lagSeconds }) => lagSeconds ?? [])),
  );
  const real = short.flatMap((result) => {
    const lag = typical(result, (link) => link.maxLagBytes);
    const demand = typical(result, (link) => link.demandBytesPerSecond);
    return lag === null || !demand ? [] : [lag / demand];
  });
  if (told.length === 0 || real.length === 0) return null;
  const [most, behind] = [Math.max(...told), Math.max(...real)];
  if (behind <= most + NO_DELAY_SECONDS) return null;
  const judged =
    most > DEFAULT_MAX_LAG_SECONDS ? '' : `, so min-replicas-max-lag ${DEFAULT_MAX_LAG_SECONDS} refused nothing`;
  return {
    text: `INFO’s \`lag\` never exceeded ${most} s while a connected replica was ${time(behind)} of writing behind${judged}`,
    evidence: idsOf(short),
  };
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} the best and the worst WAIT
 */
function waitFinding(cases) {
  const asked = cases.flatMap((result) => {
    const number = total(result, (link) => link.waits?.asked);
    const p50 = typical(result, (link) => link.waits?.latencyNs.p50);
    const late = number - total(result, (link) => link.waits?.reached);
    return number === 0 || p50 === null || result.params.chain ? [] : [{ result, number, late, p50 }];
  });
  const timeout = cases.flatMap(linksOf).find(({ waits }) => waits)?.waits?.timeoutMs;
  if (asked.length === 0) return null;
  const quick = asked.filter(({ late }) => late === 0).sort((a, b) => a.p50 - b.p50);
  const late = asked.filter((one) => one.late > 0).sort((a, b) => b.late / b.number - a.late / a.number);
  const ends = quick.length > 1 ? [quick[0], quick[quick.length - 1]] : quick;
  const parts = [
    ...ends.map(({ result, p50 }) => `p50 ${duration(p50)} at ${linkTitle(result)}`),
    ...late
      .slice(0, 1)
      .map(
        ({ result, late: n, number }) => `${count(n)} of ${count(number)} over ${timeout} ms at ${linkTitle(result)}`,
      ),
  ];
  return { text: `WAIT 1: ${parts.join(', ')}`, evidence: idsOf(asked.map(({ result }) => result)) };
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function chainFinding(cases) {
  const chain = cases.find(({ params }) => params.chain);
  if (!chain) return null;
  const buffer = typical(chain, (link) => link.maxBufferBytes);
  const lag = typical(chain, (link) => link.maxLagBytes);
  const asked = total(chain, (link) => link.waits?.asked);
  const reached = total(chain, (link) => link.waits?.reached);
  if (buffer === null || lag === null) return null;
  return {
    text:
      `In a chain the last replica was ${bytes(lag)} behind and the middle one buffered ${bytes(buffer)}; WAIT 1 on the primary ` +
      `reached ${count(reached)} of ${count(asked)}: it counts the middle one`,
    evidence: [chain.id],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function shortfallChecks({ cases }) {
  const enough = cases.filter(({ params }) => params.linkShare === undefined || params.linkShare > 1);
  const short = cases.filter(isShort);
  const check = (
    /** @type {string} */ name,
    /** @type {readonly CaseResult[]} */ own,
    /** @type {(result: CaseResult) => string | null} */ wrong,
  ) => checkEach(name, own, wrong, { title: linkTitle });
  return [
    check('replication demanded what was intended', cases, otherDemand),
    check('on a sufficient link no replica is cut off and the lag is bounded', enough, notEnough),
    check('on a link below demand the lag grows by the difference', short, growsOtherwise),
    check('the promoted replica was audited for acknowledged writes', cases, notAudited),
  ];
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
 * A busy machine may fail to shape the link; then the figures of the case are not those of its link.
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
 * @param {CaseResult} result
 * @returns {string | null}
 */
function notAudited({ rounds }) {
  const audited = rounds.filter(({ link }) => (link?.promotion?.acked ?? 0) > 0).length;
  return audited === rounds.length ? null : `in ${count(audited)} of ${count(rounds.length)} rounds`;
}

/** @type {Benchmark} */
export default {
  name: 'link-shortfall',
  question: 'What happens when a replica’s link carries less than replication demands, or is long?',
  method:
    `Writers send ${count(RATE)} writes a second to the primary, each key once. The bytes of stream a write takes are measured before each ` +
    'round; the replica’s link is then capped to a share of that demand, or delayed. A chain is a replica of a replica with the slow link ' +
    'between them. A separate connection sends WAIT 1 after each of four writes a second. At the end the link is cut while writes go on, ' +
    'the replica is promoted with what it has, and every acknowledged write is looked for on it. The output buffer limit of replicas is ' +
    'scaled down to be reached within a round (see below).',
  ...ON_A_PATH,
  needs: [...ON_A_PATH.needs, 'logs'],
  stacks: { ...ON_A_PATH.stacks, settings: STACK_SETTINGS },
  measure: measureShortfall,
  pace: ({ name }) => PACES[name],
  cases: shortfallCases,
  table: SHORTFALL_COLUMNS,
  charts: shortfallCharts,
  details: shortfallDetails,
  // The front page has its chart and table.
  brief: () => [],
  findings: shortfallFindings,
  checks: (result) => [everyWriteAcked(result), ...shortfallChecks(result)],
};
