/** A RedisShake process. Its configuration is in a temporary folder, and it always ends with this process. */
/** @import { MoveTotals, Pair } from './move.js' */
/** @import { ChildProcess } from 'node:child_process' */
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { connect } from '../../src/clients/connection.js';
import { makeTemporaryFolder } from '../../src/private-files.js';
import { environmentForPrograms } from '../../src/programs.js';
import { repeatedly } from '../../src/repeat.js';
import { cpuSecondsIn, diskBytesOf, statFields } from '../../src/stacks/hosts/processes.js';
import { median, sum } from '../../src/stats/statistics.js';
import { allEnded } from '../../src/wait.js';

const KEPT_BYTES = 4096;
/** What a process has written to disk can be read while it runs only. A scan ends by itself, without anybody looking. */
const LOOK_MS = 100;

/**
 * Runs it ($0, in the folder $1) beside a watcher that reads from us. When this process closes that or ends, even by
 * SIGKILL, the watcher ends RedisShake and removes the folder. The shell's `Killed` goes to a closed pipe, which must not end it early.
 */
const SCRIPT = `
"$0" "$1/shake.toml" 3<&- &
child=$!
trap '' PIPE
echo "$child" >&2
(read -r _ <&3; kill -9 "$child") 2>/dev/null &
watcher=$!
wait "$child"
status=$?
kill "$watcher" 2>/dev/null
rm -rf "$1"
times >&2
exit "$status"
`;

/**
 * @typedef {Object} Shake
 * @property {Promise<void>} ended it has finished its work; rejects when it failed or was ended
 * @property {() => number | null} cpuSeconds null: not known
 * @property {() => number | null} diskBytes that it has written until the last look; null: not known
 * @property {() => Promise<void>} end idempotent; removes the process and its folder
 *
 * @param {string} program
 * @param {(folder: string) => string} configuration for `shake.toml`; its files belong in the folder
 * @returns {Promise<Shake>}
 */
export async function startShake(program, configuration) {
  const folder = makeTemporaryFolder('sentinel-bench-shake-');
  /** @type {ChildProcess} */
  let child;
  try {
    await writeFile(join(folder, 'shake.toml'), configuration(folder), { mode: 0o600 });
    // A session of its own, so that Ctrl-C reaches this process only.
    child = spawn('sh', ['-c', SCRIPT, program, folder], {
      env: environmentForPrograms(),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  let output = '';
  let reported = '';
  child.stdout?.on('data', (data) => {
    output = (output + data).slice(-KEPT_BYTES);
  });
  child.stderr?.on('data', (data) => {
    reported = (reported + data).slice(0, KEPT_BYTES);
  });
  // It may end before this process.
  child.stdio[3]?.on('error', () => {});

  /** @type {number | null} */
  let cpu = null;
  /** @type {number | null} */
  let disk = null;
  const pid = () => Number(/^\d+/.exec(reported)?.[0] ?? 0);
  let over = false;
  let ending = false;
  const look = () => {
    disk = (over ? null : diskBytesOf(pid())) ?? disk;
  };
  const looks = setInterval(look, LOOK_MS).unref();
  const closed = new Promise((resolve) => {
    child.on('error', (error) => {
      output += error.message;
      resolve(null);
    });
    child.on('close', resolve);
  });
  const ended = closed.then(async (status) => {
    over = true;
    clearInterval(looks);
    cpu = childSeconds(reported) ?? cpu;
    await rm(folder, { recursive: true, force: true });
    if (ending) throw new Error('redis-shake was ended');
    if (status !== 0) throw new Error(`redis-shake ended with status ${status}: ${lastWords(output)}`);
  });
  ended.catch(() => {});

  return {
    ended,
    cpuSeconds() {
      const fields = over ? null : statFields(pid());
      if (fields) cpu = cpuSecondsIn(fields).ownSeconds;
      return cpu;
    },
    diskBytes() {
      look();
      return disk;
    },
    async end() {
      ending = true;
      child.stdio[3]?.destroy();
      await ended.catch(() => {});
    },
  };
}

/** @param {string} reported output of the shell's `times`: the shell's own times, then those of its children, such as `0m1.250s 0m0.310s` */
function childSeconds(reported) {
  const times = [...reported.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  return times.length < 2
    ? null
    : times.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

/** @param {string} output */
function lastWords(output) {
  const lines = stripVTControlCharacters(output).trim().split('\n');
  return lines.find((line) => /\b(?:PNC|FTL|ERR|panic)\b/.test(line)) ?? lines.at(-1) ?? '';
}

const POLL_MS = 500;
const ANSWER_MS = 2000;

/** @typedef {{write_count: number, write_ops: number}} EntryCounts */

/**
 * @param {number} port of the status page on this machine
 * @returns {{figures: () => NonNullable<MoveTotals['reported']>, close: () => Promise<void>}} asks until it is closed. A page that does not answer yields no
 *   figures, and no error
 */
export function watchStatus(port) {
  let written = 0;
  /** @type {number[]} */
  const rates = [];
  async function look() {
    const counts = await countsOf(port);
    if (!counts) return;
    written = counts.write_count;
    // The page repeats a rate until it has a new one, and rounds a pause to 0.
    if (counts.write_ops > 0 && counts.write_ops !== rates.at(-1)) rates.push(counts.write_ops);
  }
  return { figures: () => ({ written, rates: [[...rates]] }), close: repeatedly(look, POLL_MS) };
}

/** @param {number} port @returns {Promise<EntryCounts | null>} null: no answer, as before its start and after its end */
async function countsOf(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const { total_entries_count: counts } = /** @type {{total_entries_count: EntryCounts}} */ (await answer.json());
    return Number.isFinite(counts.write_count) && Number.isFinite(counts.write_ops) ? counts : null;
  } catch {
    return null;
  }
}

/**
 * @param {MoveTotals['reported']} figures
 * @returns {{written: number, rate: number | null} | undefined} rate: writes a second of all movers together, the median of each; null:
 *   one of them reported none, as in a copy of less than two seconds
 */
export function reportOf(figures) {
  if (figures === null) return undefined;
  const rates = figures.rates.map((pairRates) => (pairRates.length === 0 ? null : median(pairRates)));
  return { written: figures.written, rate: rates.includes(null) ? null : sum(rates.map(Number)) };
}

/**
 * One notification a change: `E` names the key in `__keyevent@0__:<event>`; `K` would repeat everything. `A` is every class of changes. The command that
 * makes a new key (`n`) notifies anyway, and misses (`m`) change nothing.
 */
const CLASSES = 'EA';
const SETTING = 'notify-keyspace-events';

/**
 * Makes sources notify every change of a key. No server notifies FLUSHALL, FLUSHDB, SWAPDB, or what consumers of a stream have
 * read and acknowledged (XREADGROUP, XACK, XCLAIM).
 * @param {readonly Pick<Pair, 'source' | 'credentials'>[]} pairs
 * @param {AbortSignal} [signal]
 * @returns {Promise<() => Promise<void>>} restores the setting of every source; a source that is gone needs nothing. Rejects when one
 *   could not be changed, and the others have their setting back
 */
export async function switchNoticesOn(pairs, signal) {
  /** @type {(() => Promise<void>)[]} */
  const undo = [];
  const putBack = async () => {
    await allEnded(undo.map((one) => one()));
  };
  try {
    for (const { source, credentials } of pairs) {
      const target = { ...source, credentials };
      const connection = await connect(target, signal);
      try {
        const reply = /** @type {Buffer[]} */ (await connection.call('CONFIG', 'GET', SETTING));
        const former = reply[1].toString('latin1');
        // Noted first: after an interruption the source may or may not have the setting.
        undo.push(async () => {
          const again = await connect(target).catch(() => null);
          await again?.call('CONFIG', 'SET', SETTING, former).finally(() => again.close());
        });
        await connection.call('CONFIG', 'SET', SETTING, [...new Set(former + CLASSES)].join(''));
      } finally {
        connection.close();
      }
    }
  } catch (error) {
    await putBack().catch(() => {});
    throw error;
  }
  return putBack;
}
