import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownUid } from '../private-files.js';
import { holdsInTime } from '../stacks/fixture.js';
import { loopDevices, mountsIn } from '../stacks/volumes/volume.js';
import { KINDS } from '../stacks/volumes/volume-kinds.js';

/**
 * Runs the command line as users do: in a process of its own, judged by its output and its exit status.
 *
 * @typedef {Object} EndedCommand
 * @property {number | null} status
 * @property {NodeJS.Signals | null} signal that ended it
 * @property {string} stdout
 * @property {string} stderr
 *
 * @typedef {Object} StartedCommand
 * @property {number} pid
 * @property {(signal: NodeJS.Signals) => boolean} kill
 * @property {Promise<EndedCommand>} ended
 * @property {() => void} stopReading closes our end of its output
 * @property {(stream: 'stdout' | 'stderr', pattern: RegExp) => Promise<void>} says resolves once it has printed a match;
 *   rejects if it ends before
 *
 * @typedef {Object} Surroundings
 * @property {string} tmp its TMPDIR, which holds its stacks and journals
 * @property {NodeJS.ProcessEnv} [env] variables to change; undefined: unset
 * @property {number} [uid] runs it as this user, which needs root; the user need not be in passwd
 * @property {number | 'pipe'} [stdout] descriptor of its standard output; `ended` then has no text of it
 * @property {number | 'pipe'} [stderr] the same
 * @property {number} [deadlineMs] after this time it is killed, and `ended` rejects
 */

const CLI = fileURLToPath(new URL('./index.js', import.meta.url));

/** Several times what a run of a test takes beside other tests. Tests with longer runs say so. */
const DEADLINE_MS = 120_000;
/** Processes that wait for each core while tests run side by side. Where more wait, everything takes longer. */
const USUAL_LOAD = 4;
const MOST_TIMES_LONGER = 3;
/** For a run of a whole suite. */
export const LONG_RUN_MS = 300_000;
/** For a process that serves all tests of a file: longer than a file may take. */
export const SERVING_MS = 30 * 60_000;

/** @returns {number} on a busy machine up to three times as long */
function usualDeadline() {
  const [aMinuteAgo] = loadavg();
  const timesLonger = aMinuteAgo / availableParallelism() / USUAL_LOAD;
  return DEADLINE_MS * Math.min(Math.max(timesLonger, 1), MOST_TIMES_LONGER);
}

/** @param {string[]} args @param {Surroundings} surroundings @returns {StartedCommand} */
export function startCli(args, surroundings) {
  const { tmp, env = {}, uid, stdout = 'pipe', stderr = 'pipe', deadlineMs = usualDeadline() } = surroundings;
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: existsSync(tmp) && statSync(tmp).isDirectory() ? tmp : '/',
    ...(uid !== undefined && { uid, gid: uid }),
    env: {
      ...process.env,
      TMPDIR: tmp,
      XDG_STATE_HOME: join(tmp, 'state'),
      FORCE_COLOR: undefined,
      NODE_TEST_CONTEXT: undefined,
      ...env,
    },
    stdio: ['ignore', stdout, stderr],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    printed.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    printed.stderr += text;
  });
  const shown = () => `${args.join(' ')}\n${printed.stdout.slice(-500)}\n${printed.stderr}`;
  /** @type {Promise<EndedCommand>} */
  const ended = new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`did not end within ${deadlineMs / 1000} s: ${shown()}`));
    }, deadlineMs);
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolve({ status, signal, ...printed });
    });
  });
  return {
    pid: /** @type {number} */ (child.pid),
    kill: (signal) => child.kill(signal),
    ended,
    stopReading() {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    says: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(printed[stream])) return;
          child[stream]?.off('data', look);
          resolve();
        };
        child[stream]?.on('data', look);
        look();
        ended.then(() => reject(new Error(`ended without saying ${pattern}: ${shown()}`)), reject);
      }),
  };
}

/** @param {string[]} args @param {Surroundings} surroundings @returns {Promise<EndedCommand>} */
export function runCli(args, surroundings) {
  return startCli(args, surroundings).ended;
}

/** @param {string} folder @returns {string} a new folder in it, for the TMPDIR of one process */
export function newFolder(folder) {
  return mkdtempSync(join(folder, 'tmp-'));
}

/** @param {string} tmp @returns {string | null} the folder of the stack there; null: no stack */
export function stackFolder(tmp) {
  const base = stacksFolder(tmp);
  const [name] = list(base);
  return name === undefined ? null : join(base, name);
}

/** @param {string} tmp @returns {Record<string, number>} port by node */
export function portsIn(tmp) {
  const record = JSON.parse(readFileSync(join(String(stackFolder(tmp)), 'stack.json'), 'utf8'));
  return Object.fromEntries(record.nodes.map((/** @type {{id: string, port: number}} */ { id, port }) => [id, port]));
}

/** @param {string} tmp @param {string} id @returns {number} process of that node */
export function nodePid(tmp, id) {
  return Number(readFileSync(join(String(stackFolder(tmp)), id, 'pid'), 'utf8'));
}

/**
 * @param {string} tmp
 * @returns {string[]} the processes, files, volumes, mounts and loop devices that stacks have left there
 */
export function leftIn(tmp) {
  const base = stacksFolder(tmp);
  const processes = list('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const directory = workingDirectory(pid);
    return directory.startsWith(join(tmp, 'sentinel-bench-')) ? [`process ${pid} in ${directory}`] : [];
  });
  const volumes = list(tmp).filter((name) => Object.values(KINDS).some(({ prefix }) => name.startsWith(prefix)));
  const mounts = mountsIn(tmp).map((point) => `mount ${point}`);
  return [...processes, ...list(base), ...volumes, ...mounts, ...loopDevices(tmp)];
}

/** @param {string} tmp @returns {string[]} names of journals there: something is left to undo */
export const journalsIn = (tmp) => list(join(tmp, 'state', 'sentinel-bench', 'undo'));

/**
 * The last two lines say what is wrong and what to do.
 * @param {Pick<EndedCommand, 'status' | 'stderr'>} ended
 * @param {number} expected status
 * @param {RegExp} what
 * @param {RegExp} [remedy]
 */
export function assertRefused({ status, stderr }, expected, what, remedy = /\.$|: sentinel-bench report /) {
  assert.equal(status, expected, stderr);
  const lines = stderr.trim().split('\n');
  const at = lines.findIndex((line) => line.startsWith('error: '));
  assert.match(lines[at] ?? stderr, what);
  assert.equal(lines.length - at, 2, `one line that says what is wrong, one that says what to do:\n${stderr}`);
  assert.match(lines[at + 1], remedy);
  assert.doesNotMatch(stderr, / at .*\.js:/, 'no stack trace');
}

/** @param {string} top @returns {string[]} every file below it */
export function filesIn(top) {
  return readdirSync(top, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** @param {string} folder that a stack may be in */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/** @param {string} tmp */
function stacksFolder(tmp) {
  return join(tmp, `sentinel-bench-${ownUid()}`);
}

/** @param {string} pid */
function workingDirectory(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
}

/** @param {() => boolean | Promise<boolean>} condition @param {string} what @param {number} [deadlineMs] */
export async function becomes(condition, what, deadlineMs) {
  if (!(await holdsInTime(condition, deadlineMs))) throw new Error(`not in time: ${what}`);
}
