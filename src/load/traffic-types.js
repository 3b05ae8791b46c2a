/** @import { Target } from '../clients/types.js' */

/**
 * Traffic as an application makes it: requests of several kinds to keys of a pattern, some of which write. Types only; all of it is
 * structured-cloneable but {@link Traffic}.
 *
 * @typedef {'regular' | 'random'} Pattern regular: keys such as `<prefix>stats/{service:2654435761}/metric:2540803633/day:20261121`, whose values are counters and short texts
 *   that resemble each other; random: keys and values of random letters that nothing can compress by much (six bits a byte; the
 *   protocol around them it can, so that small values still compress)
 *
 * @typedef {Object} TrafficPlan
 * @property {Target} target
 * @property {string} keyPrefix
 * @property {Pattern} pattern
 * @property {number} keys how many there are of each kind, ≥ 1; random ones on each connection, which share none
 * @property {number} payloadBytes of the values of SET; counters are as long as they are
 * @property {number} writeShare of the requests, 0 … 1; the others read and have answers of one line, too
 * @property {number} requestsPerSecond evenly spaced by batches; 0: as fast as they are answered (closed loop)
 * @property {number} connections ≥ 1
 * @property {number} batch requests that leave together, ≥ 1
 * @property {number} seed 32-bit
 *
 * @typedef {Object} TrafficSample
 * @property {number} seconds from the first request to the last answer
 * @property {number} requests that left
 * @property {number} writes of those
 * @property {{acked: number, underAcked: number, rejected: number, unknown: number}} outcomes of all requests; underAcked is 0
 * @property {Record<string, number>} errors
 * @property {number} unsent requests that were due and did not leave; 0 in closed loop
 * @property {string} histogram base64, HdrHistogram V2 compressed, ns: from when its batch was meant to leave (closed loop: left) to its last answer
 * @property {{cpu: number | null, eventLoopUtilization: number}} load of its thread
 *
 * @typedef {Object} Traffic
 * @property {() => Promise<TrafficSample>} stop no request leaves any more; resolves when those under way are answered, or after 3 s; idempotent
 * @property {() => Promise<void>} close ends the thread, whatever it is doing; idempotent
 */

export {};
