/**
 * How far the clock of another machine is from this one, and how wrong that may be: of many exchanges the one with the least round trip
 * counts, as in NTP. Its reading was made somewhere within the round trip, so half of it bounds the error.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { clockMs } from '../stats/clock.js';
import { refusal } from './refusals.js';

const EXCHANGES = 50;
/** Between two exchanges, so that all of them last long enough to notice a clock that stands. */
const PAUSE_MS = 4;
/** Times of day are whole milliseconds. */
const WALL_MS = 1;
/** A clock whose rate differs by more is unfit. Quartz is within 0.0001. */
const MOST_RATE_ERROR = 0.02;

/**
 * @typedef {{monotonicMs: number, wallMs: number}} ClockTimes
 * @typedef {Object} ClockOffset of an agent
 * @property {number} monotonicMs agent's monotonic clock minus ours
 * @property {number} wallMs agent's time of day minus ours @property {number} roundTripMs the least of all
 * @property {number} boundMs half of it: the offset of the monotonic clock is wrong by at most so much
 * @property {number} wallBoundMs the same for the time of day, which is read in whole milliseconds
 * @property {boolean} ticks the clocks of the agent run at the rate of ours
 */

/** A start further away than this is a mistake of clocks. */
const LATEST_START_MS = 10_000;

/**
 * @param {number} startAtMs on the monotonic clock of this machine @param {string} what starts
 * @returns {number} milliseconds until then @throws {UserError} it is not near
 */
export function untilStart(startAtMs, what) {
  const waitMs = startAtMs - clockMs();
  if (Math.abs(waitMs) <= LATEST_START_MS) return waitMs;
  throw refusal('start-not-near', { what });
}

export function readClock() {
  return { monotonicMs: clockMs(), wallMs: Date.now() };
}

/**
 * @param {() => Promise<ClockTimes>} ask
 * @param {{exchanges?: number, now?: () => ClockTimes, pause?: (ms: number) => Promise<unknown>}} [options] @returns {Promise<ClockOffset>}
 */
export async function measureOffset(ask, { exchanges = EXCHANGES, now = readClock, pause = delay } = {}) {
  const all = [];
  for (let i = 0; i < exchanges; i++) {
    if (i > 0) await pause(PAUSE_MS);
    const before = now();
    const theirs = await ask();
    const after = now();
    all.push({ theirs, middle: middle(before, after), roundTripMs: after.monotonicMs - before.monotonicMs });
  }
  const best = all.reduce((a, b) => (b.roundTripMs < a.roundTripMs ? b : a));
  return {
    monotonicMs: best.theirs.monotonicMs - best.middle.monotonicMs,
    wallMs: best.theirs.wallMs - best.middle.wallMs,
    roundTripMs: best.roundTripMs,
    boundMs: best.roundTripMs / 2,
    wallBoundMs: best.roundTripMs / 2 + WALL_MS,
    ticks: ticks(all[0], /** @type {typeof best} */ (all.at(-1))),
  };
}

/**
 * @param {ClockOffset} before a round @param {ClockOffset} after it
 * @returns {{offsetMs: number, boundMs: number, roundTripMs: number}} of the time of day; the bound covers the drift between the two
 */
export function clockOver(before, after) {
  return {
    offsetMs: after.wallMs,
    boundMs: Math.max(before.wallBoundMs, after.wallBoundMs) + Math.abs(after.monotonicMs - before.monotonicMs),
    roundTripMs: Math.min(before.roundTripMs, after.roundTripMs),
  };
}

/** @param {ClockTimes} a @param {ClockTimes} b */
function middle(a, b) {
  return { monotonicMs: (a.monotonicMs + b.monotonicMs) / 2, wallMs: (a.wallMs + b.wallMs) / 2 };
}

/** @typedef {{theirs: ClockTimes, middle: ClockTimes, roundTripMs: number}} Exchange */

/** @param {Exchange} first @param {Exchange} last */
function ticks(first, last) {
  const passedMs = last.middle.monotonicMs - first.middle.monotonicMs;
  // Each reading may lie anywhere in its round trip.
  const toleranceMs = (first.roundTripMs + last.roundTripMs) / 2 + passedMs * MOST_RATE_ERROR + 2 * WALL_MS;
  const near = (/** @type {'monotonicMs' | 'wallMs'} */ clock) =>
    Math.abs(last.theirs[clock] - first.theirs[clock] - passedMs) <= toleranceMs;
  return near('monotonicMs') && near('wallMs');
}
