/** The processes of a tunnel on this machine: restarting one that ended, and the CPU time of all. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSecondsIn, statFields, textOf } from '../../../src/stacks/hosts/processes.js';

/** @import { ChildProcess } from 'node:child_process' */
/**
 * @typedef {Object} Supervised
 * @property {() => boolean} runs
 * @property {() => string} said the last lines it wrote to standard error
 * @property {() => number | null} cpuSeconds of it and its descendants, while they run; null: the system does not report it
 * @property {() => Promise<void>} kill SIGKILL; resolves when it has ended
 * @property {() => Promise<void>} hang SIGSTOP
 * @property {() => Promise<void>} killAll with what restarts it, if that is a process
 * @property {() => Promise<void>} close for good; idempotent
 */

const KEPT_CHARACTERS = 2000;
/** Without it the children of sshd would be left out. */
const IS_KNOWN = existsSync(`/proc/self/task/${process.pid}/children`);

/**
 * @param {() => ChildProcess} start with standard error piped
 * @param {number} [restartAfterMs] after its end; default: no restart
 * @returns {Supervised}
 */
export function supervise(start, restartAfterMs) {
  const closing = new AbortController();
  /** @type {ChildProcess | null} null: it has ended */
  let child = null;
  let ended = Promise.resolve();
  let said = '';

  /** @param {ChildProcess} launched @returns {Promise<void>} of its end */
  function watched(launched) {
    launched.stderr?.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
    return new Promise((resolve) => {
      launched.once('exit', () => resolve());
      launched.once('error', (error) => {
        said += error.message;
        resolve();
      });
    });
  }

  async function goOn() {
    for (;;) {
      child = start();
      ended = watched(child);
      await ended;
      child = null;
      if (restartAfterMs === undefined) return;
      await delay(restartAfterMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
    }
  }

  async function kill() {
    child?.kill('SIGKILL');
    await ended;
  }

  goOn();
  return {
    runs: () => child !== null,
    said: () => said.trim(),
    cpuSeconds: () => (IS_KNOWN ? treeSeconds(child?.pid) : null),
    kill,
    hang: async () => void child?.kill('SIGSTOP'),
    killAll: kill,
    async close() {
      closing.abort();
      await kill();
    },
  };
}

/** @param {number | undefined} pid @returns {number} CPU seconds of this process and all its descendants; 0: it is gone */
function treeSeconds(pid) {
  const stat = pid === undefined ? null : statFields(pid);
  if (!pid || !stat) return 0;
  const { ownSeconds, endedChildren } = cpuSecondsIn(stat);
  return childrenOf(pid).reduce((seconds, child) => seconds + treeSeconds(child), ownSeconds + endedChildren);
}

/** @param {number} pid of a process whose main thread starts its children @returns {number[]} empty: it is gone */
export function childrenOf(pid) {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}
