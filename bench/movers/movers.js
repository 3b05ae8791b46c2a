/** The list of movers, and one handle for the movers of all pairs of a round. */
import { untilAborted } from '../../src/run/interruption.js';
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

/**
 * @param {string} name
 * @returns {Promise<string | null>} why it cannot run here, and the remedy, in two sentences; null: it can
 */
export async function whyNoMover(name) {
  if (!movers.has(name)) return `There is no mover ${name}. Choose one of ${[...movers.keys()].join(', ')}.`;
  return name.startsWith('redis-shake') ? whyNoShake() : null;
}

/**
 * @param {readonly CopyPair[]} pairs
 * @param {CaseParams} params `movers` 1: one process or thread for all pairs, which are shards of a cluster; default: one for each pair
 * @param {AbortSignal} signal
 * @returns {Moving}
 */
export function movingOf(pairs, { mover: name = '', scanCount = 1, movers: count, cores }, signal) {
  const mover = movers.get(name);
  if (!mover) throw new Error(`unknown mover ${name}`);
  const { start, startCluster } = mover;
  const together = count === 1 && pairs.length > 1;
  if (together && !startCluster) throw new Error(`${name} cannot copy several shards by one process`);
  /** @type {Move[]} */
  const moves = [];
  /** @param {(move: Move) => Promise<void>} wait */
  const all = async (wait) => {
    await untilAborted(Promise.all(moves.map(wait)), signal);
  };
  return {
    async start() {
      const addresses = pairs.map((pair) => pair.addresses);
      const options = { scanCount, cpus: cores?.movers, signal };
      const started = await Promise.allSettled(
        together && startCluster ? [startCluster(addresses, options)] : addresses.map((each) => start(each, options)),
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

/** @param {readonly MoveTotals[]} totals @returns {MoveTotals} null when one is not counted */
function sumOf(totals) {
  const sum = (/** @type {(number | null)[]} */ numbers) =>
    numbers.includes(null) ? null : numbers.reduce((/** @type {number} */ all, each) => all + Number(each), 0);
  return {
    keys: Number(sum(totals.map(({ keys }) => keys))),
    cpuSeconds: sum(totals.map(({ cpuSeconds }) => cpuSeconds)),
    bytesIn: sum(totals.map(({ bytesIn }) => bytesIn)),
    bytesOut: sum(totals.map(({ bytesOut }) => bytesOut)),
    diskBytes: sum(totals.map(({ diskBytes }) => diskBytes)),
    reported: totals.some(({ reported }) => reported === null)
      ? null
      : {
          written: Number(sum(totals.map(({ reported }) => reported?.written ?? 0))),
          rates: totals.flatMap(({ reported }) => reported?.rates ?? []),
        },
  };
}

/** @type {MoveTotals} */
export const NOTHING_MOVED = {
  keys: 0,
  cpuSeconds: 0,
  bytesIn: 0,
  bytesOut: 0,
  diskBytes: 0,
  reported: { written: 0, rates: [] },
};

/** @param {MoveTotals} after @param {MoveTotals} before @returns {MoveTotals} */
export function difference(after, before) {
  const minus = (/** @type {number | null} */ to, /** @type {number | null} */ from) =>
    to === null || from === null ? null : to - from;
  return {
    keys: after.keys - before.keys,
    cpuSeconds: minus(after.cpuSeconds, before.cpuSeconds),
    bytesIn: minus(after.bytesIn, before.bytesIn),
    bytesOut: minus(after.bytesOut, before.bytesOut),
    diskBytes: minus(after.diskBytes, before.diskBytes),
    reported: after.reported && {
      written: after.reported.written - (before.reported?.written ?? 0),
      rates: after.reported.rates.map((rates, i) => rates.slice(before.reported?.rates[i]?.length ?? 0)),
    },
  };
}
