/** The processes of a tunnel on this machine: a supervisor that restarts one end, and the CPU time of the processes. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuSecondsIn, statFields } from '../../../src/stacks/processes.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 *
 * @typedef {Object} Supervised
 * @property {() => boolean} runs
 * @property {() => number} restarts number of restarts
 * @property {() => string} said the last lines it wrote to standard error
 * @property {() => Promise<void>} kill SIGKILL; resolves when it has ended
 * @property {() => Promise<void>} hang SIGSTOP
 * @property {() => Promise<void>} close for good; idempotent
 *
 * @typedef {Object} CpuMeter
 * @property {(child: ChildProcess) => void} watch until it ends
 * @property {() => number | null} seconds of all that were watched, ended ones as of the last call; never falls. null
 *   where the system does not report it
 */

const KEPT_CHARACTERS = 2000;

/**
 * @param {Object} options
 * @param {() => ChildProcess} options.start with standard error piped
 * @param {CpuMeter} options.cpu
 * @param {number} [options.restartAfterMs] default: no restart
 * @returns {Supervised}
 */
export function supervise({ start, cpu, restartAfterMs }) {
  const closing = new AbortController();
  /** @type {ChildProcess | null} null: it has ended */
  let child = null;
  /** @type {Promise<void>} */
  let ended = Promise.resolve();
  let said = '';
  let restarts = 0;

  function launch() {
    const mine = start();
    child = mine;
    cpu.watch(mine);
    mine.stderr?.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
    ended = new Promise((resolve) => {
      mine.once('exit', () => resolve());
      mine.once('error', (error) => {
        said += error.message;
        resolve();
      });
    });
    ended.then(() => {
      child = null;
      if (!closing.signal.aborted && restartAfterMs !== undefined) restart(restartAfterMs);
    });
  }

  /** @param {number} afterMs */
  async function restart(afterMs) {
    try {
      await delay(afterMs, undefined, { signal: closing.signal });
      // The delay may have ended in the same moment as `close`.
      closing.signal.throwIfAborted();
    } catch {
      // Closed meanwhile.
      return;
    }
    restarts++;
    launch();
  }

  async function kill() {
    // Read now: afterwards the process is gone.
    cpu.seconds();
    child?.kill('SIGKILL');
    await ended;
  }

  launch();
  return {
    runs: () => child !== null,
    restarts: () => restarts,
    said: () => said.trim(),
    kill,
    hang: async () => void child?.kill('SIGSTOP'),
    async close() {
      closing.abort();
      await kill();
    },
  };
}

/** Without it the children of sshd would be left out. */
const IS_KNOWN = existsSync(`/proc/self/task/${process.pid}/children`);

/** @returns {CpuMeter} */
export function createCpuMeter() {
  /** @type {Map<number, number>} pid → seconds as of last time */
  const live = new Map();
  let ended = 0;
  return {
    watch(child) {
      const { pid } = child;
      if (pid === undefined) return;
      live.set(pid, 0);
      child.once('exit', () => {
        ended += live.get(pid) ?? 0;
        live.delete(pid);
      });
    },
    seconds() {
      if (!IS_KNOWN) return null;
      let sum = ended;
      for (const [pid, before] of live) {
        // Until its parent waits for it, an ended child is counted nowhere.
        const now = Math.max(before, treeSeconds(pid));
        live.set(pid, now);
        sum += now;
      }
      return sum;
    },
  };
}

/** @param {number} pid @returns {number} CPU seconds of this process and all its descendants; 0: it is gone */
function treeSeconds(pid) {
  const stat = statFields(pid);
  if (!stat) return 0;
  const { ownSeconds, endedChildren } = cpuSecondsIn(stat);
  return childrenOf(pid).reduce((sum, child) => sum + treeSeconds(child), ownSeconds + endedChildren);
}

/**
 * @param {number} pid of a process whose main thread starts its children
 * @returns {number[]}
 */
export function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    // It is gone.
    return [];
  }
}
