/** The list of movers, and one handle for the movers of all pairs of a round. */
import { untilAborted } from '../../src/run/interruption.js';
import { sum } from '../../src/stats/statistics.js';
import { allEnded } from '../../src/wait.js';
import { combined } from './move.js';
import { redisShakes, whyNoShake } from './redis-shake.js';
import { sync } from './sync.js';

/** @import { CaseParams } from '../types.js' */
/** @import { CopyPair } from '../copy/pairs.js' */
/** @import { Move, MoveTotals, Mover } from './move.js' */

/** @type {ReadonlyMap<string, Mover>} */
export const movers = new Map([sync, ...redisShakes].map((mover) => [mover.name, mover]));

/** @param {string} name @returns {string | null} why it cannot run here, and the remedy, in two sentences; null: it can */
export const whyNoMover = (name) => (name === sync.name ? null : whyNoShake());

/**
 * @param {readonly CopyPair[]} pairs
 * @param {CaseParams} params `movers` 1: one process for all pairs, which are shards of a cluster; default: one for each pair
 * @param {AbortSignal} signal
 */
export function movingOf(pairs, { mover: name = '', scanCount = 1, movers: count }, signal) {
  const mover = movers.get(name);
  if (!mover) throw new Error(`unknown mover ${name}`);
  const addresses = pairs.map((pair) => pair.addresses);
  const groups = count === 1 && mover.takesShards ? [addresses] : addresses.map((address) => [address]);
  /** @type {Move[]} */
  const moves = [];
  /** @param {(move: Move) => Promise<void>} wait */
  const all = async (wait) => {
    await untilAborted(Promise.all(moves.map(wait)), signal);
  };
  return {
    async start() {
      const kept = groups.map(async (group) => {
        const move = await mover.start(group, { scanCount, signal });
        moves.push(move);
        move.full.catch(() => {});
      });
      await allEnded(kept).finally(() => signal.throwIfAborted());
    },
    full: () => all((move) => move.full),
    async settle() {
      await all((move) => move.full);
      await all((move) => move.settle());
    },
    totals: () => sumOf(moves.map((move) => move.totals())),
    close: () => allEnded(moves.splice(0).map((move) => move.close())),
  };
}

/** @param {readonly MoveTotals[]} totals none: nothing has moved */
export function sumOf(totals) {
  const reports = totals.flatMap(({ reported }) => reported ?? []);
  return {
    keys: sum(totals.map(({ keys }) => keys)),
    ...combined(totals, sum),
    reported:
      reports.length < totals.length
        ? null
        : { written: sum(reports.map(({ written }) => written)), rates: reports.flatMap(({ rates }) => rates) },
  };
}

/** @param {MoveTotals} after @param {MoveTotals} before */
export function difference(after, before) {
  return {
    keys: after.keys - before.keys,
    ...combined([after, before], ([to, from]) => to - from),
    reported: after.reported && {
      written: after.reported.written - (before.reported?.written ?? 0),
      rates: after.reported.rates.map((rates, i) => rates.slice(before.reported?.rates[i]?.length ?? 0)),
    },
  };
}
