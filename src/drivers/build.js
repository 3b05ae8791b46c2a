/** Building the drivers of a language: its commands, one after the other. This is the only step that may download something. */
import { codeOf } from '../errors.js';
import { runProgram } from '../programs.js';
import { fromOutside } from '../untrusted.js';
import { markBuilt, openCache } from './cache.js';
import { endOf, howEnded } from './child.js';
import { problem } from './sentences.js';

/** @import { Language } from './manifest.js' */

/**
 * @param {Language} language whose programs are there
 * @param {{tell: (line: string) => void, signal?: AbortSignal}} options tell: gets each command before it runs
 * @throws {UserError} a command fails; the drivers then count as not built
 */
export async function buildLanguage(language, { tell, signal }) {
  const { id, source, install } = language;
  openCache(language);
  for (const command of language.build) {
    signal?.throwIfAborted();
    const shown = fromOutside(command.join(' '));
    tell(`${id}: ${shown}`);
    const { status, stdout, stderr, failure } = await runProgram(command, { cwd: source, signal });
    signal?.throwIfAborted();
    if (status === 0) continue;
    const how = failure ? `cannot be started (${codeOf(failure)})` : howEnded({ status, signal: null });
    const needs = install === null ? '' : ` What the language needs: ${install}.`;
    throw problem('not-built', { id, command: shown, how, needs }, { detail: endOf(stdout + stderr) });
  }
  markBuilt(language);
}
