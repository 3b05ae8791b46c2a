/** Building the drivers of a language: its commands, one after the other. This is the only step that may download something. */
import { spawn } from 'node:child_process';
import { UserError } from '../errors.js';
import { environmentForPrograms } from '../programs.js';
import { fromOutside } from '../untrusted.js';
import { markBuilt, openCache } from './cache.js';

/** @import { Language } from './manifest.js' */

const LOG_BYTES = 64 * 1024;
const LOG_LINES = 20;

/**
 * @param {Language} language whose programs are there
 * @param {{tell: (line: string) => void, signal?: AbortSignal}} options tell: gets each command before it runs
 * @returns {Promise<void>}
 * @throws {UserError} a command fails; the drivers then count as not built
 */
export async function buildLanguage(language, { tell, signal }) {
  openCache(language);
  for (const command of language.build) {
    tell(`${language.id}: ${fromOutside(command.join(' '))}`);
    await runCommand(language, command, signal);
  }
  markBuilt(language);
}

/** @param {Language} language @param {readonly string[]} command @param {AbortSignal} [signal] @returns {Promise<void>} */
function runCommand({ id, source, install }, [program, ...args], signal) {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: source,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environmentForPrograms(),
    });
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Every process of the group has ended.
      }
    };
    signal?.addEventListener('abort', kill, { once: true });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        log = (log + chunk.toString('utf8')).slice(-LOG_BYTES);
      });
    }
    const fail = (/** @type {string} */ how) =>
      reject(
        new UserError(
          `The drivers in ${id} cannot be built: \`${fromOutside([program, ...args].join(' '))}\` ${how}.`,
          install === null
            ? 'See its last lines below.'
            : `See its last lines below. What the language needs: ${install}.`,
          { detail: fromOutside(log.trimEnd().split('\n').slice(-LOG_LINES).join('\n')) },
        ),
      );
    child.on('error', (error) => fail(`cannot be started (${/** @type {NodeJS.ErrnoException} */ (error).code})`));
    child.on('close', (status, killedBy) => {
      signal?.removeEventListener('abort', kill);
      if (signal?.aborted) reject(signal.reason);
      else if (status === 0) resolve();
      else fail(killedBy === null ? `ended with status ${status}` : `was ended by ${killedBy}`);
    });
  });
}
