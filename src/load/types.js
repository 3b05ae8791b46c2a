/**
 * What the orchestrating thread and the load thread say to each other. All of it is structured-cloneable.
 * @import { ClientName, Shape, Target } from '../clients/types.js'
 * @import { Arrivals, OpenLoopResult, Waiting } from './open-loop.js'
 * @typedef {Object} RoundPlan one timed run of a case
 * @property {'writes' | 'read-after-write'} generator
 * @property {ClientName} client that makes the load, in the load thread or as a program @property {Target} primary
 * @property {Target[]} replicas @property {Shape} shape @property {number} connections ≥ 1
 * @property {number} keyspace key numbers are drawn from 0 … keyspace - 1
 * @property {number} seconds how long batches are started; those under way at the end are awaited and counted
 * @property {number} [operations] how many operations are started at most; default: no limit
 * @property {number} [readRatio] share of the batches that read, 0 … 1; default 0
 * @property {'set' | 'get' | 'ping' | 'idle'} [operation] generator `writes`: what every batch does; default `set`, or what readRatio says
 * @property {Target[]} [targets] generator `writes`: where the connections go, round-robin; default: the primary
 * @property {{rate: number, arrivals: Arrivals, graceSeconds: number}} [openLoop] batches are scheduled at `rate` operations a second;
 *   overdue ones may be sent for `graceSeconds` after the end. Absent: closed loop
 * @property {boolean} [progress] report now and then how many operations have ended @property {number} warmUpSeconds
 * @property {number} backgroundConnections connections to the primary that write meanwhile, without WAIT, and are not measured
 * @property {number} seed 32-bit; the same seed draws the same keys
 * @typedef {Object} RoundSample what the load thread measured
 * @property {number} seconds from the first batch's start to the last one's end, or to the end of the schedule if that is later
 * @property {number} operations attempted, writes and reads and PINGs (read-after-write: writes followed by reads)
 * @property {{acked: number, underAcked: number, rejected: number, unknown: number}} outcomes of the writes; of a get or ping: acked:
 *   answered
 * @property {Record<string, number>} errors how often each kind of error was seen
 * @property {string | null} firstError the text of the first error
 * @property {number} [lostConnections] of the measured connections; absent: not counted
 * @property {string} histogram base64, HdrHistogram V2 compressed, nanoseconds. Closed loop: service time of each operation answered with
 *   success. Open loop: response time, and the waits of `waiting`. Read-after-write: how long a stale read stayed stale
 * @property {Latency} latencyNs of that histogram @property {Load} load
 * @property {{answered: number, misses: number, failed: number}} [reads] present if GETs were planned; misses: answered without a value
 * @property {{operations: number, seconds: number}} [background] generator `writes` with background connections
 * @property {OpenLoopSample} [openLoop]
 * @property {{reads: number, immediate: number, afterWait: number, stale: number}} [consistency] read-after-write only
 * @typedef {Object} Load of the load thread, or of the program that made the load
 * @property {number | null} cpu CPU seconds a second; null if unknown
 * @property {number} eventLoopUtilization share of time that its event loop was busy; 0 for a program
 * @property {number | null} [cpuPerOperationNs] of a program: CPU time from its start to its end
 * @property {number | null} [peakMemoryBytes] of a program: its peak resident memory
 * @typedef {Omit<OpenLoopResult, 'service' | 'lateness' | 'seconds' | 'waiting'> & OpenLoopHistograms} OpenLoopSample
 * @typedef {{serviceHistogram: string, latenessHistogram: string, waiting?: Waiting}} OpenLoopHistograms as {@link RoundSample} `histogram`
 * @typedef {Object} Program another load generator, to compare `native` with
 * @property {string} name on PATH
 * @property {boolean} timed it takes a duration in whole seconds; otherwise a number of operations
 * @property {(plan: RoundPlan, amount: number, firstKey: number) => string[]} args for the same load; amount: seconds or operations
 * @property {(output: string, amount: number) => ProgramCount} parse fields are NaN or absent if the output is not as expected
 * @typedef {{operations: number, seconds: number}} ProgramCount as the program says; seconds: without its start and its connecting
 * @typedef {{min: number, p50: number, p90: number, p95: number, p99: number, p999: number, max: number, mean: number}} Latency
 */

export {};
