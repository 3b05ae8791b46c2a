/** A RedisShake process. Its configuration is in a temporary folder, and it always ends with this process. */
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { makeTemporaryFolder } from '../../src/private-files.js';
import { environmentForPrograms } from '../../src/programs.js';
import { cpuSecondsIn, diskBytesOf, statFields } from '../../src/stacks/hosts/processes.js';

/** @import { ChildProcess } from 'node:child_process' */

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
