/**
 * Keeps one end of a tunnel running: it restarts what ends, some time later.
 */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @import { CpuMeter } from './meter-cpu.js'
 * @import { ChildProcess } from 'node:child_process'
 */

/**
 * @typedef {Object} Supervised
 * @property {() => boolean} runs
 * @property {() => number} restarts number of restarts
 * @property {() => string} said the last lines it wrote to standard error
 * @property {() => Promise<void>} kill SIGKILL; resolves when it has ended
 * @property {() => Promise<void>} close for good; idempotent
 */

const KEPT_CHARACTERS = 2000;

/**
 * @param {Object} options
 * @param {() => ChildProcess} options.start with standard error piped
 * @param {CpuMeter} options.cpu
 * @param {number} [options.restartAfterMs] default: no restart
 * @param {(line: string) => void} [options.tell] called when it ends
 * @param {string} options.name of what runs, for that
 * @returns {Supervised}
 */
export function supervise({ start, cpu, restartAfterMs, tell = () => {}, name }) {
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
    tell(`${name} ended; it starts again in ${afterMs} ms.`);
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
    // Afterwards the process is gone.
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
    async close() {
      closing.abort();
      await kill();
    },
  };
}
