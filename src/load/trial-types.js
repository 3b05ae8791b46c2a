/**
 * @import { Shape, Target } from '../clients/types.js'
 * @import { Address, Credentials } from '../stacks/types.js'
 * @import { Load } from './types.js'
 */

/**
 * What the orchestrating thread and the thread of the writers of a trial say to each other. Types only; all of it is
 * structured-cloneable.
 *
 * @typedef {'stays' | 'follows' | 'redis' | 'ioredis'} WriterName
 *   stays: on its node until an error or a lost connection, then asks the Sentinels who is the primary; follows: the same, and
 *   moves as soon as a Sentinel says `+switch-master`; redis, ioredis: that library's Sentinel client with its default
 *   options, as applications use it
 *
 * @typedef {Object} WriterPlan
 * @property {WriterName} name
 * @property {number} rate writes a second, evenly spaced: write number i is due i/rate seconds after the writers began
 * @property {number} connections ≥ 1; of a library: writes that may be under way at once, on the connection it has
 * @property {Shape} shape `pipeline` is 1; `keyPrefix` is this writer's own. The value of write i is
 *   that of `valueMaker(keyPrefix, payloadBytes)`. A library writes with APPEND instead of SET, so that a write
 *   applied twice shows in its value
 * @property {SharedArrayBuffer} ledger memory of a ledger; a writer ends when it is full
 *
 * @typedef {Object} TrialNode a Redis node; its number in the ledger is its place in the list, counted from 1
 * @property {string} id
 * @property {Address} address where this process reaches it
 * @property {Address} announced what Sentinels call it
 *
 * @typedef {Object} TrialPlan
 * @property {WriterPlan[]} writers
 * @property {string} [module] URL of the module that makes writers and probes; default: those of Redis
 * @property {TrialNode[]} nodes
 * @property {Target[]} sentinels none: the first node is the primary, whatever happens
 * @property {string} masterName
 * @property {Credentials} credentials
 * @property {number} giveUpMs a write that could not leave for so long is entered as unsent
 * @property {number} drainMs after `stop`, answers are awaited for so long
 * @property {number} [readsPerSecond] probes for stale reads: each reads, on a node other than the one that acknowledged it, a
 *   write acknowledged just before; default 0
 *
 * @typedef {Object} WriterSample
 * @property {WriterName} name
 * @property {number} writes numbers 0 … writes - 1 were due
 * @property {Record<string, number>} errors how often each kind of error was seen
 * @property {{afterMs: number, text: string} | null} firstError milliseconds since the writers began
 * @property {{afterMs: number, node: number}[]} moves to which node it (re)connected and when; the first is where it began. Of a
 *   library: what it tells of it
 *
 * @typedef {Object} TrialSample
 * @property {number} beganAt `clockMs()` when write 0 was due
 * @property {number} endedAt `clockMs()` when the last answer had come or was given up
 * @property {WriterSample[]} writers in the plan's order
 * @property {{reads: number, stale: number, failed: number, longestMs: number}} reads stale: an acknowledged write was not
 *   there; longestMs: the oldest write that was missed, from its acknowledgement to the read's answer
 * @property {Load} load
 *
 * @typedef {Object} TrialThread runs one trial at a time
 * @property {(plan: TrialPlan) => Promise<{beganAt: number}>} start connects, then begins; resolves when write 0 is due
 * @property {() => Promise<TrialSample>} stop no more writes become due; resolves when what is under way has ended or was given up
 * @property {() => Promise<void>} close idempotent; ends the thread, whatever it is doing
 */

export {};
