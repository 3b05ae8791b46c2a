/**
 * The thread that runs the writers of a trial. Its messages in both directions can be cloned between threads.
 * @import { Shape, Target } from '../clients/types.js'
 * @import { Address, Credentials } from '../stacks/types.js'
 * @import { LibraryVersion } from '../result/failure-schema.js'
 * @import { Load } from './types.js'
 */
import { openThread } from './thread.js';

/** Connecting has its own deadlines, of up to 15 s; the runtimes of many drivers start at once. */
const GRACE_MS = 60_000;

/**
 * @typedef {Object} WriterPlan
 * @property {string} name as in src/registry/writers.js
 * @property {string} [from] the address that it dials from; default: the system chooses
 * @property {boolean} [appends] it writes with APPEND, so that a write that was applied twice shows in its value; default: false
 * @property {number} rate writes a second, evenly spaced: write number i is due i/rate seconds after the writers began
 * @property {number} connections ≥ 1; of a library: writes that may be under way at once on its connection
 * @property {Shape} shape `pipeline` is 1; no other writer has this `keyPrefix`. `valueMaker(keyPrefix, payloadBytes)` makes the values
 * @property {SharedArrayBuffer} ledger memory of a ledger; a writer ends when it is full
 * @typedef {{id: string, address: Address, announced: Address}} TrialNode its number in the ledger is its place in the list, counted from
 *   1; address: where this process reaches it; announced: what Sentinels call it
 * @typedef {Object} TrialPlan
 * @property {WriterPlan[]} writers
 * @property {string} [module] URL of the module that makes writers and probes; default: Redis’s @property {TrialNode[]} nodes
 * @property {Target[]} sentinels if empty, the first node is always the primary
 * @property {Address[]} [sentinelsAnnounced] what the Sentinels call each other, in the order of `sentinels`; default: as they are reached
 * @property {Address} [virtualAddress] the primary's further address, which moves with the role @property {string} masterName
 * @property {Credentials} credentials
 * @property {number} giveUpMs a write that could not be sent for so long is entered as unsent
 * @property {number} drainMs how long to wait for answers after `stop`
 * @property {number} [readsPerSecond] probes for stale reads; default 0
 * @property {number} [tickMs] between two looks at what is due, whole and ≥ 1; each look takes CPU from the servers. Default: 1
 * @typedef {Object} WriterSample
 * @property {string} name @property {number} writes numbers 0 … writes - 1 were due
 * @property {Record<string, number>} errors how often each kind of error was seen
 * @property {{afterMs: number, text: string} | null} firstError milliseconds since the writers began
 * @property {{afterMs: number, node: number}[]} moves to which node it (re)connected and when, from the beginning; a library may not report
 *   all
 * @property {LibraryVersion} [library] of a driver, as it says
 * @typedef {Object} TrialSample
 * @property {number} beganAt `clockMs()` when write 0 was due
 * @property {number} endedAt `clockMs()` when the last answer came or was given up @property {WriterSample[]} writers in the plan's order
 * @property {{reads: number, stale: number, failed: number, longestMs: number}} reads longestMs: from an acknowledgement to a stale read
 * @property {number} lateMs the longest time between two looks at what is due @property {Load} load
 * @typedef {Object} TrialThread runs one trial at a time
 * @property {(plan: TrialPlan) => Promise<{beganAt: number}>} start connects, then begins; resolves when write 0 is due
 * @property {() => Promise<TrialSample>} stop no more writes become due; resolves when the writes under way have ended or were given up
 * @property {() => Promise<void>} close idempotent; ends the thread, whatever it is doing
 * @typedef {Object} TrialStart
 * @property {(plan: TrialPlan) => Promise<void>} prepare connects
 * @property {(atMs: number) => Promise<{beganAt: number}>} beginAt write 0 is due then, by `clockMs()`; resolves shortly after
 */

/** @returns {TrialThread & TrialStart} `start` and `stop` reject when the thread fails or hangs; the next trial then gets a new thread */
export function startTrialThread() {
  const thread = openThread({ file: './trial-worker.js', name: "the writers' thread", job: 'trial' });
  let drainMs = 0;
  async function prepare(/** @type {TrialPlan} */ plan) {
    drainMs = plan.drainMs;
    await thread.begin(plan, GRACE_MS);
  }
  /** @param {number} [atMs] default: now */
  const beginAt = (atMs) => thread.step({ atMs }, GRACE_MS);
  return {
    async start(plan) {
      await prepare(plan);
      return beginAt();
    },
    prepare,
    beginAt,
    stop: () => thread.finish(drainMs + GRACE_MS),
    close: thread.close,
  };
}
