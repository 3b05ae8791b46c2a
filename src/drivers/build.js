/** Building the drivers of a language: its commands, one after the other. This is the only step that may download something. */
import { codeOf } from '../errors.js';
import { fromOutside } from '../untrusted.js';
import { markBuilt, openCache } from './cache.js';
import { endOf, howEnded, startChild } from './child.js';
import { problem } from './sentences.js';

/** @import { Language } from './manifest.js' */

const LOG_BYTES = 64 * 1024;
const LOG_LINES = 20;

/**
 * @param {Language} language whose programs are there
 * @param {{tell: (line: string) => void, signal?: AbortSignal}} options tell: gets each command before it runs
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

/** @param {Language} language @param {readonly string[]} run @param {AbortSignal} [signal] */
async function runCommand({ id, source, install }, run, signal) {
  signal?.throwIfAborted();
  let log = '';
  const child = startChild(
    { run, name: id, cwd: source },
    {
      onLine: () => {},
      onOutput(chunk) {
        log = (log + chunk.toString('utf8')).slice(-LOG_BYTES);
      },
    },
  );
  child.closeInput();
  const kill = () => child.signal('SIGKILL');
  signal?.addEventListener('abort', kill, { once: true });
  const end = await child.ended;
  signal?.removeEventListener('abort', kill);
  signal?.throwIfAborted();
  if (end.status === 0) return;
  const how = end.error === undefined ? howEnded(end) : `cannot be started (${codeOf(end.error)})`;
  const needs = install === null ? '' : ` What the language needs: ${install}.`;
  const values = { id, command: fromOutside(run.join(' ')), how, needs };
  throw problem('not-built', values, { detail: endOf(log, LOG_LINES) });
}
