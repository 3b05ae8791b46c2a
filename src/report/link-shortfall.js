/**
 * The benchmark `link-shortfall` in sentences: what piles up, when the replica is cut off, and what it would cost to promote it.
 */
import { bitRate, bytes, count, duration, plural } from './format.js';
import { grows, linkTitle, promotionText } from './link-shortfall-columns.js';
import {
  ARTICLE_DEMAND,
  backlogOf,
  courseOf,
  DEFAULT_LIMIT,
  gigabytes,
  isPlain,
  isShort,
  limitAfterSeconds,
  limitText,
  linksOf,
  SECONDS_AN_HOUR,
  time,
  total,
  typical,
} from './link-shortfall-figures.js';
import { LINK_SEED } from './seeds.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./schema.js').LinkFigures} LinkFigures
 */

/** What the article speaks of. */
const ARTICLE_SHARE = 0.75;
/** A replica that keeps up has less than this in its sender's buffer: the block that is being filled, and the next. */
const EMPTY_BUFFER_BYTES = 64 * 1024;
/** Redis counts whole seconds, and the answers come once a second: this is no delay. */
const NO_DELAY_SECONDS = 1;
/** Of `min-replicas-max-lag`, Redis's own. */
const DEFAULT_MAX_LAG_SECONDS = 10;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function shortfallFindings({ cases }) {
  const short = cases.filter((result) => isShort(result) && isPlain(result));
  return [
    ...short.map(growthFinding),
    ...short.map(cutFinding),
    defaultFinding(short),
    backlogFinding(cases),
    hiddenFinding(cases),
    lagFinding(cases),
    waitFinding(cases),
    chainFinding(cases),
    promotionFinding(cases),
  ].filter((finding) => finding !== null);
}

/** @param {readonly CaseResult[]} results */
const idsOf = (results) => results.map(({ id }) => id);

/**
 * @param {CaseResult} result
 * @returns {Finding | null}
 */
function growthFinding(result) {
  const growth = typical(result, (link) => link.growthBytesPerSecond);
  const demand = typical(result, (link) => link.demandBytesPerSecond);
  const limit = typical(result, (link) => link.limitBytesPerSecond);
  if (growth === null || demand === null || limit === null || !grows(result)) return null;
  const article = (growth / demand) * ARTICLE_DEMAND * SECONDS_AN_HOUR;
  const said = result.params.linkShare === ARTICLE_SHARE ? `; “${LINK_SEED}” says about 2 GB` : '';
  return {
    text:
      `At ${linkTitle(result)} (${bitRate(limit)} of ${bitRate(demand)}) the replica fell behind by ${bytes(growth)} more each ` +
      `second (demand less cap: ${bytes(Math.max(0, demand - limit))}), ${gigabytes(growth * SECONDS_AN_HOUR)} an hour, which the sender has to keep; of a demand of ` +
      `${bitRate(ARTICLE_DEMAND)} that share is ${gigabytes(article)} an hour${said}`,
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
  const courses = links.map(courseOf);
  const seconds = courses.reduce((sum, course) => sum + course.seconds, 0);
  const limit = limitText(limits);
  if (cuts === 0) {
    return {
      text: `At ${linkTitle(result)} and a limit of ${limit} the replica was not cut off within ${time(seconds)}`,
      evidence: [result.id],
    };
  }
  const first = typical(result, (link) => courseOf(link).cutAfterMs);
  const full = total(result, (link) => link.fullResyncs);
  const finished = courses.reduce((sum, course) => sum + course.finished, 0);
  const loop =
    full === 0
      ? 'it needed no full resync'
      : `${plural(full, 'full resync')} began, ${finished === 0 ? 'and none was completed: what is written while the data set is being sent fills the buffer again' : `${count(Math.min(finished, full))} of them completed`}`;
  return {
    text:
      `At ${linkTitle(result)}, with a limit of ${limit}, the replica was cut off ${times(cuts)} in ${time(seconds)}` +
      `${first === null ? '' : `, for the first time after ${time(first / 1000)}`}; ${loop}`,
    evidence: [result.id],
  };
}

/** @param {number} number */
const times = (number) => (number === 1 ? 'once' : `${count(number)} times`);

/**
 * @param {readonly CaseResult[]} short
 * @returns {Finding | null} arithmetic, and called so
 */
function defaultFinding(short) {
  const growing = short.filter(grows);
  const told = growing.flatMap((result) => {
    const growth = typical(result, (link) => link.growthBytesPerSecond);
    return growth === null ? [] : [`${time(limitAfterSeconds(growth, DEFAULT_LIMIT))} at ${linkTitle(result)}`];
  });
  if (told.length === 0) return null;
  return {
    text: `Computed, not measured: with the growth that was measured, Redis’s own limit (${limitText({ ...DEFAULT_LIMIT, backlogBytes: 0 })}) is reached after ${told.join(', ')}`,
    evidence: idsOf(growing),
  };
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function backlogFinding(cases) {
  const large = cases.find((result) => isShort(result) && !result.params.chain && !isPlain(result));
  const small = cases.find((result) => isPlain(result) && result.params.linkShare === large?.params.linkShare);
  if (!large || !small) return null;
  // Where none was refused, what was missed is what a partial resync brought.
  const lacking = typical(small, (link) => (link.refusedPartials ? link.missedBytes : null));
  const needed = typical(large, (link) => link.missedBytes);
  const full = total(large, (link) => link.fullResyncs);
  const cuts = total(large, (link) => link.disconnects);
  const growth = typical(large, (link) => link.growthBytesPerSecond);
  const size = backlogOf(large);
  const before =
    lacking === null
      ? 'no partial resync was refused there'
      : `the replica that came back was ${bytes(lacking)} behind, and a backlog of that size would have spared it the first full resync`;
  const after =
    full > 0
      ? `with ${bytes(size)} it still had ${plural(full, 'full resync')}`
      : `with ${bytes(size)} it was measured: ${cuts === 0 ? 'it was not cut off' : `cut off ${times(cuts)}`}, no full resync, ${plural(
          total(large, (link) => link.partialResyncs),
          'partial resync',
        )}${needed === null ? '' : ` of up to ${bytes(needed)}`}`;
  const [less, more] = [small, large].map((result) => typical(result, (link) => link.memoryGrowthBytes));
  const cost =
    less === null || more === null
      ? ''
      : `; the sender’s memory grew by ${bytes(Math.max(0, more))} instead of ${bytes(Math.max(0, less))}`;
  const end =
    full === 0 && growth !== null && growth > 0
      ? `. It puts the full resync off and does not avert it: at this growth the replica is ${bytes(size)} behind after ${time(size / growth)}`
      : '';
  return {
    text: `At ${linkTitle(small)} and a backlog of ${bytes(backlogOf(small))}, ${before}; ${after}${cost}${end}`,
    evidence: [small.id, large.id],
  };
}

/**
 * What the sockets and the path hold is not in any buffer of Redis's.
 *
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function hiddenFinding(cases) {
  const short = cases.filter(isShort);
  const hidden = short.map((result) => typical(result, hiddenOf)).filter((size) => size !== null);
  if (hidden.length === 0) return null;
  return {
    text:
      `The output buffer shows a shortfall late: it was still empty while the replica was up to ${bytes(Math.max(...hidden))} behind, for the ` +
      'sockets’ buffers and those of what shapes the link hold that much. The offsets of both nodes show it at once',
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
 * @returns {Finding | null}
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
    most > DEFAULT_MAX_LAG_SECONDS
      ? ''
      : `. \`min-replicas-max-lag\` judges by it: at its default of ${DEFAULT_MAX_LAG_SECONDS} s it would have refused no write as long as the replica was connected`;
  return {
    text:
      `While a connected replica was up to ${time(behind)} of writing behind, the \`lag\` in the sender’s INFO was never above ${most} s: it tells how long ` +
      'the replica last answered, and an answer that names an old offset is one' +
      judged,
    evidence: idsOf(short),
  };
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function waitFinding(cases) {
  const told = cases.flatMap((result) => {
    const asked = total(result, (link) => link.waits?.asked);
    const p50 = typical(result, (link) => link.waits?.latencyNs.p50);
    if (asked === 0 || p50 === null || result.params.chain) return [];
    const late = asked - total(result, (link) => link.waits?.reached);
    return [
      late > 0
        ? `${linkTitle(result)}: ${count(late)} of ${count(asked)} timed out`
        : `${linkTitle(result)}: p50 ${duration(p50)}`,
    ];
  });
  const timeout = cases.flatMap(linksOf).find(({ waits }) => waits)?.waits?.timeoutMs;
  if (told.length === 0) return null;
  return { text: `WAIT 1 with a limit of ${timeout} ms: ${told.join('; ')}`, evidence: idsOf(cases) };
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
  const cuts = total(chain, (link) => link.disconnects);
  return {
    text:
      `In the chain it is the replica in the middle that pays: its output buffer grew to ${bytes(buffer)} and its replica was up to ` +
      `${bytes(lag)} behind (cut off ${cuts === 0 ? 'never' : times(cuts)}), although nobody asks it anything; WAIT 1 on the primary ` +
      `was reached ${count(reached)} times of ${count(asked)}, for it speaks of the middle one only`,
    evidence: [chain.id],
  };
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function promotionFinding(cases) {
  const told = cases.flatMap((result) => {
    const text = promotionText(result);
    return text === '' ? [] : [`${linkTitle(result)}: ${text}`];
  });
  if (told.length === 0) return null;
  return {
    text: `Acknowledged writes that a promotion at the end of the round lost: ${told.join('; ')}`,
    evidence: idsOf(cases),
  };
}
