/**
 * The CPU time of processes that come and go, and of what they start.
 */
import { existsSync, readFileSync } from 'node:fs';
import { cpuSecondsIn, statFields } from '../../../src/stacks/processes.js';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * @typedef {Object} CpuMeter
 * @property {(child: ChildProcess) => void} watch until it ends
 * @property {() => number | null} seconds of all that were watched, ended ones as of the last call; never falls. null
 *   where the system does not report it
 */

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
        // An ended child that its parent has not waited for is counted nowhere.
        const now = Math.max(before, treeSeconds(pid));
        live.set(pid, now);
        sum += now;
      }
      return sum;
    },
  };
}

/**
 * @param {number} pid
 * @returns {number} seconds of CPU of this process and all that descend from it; 0: it is gone
 */
function treeSeconds(pid) {
  const stat = statFields(pid);
  if (!stat) return 0;
  const { own, endedChildren } = cpuSecondsIn(stat);
  return childrenOf(pid).reduce((sum, child) => sum + treeSeconds(child), own + endedChildren);
}

/**
 * @param {number} pid of a process whose main thread starts its children
 * @returns {number[]}
 */
function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    // It is gone.
    return [];
  }
}
