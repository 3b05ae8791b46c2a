/**
 * The ways to bring a data set from one node to another.
 */
import { redisShakes, whyNoShake } from './redis-shake.js';
import { scanMover } from './scan-mover.js';
import { sync } from './sync.js';

/** @type {ReadonlyMap<string, import('./types.js').Mover>} */
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
