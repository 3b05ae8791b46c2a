/** Types of workloads, of histories, and of sources that record them. */
/** @import { Reply, TrialPlan, Word } from '../types.js' */
/** @typedef {Readonly<Record<string, number>>} Counted what a checker counted. A name that ends with `Seconds` says its unit */
/** @typedef {Partial<Operation> & {op: string}} What the part of a line that is known before */
/** @typedef {(reply: Reply) => Partial<Operation>} Judge what a reply adds to the line, such as `{outcome: 'no'}` */
/** @typedef {Record<string, Operation[]>} Histories by workload */
/** @typedef {{workload: string, source: string, figures: Record<string, number>}} WorkloadRound what was counted in a trial */
/**
 * @typedef {'ok' | 'no' | 'refused' | 'unknown'} OperationOutcome ok: the client was told yes; no: it was told no, such as that a lock is taken; refused: an error
 *   before it can have happened; unknown: perhaps it happened
 *
 * @typedef {Object} Operation one line of a history. Lines are in the order in which operations ended
 * @property {string} process such as `holder-2`
 * @property {string} role
 * @property {string} op
 * @property {string} [key]
 * @property {string | number} [value] a token, a number or the id of a job
 * @property {string} [libraryId] the id that the library or the server gave to a job
 * @property {number} begin microseconds on CLOCK_MONOTONIC of this machine
 * @property {number | null} end null: it never ended
 * @property {OperationOutcome} outcome
 * @property {string} [error]
 * @property {'minority' | 'majority' | 'all'} [side] of a partition
 * @property {number} [leaseMs] of a lock
 * @property {number} [limit] of a limiter, as windowMs
 * @property {number} [windowMs]
 *
 * @typedef {Object} Workload
 * @property {string} name
 * @property {string} title as reports call it
 * @property {Readonly<Record<string, Role>>} roles
 * @property {(setup: ProcessSite) => Promise<void>} [prepare] before the roles begin
 * @property {(drainer: ProcessSite, processes: readonly string[]) => Promise<void>} [drain] after the nodes are healed: does what is left, and reads what is there
 * @property {(history: readonly Operation[]) => Counted} check pure; `acknowledged` is among its figures
 * @property {string} timed the operation whose time is the price of a mode
 * @property {Readonly<Record<string, string>>} harms figures that have to be 0, and what each means in a table; the first one breaks the
 *   invariant whatever else happened
 *
 * @typedef {{processes: number, run: (site: ProcessSite) => Promise<void>}} Role processes: at work side by side, even: half of them are with
 *   each client; run: resolves soon after `site.stopped()`
 *
 * @typedef {Object} ProcessSite what a process of a workload sees and may do
 * @property {string} process
 * @property {number} index of the process in its role, from 0
 * @property {string} prefix of its keys
 * @property {() => boolean} stopped
 * @property {(ms: number) => Promise<void>} pause ends early when the workload is stopped
 * @property {(line: Partial<Operation> & {op: string, begin: number}) => Operation} line enters an operation that has ended now
 * @property {(...words: string[]) => Promise<Reply>} ask rejects with an error reply's text, or when the connection is lost
 * @property {(what: What, command: readonly Word[] | readonly (readonly Word[])[], judge?: Judge) => Promise<Operation>} write sends a
 *   command, or several as one transaction, with the WAIT of the mode, and enters it
 * @property {(what: What, token: string, command: readonly Word[]) => Promise<Operation>} compared the same, if the key has this value: `no` if it does not
 * @property {(channel: string, onMessage: (text: string) => void) => Promise<void>} subscribe resolves when the subscription has ended
 *
 * A source of histories runs the roles of workloads: the native client does, and a driver of a library may.
 *
 * @typedef {{name: string, title: string, workloads: readonly string[], start: (setting: Setting) => Promise<RunningSource>}} Source title: as
 *   reports call it; workloads: that it can run; start: connects, and adds a backlog
 *
 * @typedef {Object} Setting all of it is structured-cloneable
 * @property {readonly string[]} workloads to run
 * @property {string} prefix of all keys of this source
 * @property {Pick<TrialPlan, 'nodes' | 'sentinels' | 'sentinelsAnnounced' | 'masterName' | 'credentials'>} trial
 * @property {{minority?: string, majority?: string}} from addresses to dial from, of the sides of a partition
 * @property {{waitReplicas: number, waitLocal?: 0 | 1, waitTimeoutMs: number}} wait after each write
 *
 * @typedef {Object} RunningSource
 * @property {() => Promise<void>} begin resolves when the roles are at work
 * @property {() => Promise<Histories>} stop no more operations begin; resolves to all that was recorded
 * @property {() => Promise<Histories>} drain after the nodes are healed; resolves to the whole histories
 * @property {() => Promise<void>} close idempotent; ends everything, whatever it is doing
 */

export {};
