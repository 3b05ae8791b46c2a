/** Tries random schedules side by side, and shortens those that lose acknowledged writes. It knows no servers: `attempt` does. */
import pLimit from 'p-limit';
import { randomFrom } from '../../src/stats/random.js';
import { sum } from '../../src/stats/statistics.js';
import { contains, drawSchedule, scheduleText, simpler } from './schedule.js';

/** @import { Schedule } from './schedule.js' */

/** @typedef {(schedule: Schedule, signal: AbortSignal) => Promise<Attempt>} Try rejects only when the search cannot go on */
/** @typedef {{number: number, schedule: Schedule, attempt: Attempt}} Losing a schedule that lost acknowledged writes; number: counted from 1 */
/** @typedef {SearchLimits & Parameters<typeof drawSchedule>[1]} SearchOptions */
/**
 * @typedef {Object} Attempt what one try of a schedule showed
 * @property {number} acked writes of all writers
 * @property {number} lost of those
 * @property {number} seconds of acknowledged writes lost by the writer that lost most
 * @property {readonly string[]} [broke] workloads whose invariants it broke; absent: none were attacked, or none broke
 * @property {string} [timeline] of a try that lost writes: what happened when, as lines of text
 * @property {string} [failed] why it could not be carried out or the stack did not recover; it shows nothing then
 *
 * @typedef {Object} LosingSchedule a losing schedule made as short as possible
 * @property {Losing} from
 * @property {Schedule} schedule
 * @property {ReturnType<typeof repeatedOf>} repeated tries of the short schedule alone
 * @property {number} alike losing schedules of the search that have all its steps, itself included
 *
 * @typedef {Object} SearchLimits
 * @property {number} seed
 * @property {number} lanes tries side by side, ≥ 1
 * @property {number} seconds for all, including shortening
 * @property {number} [schedules] stop exploring after this number
 * @property {boolean} [first] stop exploring at the first loss
 * @property {AbortSignal} signal
 * @property {() => number} now seconds, increasing
 * @property {(event: SearchEvent) => void} tell
 *
 * @typedef {{kind: 'tried'} & Losing | {kind: 'shorter', schedule: Schedule, attempt: Attempt} | {kind: 'found', found: LosingSchedule}} SearchEvent
 */

/** The part of the time in which new schedules are tried. The rest is for shortening, if there is something to shorten. */
const EXPLORING = 0.7;
/** A shorter schedule counts as losing if one of these tries loses. */
const TRIES = 3;
/** The shortest schedule is tried so often again, to say how often it loses. */
const REPEATS = 6;
/** Spreads the numbers of schedules over all seeds. */
const GOLDEN = 0x9e3779b9;

/**
 * @param {Try} attempt @param {SearchOptions} options
 * @returns also when the signal is aborted: what was found until then. tried: without those that failed; shortening: tries that shortened or
 *   repeated a schedule; notShortened: losing schedules that time did not suffice for, and that no found one explains
 */
export async function explore(attempt, options) {
  const { seed, lanes, seconds, schedules = Number.POSITIVE_INFINITY, first = false, signal, now, tell } = options;
  const began = now();
  const left = () => seconds - (now() - began);
  const { outcome, losing } = await tryMany(attempt, options, (number, found) => {
    const forShortening = found.length > 0 ? seconds * (1 - EXPLORING) : 0;
    if (number > schedules || left() <= forShortening || (first && found.length > 0)) return null;
    // Always the same for the same seed and number.
    return drawSchedule(randomFrom(seed + Math.imul(number, GOLDEN)), options);
  });
  let shortening = 0;
  const limit = pLimit(lanes);
  /** @param {Schedule} schedule */
  const tryOnce = async (schedule) => {
    if (signal.aborted) return null;
    const result = await limit(() => attempt(schedule, signal));
    if (result.failed !== undefined) return null;
    shortening++;
    tell({ kind: 'shorter', schedule, attempt: result });
    return result;
  };
  /** @type {LosingSchedule[]} */
  const found = [];
  const isExplained = (/** @type {Losing} */ each) => found.some((one) => contains(each.schedule, one.schedule));
  // Short schedules first, because they often explain longer ones; of those the greatest loss.
  const waiting = losing.toSorted(
    (a, b) => a.schedule.length - b.schedule.length || b.attempt.lost - a.attempt.lost || a.number - b.number,
  );
  for (const from of waiting) {
    if (signal.aborted || left() <= 0) break;
    const one = isExplained(from) ? null : await shorten(from, { tryOnce, left });
    if (one === null) continue;
    found.push(one);
    tell({ kind: 'found', found: one });
  }
  for (const one of found) one.alike = losing.filter((each) => contains(each.schedule, one.schedule)).length;
  const notShortened = losing.filter((each) => !isExplained(each)).length;
  return { ...outcome, shortening, losing, found, notShortened, seconds: now() - began };
}

/** @type {(schedule: Schedule, tries: number, attempt: Try, options: Omit<SearchLimits, 'seed' | 'seconds'>) => ReturnType<typeof explore>} */
export async function replay(schedule, tries, attempt, options) {
  const began = options.now();
  const draw = (/** @type {number} */ number) => (number <= tries ? schedule : null);
  const { outcome, losing, shown } = await tryMany(attempt, options, draw);
  const found = losing
    .slice(0, 1)
    .map((from) => ({ from, schedule, repeated: repeatedOf(shown), alike: losing.length }));
  return { ...outcome, shortening: 0, losing, found, notShortened: 0, seconds: options.now() - began };
}

/**
 * @param {Try} attempt @param {Pick<SearchOptions, 'lanes' | 'signal' | 'tell'>} options
 * @param {(number: number, losing: readonly Losing[]) => Schedule | null} draw number: counted from 1; null: there are no more
 */
async function tryMany(attempt, { lanes, signal, tell }, draw) {
  /** Those that did not fail. @type {Attempt[]} */
  const shown = [];
  /** @type {Losing[]} */
  const losing = [];
  let [number, failed] = [0, 0];
  async function lane() {
    while (!signal.aborted) {
      const own = number + 1;
      const schedule = draw(own, losing);
      if (schedule === null) return;
      number = own;
      const result = await attempt(schedule, signal);
      if (signal.aborted && result.failed) return;
      tell({ kind: 'tried', number: own, schedule, attempt: result });
      if (result.failed === undefined) shown.push(result);
      else failed++;
      if (result.failed === undefined && result.lost > 0) losing.push({ number: own, schedule, attempt: result });
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  const outcome = { tried: shown.length, failed, acked: sum(shown.map(({ acked }) => acked)) };
  return { outcome, shown, losing: losing.sort((a, b) => a.number - b.number) };
}

/**
 * @param {Losing} from @param {{tryOnce: (schedule: Schedule) => Promise<Attempt | null>, left: () => number}} how
 * @returns {Promise<LosingSchedule | null>} null: no time was left to try it again
 */
async function shorten(from, { tryOnce, left }) {
  const refuted = new Set();

  /** @param {Schedule} candidate */
  async function losesAgain(candidate) {
    for (let time = 0; time < TRIES && left() > 0; time++) {
      const result = await tryOnce(candidate);
      if (result !== null && result.lost > 0) return candidate;
    }
    refuted.add(scheduleText(candidate));
    return null;
  }

  /** @param {Schedule} schedule @returns {Promise<Schedule | undefined>} the simplest that loses; undefined: none does */
  async function simplerThan(schedule) {
    for (const alike of simpler(schedule)) {
      const candidates = alike.filter((each) => !refuted.has(scheduleText(each)));
      const loses = (await Promise.all(candidates.map(losesAgain))).find((each) => each !== null);
      if (loses) return loses;
    }
  }

  /** @param {Schedule} schedule */
  async function repeat(schedule) {
    const results = await Promise.all(Array.from({ length: REPEATS }, () => tryOnce(schedule)));
    return results.filter((each) => each !== null);
  }

  let { schedule } = from;
  for (let next; left() > 0; schedule = next) {
    next = await simplerThan(schedule);
    if (!next) break;
  }
  let results = await repeat(schedule);
  if (schedule !== from.schedule && results.every(({ lost }) => lost === 0)) {
    ({ schedule } = from);
    results = await repeat(schedule);
  }
  if (results.length === 0) return null;
  // The try that found it counts, so that a rare loss does not look like none.
  if (schedule === from.schedule) results.push(from.attempt);
  return { from, schedule, repeated: repeatedOf(results), alike: 1 };
}

/** @param {readonly Attempt[]} attempts of one schedule, without those that failed. timeline: of the one that lost most */
export function repeatedOf(attempts) {
  const losing = attempts.filter(({ lost }) => lost > 0).sort((a, b) => b.lost - a.lost);
  const timeline = losing.find((each) => each.timeline !== undefined)?.timeline;
  return {
    tries: attempts.length,
    losing: losing.length,
    mostLost: losing[0]?.lost ?? 0,
    mostSeconds: Math.max(0, ...losing.map(({ seconds }) => seconds)),
    acked: sum(attempts.map(({ acked }) => acked)),
    ...(timeline !== undefined && { timeline }),
  };
}
