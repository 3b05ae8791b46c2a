/**
 * @import { ClientName, Shape, Target } from '../clients/types.js'
 * @import { PeerName } from './peers.js'
 * @import { Arrivals } from './schedule.js'
 */

/**
 * What the orchestrating thread and the load thread say to each other. Types only; all of it is structured-cloneable.
 *
 * @typedef {Object} RoundPlan one timed run of a case
 * @property {'writes' | 'read-after-write'} generator
 * @property {ClientName | PeerName} client what makes the load
 * @property {Target} primary
 * @property {Target[]} replicas
 * @property {Shape} shape
 * @property {number} connections ≥ 1
 * @property {number} keyspace key numbers are drawn from 0 … keyspace - 1
 * @property {number} seconds how long batches are started for; those under way at the end are awaited and counted
 * @property {number} [operations] no batch is started when so many operations have been; default: no limit
 * @property {number} [readRatio] share of the batches that read, 0 … 1; default 0
 * @property {'set' | 'get' | 'ping' | 'idle'} [operation] generator `writes`: what every batch is made of; default `set`, or
 *   what readRatio says. idle: nothing is sent, no connection is made, and the schedule and `operations` mean nothing
 * @property {Target[]} [targets] generator `writes`: where the connections go, in turn; default: the primary
 * @property {{rate: number, arrivals: Arrivals, graceSeconds: number}} [openLoop] batches leave on a
 *   schedule of `rate` operations a second; overdue ones may leave for `graceSeconds` after the end. Absent: closed loop
 * @property {boolean} [progress] tell now and then how many operations have ended
 * @property {number} warmUpSeconds
 * @property {number} backgroundConnections connections to the primary that write all the while and are not measured; with
 *   generator `writes` one value at a time, of the plan's size, without WAIT
 * @property {number} seed 32-bit; the same seed draws the same keys
 *
 * @typedef {Object} RoundSample what the load thread measured
 * @property {number} seconds from the first batch's start to the last one's end
 * @property {number} operations attempted, writes and reads and PINGs (read-after-write: writes followed by reads)
 * @property {{acked: number, underAcked: number, rejected: number, unknown: number}} outcomes of the writes; where `operation`
 *   is get or ping, of these: acked were answered, rejected got an error, unknown nothing
 * @property {Record<string, number>} errors how often each kind of error was seen
 * @property {string | null} firstError the text of the first error
 * @property {number} [lostConnections] of those that are measured; absent: nobody counted
 * @property {string} histogram base64, HdrHistogram V2 compressed, nanoseconds. Closed loop: service time of each write
 *   answered OK and each read answered (from the flush of its batch to the reply that completed the batch). Open loop:
 *   response time (from when its batch was meant to leave). Read-after-write: how long a stale read stayed stale
 * @property {Latency} latencyNs of that histogram
 * @property {Load} load
 * @property {{answered: number, misses: number, failed: number}} [reads] when GETs were to be sent; misses: answered, with nothing
 * @property {{operations: number, seconds: number}} [background] generator `writes` with background connections
 * @property {OpenLoopSample} [openLoop]
 * @property {{reads: number, immediate: number, afterWait: number, stale: number}} [consistency] read-after-write only; reads:
 *   of keys whose write was acknowledged, by as many replicas as were asked for
 *
 * @typedef {Object} Load the load thread, or the program that made the load instead
 * @property {number | null} cpu CPU seconds a second; null where the system does not tell
 * @property {number} eventLoopUtilization share of time that its event loop was busy; 0 of a program, which has none of ours
 * @property {number | null} [cpuPerOperationNs] of a program: CPU time from its start to its end
 * @property {number | null} [peakMemoryBytes] of a program: the most resident memory it had
 *
 * @typedef {Object} OpenLoopSample
 * @property {number} due operations that were meant to leave
 * @property {number} dueSeconds for so long: the time asked for, or shorter when the number of operations ended it
 * @property {number} sent of those, how many left
 * @property {number} sendingSeconds from the start to the last batch's leaving, at least `dueSeconds`
 * @property {string} serviceHistogram nanoseconds, from when a batch left
 * @property {string} latenessHistogram nanoseconds: how long the load thread was late with a batch that could have left
 *
 * @typedef {{min: number, p50: number, p90: number, p95: number, p99: number, p999: number, max: number, mean: number}} Latency
 */

export {};
