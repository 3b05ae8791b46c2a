/** The native client as a source of histories, in a thread of its own. Half of the processes of each role are with each of two clients. */
/** @import { Source } from '../types.js' */
import { startWorker } from '../../../src/worker-thread.js';
import { WORKLOADS } from '../index.js';

/** Connecting has deadlines of its own, of up to 15 s, and a backlog may have to be confirmed. */
const BEGIN_MS = 60_000;
const STOP_MS = 30_000;
/** A backlog may be left. */
const DRAIN_MS = 60_000;

/** @type {readonly Source[]} */
export const NATIVE_SOURCES = Object.freeze([
  // One client stays with its node until an error, the other one moves as soon as a Sentinel says so.
  source('mixed', 'half of the clients stay', [false, true]),
  source('aware', 'every client moves', [true, true]),
]);

/** @param {string} name @param {string} title @param {readonly boolean[]} failoverAware of the two clients @returns {Source} */
function source(name, title, failoverAware) {
  return {
    name,
    title,
    workloads: WORKLOADS.map((workload) => workload.name),
    async start(setting) {
      const thread = startWorker(new URL('./thread.js', import.meta.url), { name: 'the thread of the workloads' });
      return {
        begin: () => thread.ask({ begin: { ...setting, failoverAware } }, { deadlineMs: BEGIN_MS }),
        stop: () => thread.ask({}, { deadlineMs: STOP_MS }),
        drain: () => thread.ask({ drain: true }, { deadlineMs: DRAIN_MS }),
        close: () => thread.close(),
      };
    },
  };
}
