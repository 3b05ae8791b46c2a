/**
 * What the orchestrating thread and the load thread say to each other. Types only; all of it is structured-cloneable.
 *
 * @typedef {import('../client/types.js').Shape} Shape
 * @typedef {import('../client/types.js').Target} Target
 *
 * @typedef {Object} RoundPlan one timed run of a case
 * @property {'writes' | 'read-after-write'} generator
 * @property {import('../client/types.js').ClientName} client
 * @property {Target} primary
 * @property {Target[]} replicas
 * @property {Shape} shape
 * @property {number} connections ≥ 1
 * @property {number} keyspace key numbers are drawn from 0 … keyspace - 1
 * @property {number} seconds how long batches are started for; those under way at the end are awaited and counted
 * @property {number} warmUpSeconds
 * @property {number} backgroundConnections read-after-write only: connections that write all the while
 * @property {number} seed 32-bit; the same seed draws the same keys
 *
 * @typedef {Object} RoundSample what the load thread measured
 * @property {number} seconds from the first batch's start to the last one's end
 * @property {number} operations writes attempted (read-after-write: writes followed by reads)
 * @property {{acked: number, underAcked: number, rejected: number, unknown: number}} outcomes
 * @property {Record<string, number>} errors how often each kind of error was seen
 * @property {string} histogram base64, HdrHistogram V2 compressed, nanoseconds: service time of a write answered OK
 *   (from the flush of its batch to the reply that completed the batch); read-after-write: how long a stale read stayed stale
 * @property {Latency} latencyNs of that histogram
 * @property {{cpu: number | null, eventLoopUtilization: number}} load the load thread: CPU seconds a second (null where the
 *   system does not tell), share of time its event loop was busy
 * @property {{reads: number, immediate: number, afterWait: number, stale: number}} [consistency] read-after-write only
 *
 * @typedef {{min: number, p50: number, p90: number, p95: number, p99: number, p999: number, max: number, mean: number}} Latency
 */

export {};
