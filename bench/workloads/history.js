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

/** @returns {number} microseconds on CLOCK_MONOTONIC */
export function nowUs() {
  return Math.round(clockMs() * US_A_MS);
}
