/**
 * Traffic as an application makes it: requests of several kinds to keys of a pattern. Plans and samples are structured-cloneable.
 * @import { Target } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { Load, RoundSample } from './types.js'
 */
import { once } from '../once.js';
import { orUndo } from '../wait.js';
import { openThread } from './thread.js';

/** Connecting and draining have their own deadlines; whatever takes longer than this hangs. */
const GRACE_MS = 20_000;

/**
 * @typedef {'regular' | 'random'} Pattern regular: keys such as `<prefix>stats/{service:2654435761}/metric:2540803633/day:20261121`, with
 *   counters and short texts as values; random: keys and values of random letters, which hardly compress
 * @typedef {Object} TrafficPlan
 * @property {Target} target @property {string} keyPrefix @property {Pattern} pattern
 * @property {number} keys how many of each kind, ≥ 1; with pattern `random` on each connection, which share none
 * @property {number} payloadBytes of the values of SET; counters have their own length
 * @property {number} writeShare of the requests, 0 … 1; the others read, and get one-line answers, too
 * @property {number} requestsPerSecond evenly spaced by batches; 0: as fast as they are answered (closed loop)
 * @property {number} connections ≥ 1 @property {number} batch requests sent at once, ≥ 1 @property {number} seed 32-bit
 * @typedef {Object} TrafficSample
 * @property {number} seconds from the first request to the last answer @property {number} requests sent
 * @property {number} writes how many of them write
 * @property {RoundSample['outcomes']} outcomes of all requests; underAcked is 0 @property {Record<string, number>} errors
 * @property {number} unsent requests that were due and not sent; 0 in closed loop
 * @property {string} histogram as in {@link RoundSample}: from the batch's scheduled send (closed loop: actual send) to its last answer
 * @property {Load} load of its thread
 * @typedef {Awaited<ReturnType<typeof startTraffic>>} Traffic
 */

/**
 * @param {TrafficPlan} plan
 * @returns resolves when the first request was sent. `stop` resolves when those under way are answered or after 3 s, and leaves nothing to
 *   close. Both are idempotent
 * @throws {UserError} the node cannot be reached
 */
export async function startTraffic(plan) {
  const thread = openThread({ file: './traffic-worker.js', name: "the traffic's thread", job: 'traffic' });
  await orUndo(thread.begin(plan, GRACE_MS), thread.close);
  /** @type {() => Promise<TrafficSample>} */
  const stop = once(() => thread.finish(GRACE_MS).finally(thread.close));
  return { stop, close: thread.close };
}
