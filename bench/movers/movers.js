/** The list of movers, and one handle for the movers of all pairs of a round. */
import { untilAborted } from '../../src/run/interruption.js';
import { sum } from '../../src/stats/statistics.js';
import { redisShakes, whyNoShake } from './redis-shake.js';
import { scanMover } from './scan-mover.js';
import { sync } from './sync.js';

/**
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { CopyPair } from '../copy/pairs.js'
 * @import { Move, MoveTotals, Mover } from './move.js'
 */

/**
 * @typedef {Object} Moving
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} full
 * @property {() => Promise<void>} settle
 * @property {() => MoveTotals} totals
 * @property {() => Promise<void>} close idempotent
 */

/** @type {ReadonlyMap<string, Mover>} */
export const movers = new Map(
  [sync, scanMover('scan', false), scanMover('scan-ksn', true), ...redisShakes].map((mover) => [mover.name, mover]),
);

/** @param {string} name @returns {string | null} why it cannot run here, and the remedy, in two sentences; null: it can */
export const whyNoMover = (name) => (name.startsWith('redis-shake') ? whyNoShake() : null);

/**
 * @param {readonly CopyPair[]} pairs
 * @param {CaseParams} params `movers` 1: one process or thread for all pairs, which are shards of a cluster; default: one for each pair
 * @param {AbortSignal} signal
 * @returns {Moving}
 */
export function movingOf(pairs, { mover: name = '', scanCount = 1, movers: count }, signal) {
  const mover = movers.get(name);
  if (!mover) throw new Error(`unknown mover ${name}`);
  const cluster = count === 1 && pairs.length > 1 ? mover.startCluster : undefined;
  /** @type {Move[]} */
  const moves = [];
  /** @param {(move: Move) => Promise<void>} wait */
  const all = async (wait) => {
    await untilAborted(Promise.all(moves.map(wait)), signal);
  };
  return {
    async start() {
      const addresses = pairs.map((pair) => pair.addresses);
      const options = { scanCount, signal };
      const started = await Promise.allSettled(
        cluster ? [cluster(addresses, options)] : addresses.map((each) => mover.start(each, options)),
      );
      for (const one of started) {
        if (one.status === 'rejected') continue;
        moves.push(one.value);
        // `full` reports the error.
        one.value.full.catch(() => {});
      }
      signal.throwIfAborted();
      const failed = started.find(({ status }) => status === 'rejected');
      if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
    },
    full: () => all((move) => move.full),
    async settle() {
      await all((move) => move.full);
      await all((move) => move.settle());
    },
    totals: () => sumOf(moves.map((move) => move.totals())),
    async close() {
      const closed = await Promise.allSettled(moves.splice(0).map((move) => move.close()));
      const failed = closed.find(({ status }) => status === 'rejected');
      if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
    },
  };
}

const COUNTED = /** @type {const} */ (['keys', 'cpuSeconds', 'networkInBytes', 'networkOutBytes', 'blockOutBytes']);

/**
 * @param {readonly MoveTotals[]} totals
 * @param {(values: number[]) => number} combine
 * @returns {Omit<MoveTotals, 'reported'>} null where one of them is not counted
 */
function each(totals, combine) {
  const of = (/** @type {typeof COUNTED[number]} */ field) => {
    const values = totals.map((one) => one[field]).filter((value) => value !== null);
    return values.length < totals.length ? null : combine(values);
  };
  return /** @type {Omit<MoveTotals, 'reported'>} */ (Object.fromEntries(COUNTED.map((field) => [field, of(field)])));
}

/** @param {readonly MoveTotals[]} totals none: nothing has moved @returns {MoveTotals} */
export function sumOf(totals) {
  const reports = totals.flatMap(({ reported }) => reported ?? []);
  return {
    ...each(totals, sum),
    reported:
      reports.length < totals.length
        ? null
        : { written: sum(reports.map(({ written }) => written)), rates: reports.flatMap(({ rates }) => rates) },
  };
}

/** @param {MoveTotals} after @param {MoveTotals} before @returns {MoveTotals} */
export function difference(after, before) {
  return {
    ...each([after, before], ([to, from]) => to - from),
    reported: after.reported && {
      written: after.reported.written - (before.reported?.written ?? 0),
      rates: after.reported.rates.map((rates, i) => rates.slice(before.reported?.rates[i]?.length ?? 0)),
    },
  };
}
