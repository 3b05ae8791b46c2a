import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentForPrograms } from '../../../programs.js';

/**
 * The `docker` command as a child process: Compose has no API of its own.
 */

const COMPOSE_FILE = fileURLToPath(new URL('../../../../docker-compose.yml', import.meta.url));

/** How long a child that was asked to end may take before it is killed. */
const END_DEADLINE_MS = 3000;

/**
 * @typedef {Object} Ended
 * @property {number | null} status null: it was killed, or there is no such command
 * @property {string} stdout
 * @property {string} stderr
 * @property {boolean} timedOut
 * @property {NodeJS.ErrnoException | null} failure why it could not be run at all (`ENOENT`: no docker command)
 */

/**
 * Runs `docker …` to its end and never rejects: what went wrong is in the result.
 *
 * @param {string[]} args
 * @param {Object} [options]
 * @param {Record<string, string>} [options.env] added to this process's environment
 * @param {AbortSignal} [options.signal] ends the command early; the promise still waits until it has ended
 * @param {number} [options.timeoutMs] > 0
 * @returns {Promise<Ended>}
 */
export function runDocker(args, { env, signal, timeoutMs } = {}) {
  return new Promise((resolve) => {
    // A process group of its own: Ctrl-C in a terminal must not end it behind our back, half-way through.
    const child = spawn('docker', args, {
      env: { ...environmentForPrograms(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let stdout = '';
    let stderr = '';
    let timedOut = false;
    /** @type {NodeJS.ErrnoException | null} */
    let failure = null;
    /** @type {NodeJS.Timeout | undefined} */
    let killTimer;

    /** @param {NodeJS.Signals} name */
    function signalGroup(name) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-child.pid, name);
    }
    function end() {
      signalGroup('SIGINT');
      killTimer ??= setTimeout(() => signalGroup('SIGKILL'), END_DEADLINE_MS);
    }
    const timer = timeoutMs
      ? setTimeout(() => {
          timedOut = true;
          end();
        }, timeoutMs)
      : undefined;

    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', (error) => {
      failure = error;
    });
    child.on('close', (status) => {
      clearTimeout(timer);
      clearTimeout(killTimer);
      signal?.removeEventListener('abort', end);
      resolve({ status: failure ? null : status, stdout, stderr, timedOut, failure });
    });
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/**
 * @param {string} project
 * @param {string[]} args
 * @param {Parameters<typeof runDocker>[1] & {file?: string}} [options] file: one more that says how the stack differs
 */
export function runCompose(project, args, { file, ...options } = {}) {
  const files = [COMPOSE_FILE, ...(file === undefined ? [] : [file])].flatMap((each) => ['--file', each]);
  return runDocker(['compose', ...files, '--project-name', project, ...args], options);
}
