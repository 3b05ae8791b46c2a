/** What the checkers of histories share. */
/** @import { Operation } from './types.js' */
import { clockMs } from '../../src/stats/clock.js';

export const US_A_SECOND = 1e6;
export const US_A_MS = 1000;

/** @param {readonly Operation[]} history @param {string} op @returns those to which the client was told yes */
export function acknowledged(history, op) {
  return /** @type {(Operation & {end: number})[]} */ (
    history.filter((each) => each.op === op && each.outcome === 'ok' && each.end !== null)
  );
}

/** @template T @param {readonly T[]} items @param {(item: T) => string | number | undefined} keyOf */
export function groupBy(items, keyOf) {
  /** @type {Map<string | number | undefined, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * @param {readonly Operation[]} history @param {string} op
 * @param {number} [until] microseconds; default: the last end of an operation of this name
 * @returns {number} seconds: the longest time without a yes
 */
export function longestPause(history, op, until = lastEnd(history, op)) {
  const all = history.filter((each) => each.op === op);
  if (all.length === 0) return 0;
  const ends = acknowledged(history, op)
    .map(({ end }) => end)
    .filter((end) => end <= until);
  const times = [all.reduce((least, { begin }) => Math.min(least, begin), Infinity), ...ends, until].sort(
    (a, b) => a - b,
  );
  return times.reduce((longest, time, i) => Math.max(longest, i === 0 ? 0 : time - times[i - 1]), 0) / US_A_SECOND;
}

/** @param {readonly Operation[]} history @param {string} op @returns {number} microseconds */
export function lastEnd(history, op) {
  return history.reduce((last, each) => (each.op === op ? Math.max(last, each.end ?? each.begin) : last), 0);
}

/** @returns {number} microseconds on CLOCK_MONOTONIC */
export function nowUs() {
  return Math.round(clockMs() * US_A_MS);
}
