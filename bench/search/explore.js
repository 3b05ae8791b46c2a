/**
 * The search itself: tries random schedules side by side, and shortens those that lose acknowledged writes. It knows nothing of
 * servers: `attempt` carries a schedule out.
 */
import pLimit from 'p-limit';
import { randomFrom } from '../../src/stats/random.js';
import { contains, drawSchedule, scheduleText, simpler } from './schedule.js';

/** @import { Schedule, StepKind } from './schedule.js' */

/**
 * @typedef {Object} Attempt what one try of a schedule showed
 * @property {number} acked writes of all writers
 * @property {number} lost of those
 * @property {number} seconds of acknowledged writes lost by the writer that lost most
 * @property {readonly string[]} [broke] workloads whose invariants it broke; absent: none were attacked, or none broke
 * @property {string} [timeline] of a try that lost writes: what happened when, as lines of text
 * @property {string} [failed] why it could not be carried out or the stack did not recover; it shows nothing then
 *
 * @typedef {(schedule: Schedule, signal: AbortSignal) => Promise<Attempt>} Try rejects only when the search cannot go on
 *
 * @typedef {Object} Losing a schedule that lost acknowledged writes
 * @property {number} number of the schedule in the search, counted from 1
 * @property {Schedule} schedule
 * @property {Attempt} attempt
 *
 * @typedef {Object} LosingSchedule a losing schedule made as short as possible
 * @property {Losing} from
 * @property {Schedule} schedule
 * @property {Repeated} repeated tries of the short schedule alone
 * @property {number} alike losing schedules of the search that have all its steps, itself included
 *
 * @typedef {Object} Repeated tries of one schedule
 * @property {number} tries
 * @property {number} losing
 * @property {number} mostLost
 * @property {number} mostSeconds
 * @property {number} acked
 * @property {string} [timeline] of the try that lost most
 *
 * @typedef {Object} SearchOutcome
 * @property {number} tried schedules of the search, without those that failed
 * @property {number} failed
 * @property {number} shortening tries that shortened or repeated a schedule
 * @property {number} acked writes of all tries of the search
 * @property {Losing[]} losing in order
 * @property {LosingSchedule[]} found
 * @property {number} notShortened losing schedules that time did not suffice for, and that no found one explains
 * @property {number} seconds
 *
 * @typedef {Object} SearchOptions
 * @property {number} seed
 * @property {number} lanes tries side by side, ≥ 1
 * @property {number} hosts
 * @property {number} faultyHosts
 * @property {number} downAfterSeconds
 * @property {readonly StepKind[]} [kinds]
 * @property {number} seconds for all, including shortening
 * @property {number} [schedules] stop exploring after this number
 * @property {boolean} [first] stop exploring at the first loss
 * @property {AbortSignal} signal
 * @property {() => number} now seconds, increasing
 * @property {(event: SearchEvent) => void} tell
 *
 * @typedef {{kind: 'tried', number: number, schedule: Schedule, attempt: Attempt} | {kind: 'shorter', schedule: Schedule, attempt: Attempt} |
 *   {kind: 'found', found: LosingSchedule}} SearchEvent
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
 * @param {Try} attempt
 * @param {SearchOptions} options
 * @returns {Promise<SearchOutcome>} also when the signal is aborted: what was found until then
 */
export async function explore(attempt, options) {
  const { seed, lanes, seconds, schedules = Number.POSITIVE_INFINITY, first = false, signal, now, tell } = options;
  const began = now();
  const left = () => seconds - (now() - began);
  /** @type {Losing[]} */
  const losing = [];
  const outcome = { tried: 0, failed: 0, shortening: 0, acked: 0 };
  let next = 1;

  const forShortening = () => (losing.length > 0 ? seconds * (1 - EXPLORING) : 0);
  const exploring = () =>
    !signal.aborted && next <= schedules && left() > forShortening() && !(first && losing.length > 0);

  async function lane() {
    while (exploring()) {
      const number = next++;
      // Always the same for the same seed and number.
      const schedule = drawSchedule(randomFrom(seed + Math.imul(number, GOLDEN)), options);
      const result = await attempt(schedule, signal);
      if (signal.aborted && result.failed) return;
      tell({ kind: 'tried', number, schedule, attempt: result });
      if (result.failed !== undefined) {
        outcome.failed++;
        continue;
      }
      outcome.tried++;
      outcome.acked += result.acked;
      if (result.lost > 0) losing.push({ number, schedule, attempt: result });
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));

  /** @type {LosingSchedule[]} */
  const found = [];
  const limit = pLimit(lanes);
  /** @param {Schedule} schedule */
  const tryOnce = async (schedule) => {
    if (signal.aborted) return null;
    const result = await limit(() => attempt(schedule, signal));
    if (result.failed !== undefined) return null;
    outcome.shortening++;
    tell({ kind: 'shorter', schedule, attempt: result });
    return result;
  };
  // Short schedules first, because they often explain longer ones; of those the greatest loss.
  const waiting = [...losing].sort(
    (a, b) => a.schedule.length - b.schedule.length || b.attempt.lost - a.attempt.lost || a.number - b.number,
  );
  const isExplained = (/** @type {Losing} */ each) => found.some((one) => contains(each.schedule, one.schedule));
  while (waiting.length > 0 && !signal.aborted && left() > 0) {
    const from = /** @type {Losing} */ (waiting.shift());
    if (isExplained(from)) continue;
    const one = await shorten(from, { tryOnce, left });
    if (one === null) continue;
    found.push(one);
    tell({ kind: 'found', found: one });
  }
  for (const one of found) one.alike = losing.filter((each) => contains(each.schedule, one.schedule)).length;
  return {
    ...outcome,
    losing: losing.sort((a, b) => a.number - b.number),
    found,
    notShortened: losing.filter((each) => !isExplained(each)).length,
    seconds: now() - began,
  };
}

/**
 * @param {Losing} from
 * @param {{tryOnce: (schedule: Schedule) => Promise<Attempt | null>, left: () => number}} how
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
    // The shorter one lost by chance.
    ({ schedule } = from);
    results = await repeat(schedule);
  }
  if (results.length === 0) return null;
  // The try that found it counts, so that a rare loss does not look like none.
  if (schedule === from.schedule) results.push(from.attempt);
  return {
    from,
    schedule,
    repeated: repeatedOf(results),
    alike: 1,
  };
}

/** @param {readonly Attempt[]} attempts of one schedule, without those that failed @returns {Repeated} */
export function repeatedOf(attempts) {
  const losing = attempts.filter(({ lost }) => lost > 0).sort((a, b) => b.lost - a.lost);
  const timeline = losing.find((each) => each.timeline !== undefined)?.timeline;
  return {
    tries: attempts.length,
    losing: losing.length,
    mostLost: losing[0]?.lost ?? 0,
    mostSeconds: Math.max(0, ...losing.map(({ seconds }) => seconds)),
    acked: attempts.reduce((sum, { acked }) => sum + acked, 0),
    ...(timeline !== undefined && { timeline }),
  };
}
