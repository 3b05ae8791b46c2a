/** `sentinel-bench drivers build` and `list`: the drivers that come with the program, by language. */
import chalk from 'chalk';
import { buildLanguage } from '../drivers/build.js';
import { readLanguages } from '../drivers/manifest.js';
import { UserError } from '../errors.js';
import { abortable } from '../run/interruption.js';
import { cleanLine } from '../untrusted.js';
import { errorText, print, printJson, tell } from './output.js';
import { refusal } from './refusals.js';

/** @import { DriverEntry, Language } from '../drivers/manifest.js' */

export const commands = { drivers: {}, 'drivers list': { run: list }, 'drivers build': { run: build } };

/** @param {{json?: boolean}} options */
function list({ json }) {
  const languages = readLanguages();
  if (json) {
    printJson({ schema: 'sentinel-bench/drivers@1', languages: languages.map(documentOf) });
    return;
  }
  if (languages.length === 0) print('There are no drivers in this installation.');
  for (const { language, id, drivers, workloads, missing, install, built } of languages) {
    const state =
      missing.length > 0 ? chalk.yellow(`needs ${missing.join(', ')}`) : built ? chalk.green('ready') : 'not built';
    print(`${chalk.bold(language)} (drivers/${id}): ${state}`);
    for (const { name, variants } of [...drivers, ...workloads]) {
      for (const [variant, what] of Object.entries(variants)) {
        print(`  ${`${name} (${variant})`.padEnd(36)}  ${cleanLine(what).replaceAll('`', '')}`);
      }
    }
    if (missing.length > 0) print(`  To install it: ${install ?? 'use your package manager'}.`);
    else if (!built) print(`  Build it with \`sentinel-bench drivers build ${id}\`.`);
  }
}

/** @param {Language} language */
function documentOf({ id, language, needs, missing, install, built, drivers, workloads }) {
  /** @param {DriverEntry} entry */
  const entryOf = ({ name, title, variants, missing: why }) => ({ name, title, variants, missing: why });
  const ofWorkloads = workloads.map((each) => ({ ...entryOf(each), workload: each.workload }));
  return { id, language, needs, missing, install, built, drivers: drivers.map(entryOf), workloads: ofWorkloads };
}

/** @param {string | undefined} name @param {{again?: boolean}} options */
async function build(name, { again = false }) {
  const all = readLanguages();
  const wanted = all.filter(
    ({ id, drivers, workloads }) =>
      name === undefined || id === name || [...drivers, ...workloads].some((each) => each.name === name),
  );
  if (wanted.length === 0 && name !== undefined)
    throw refusal('no-language', { name: cleanLine(name), known: all.map(({ id }) => id).join(', ') });
  const failed = await abortable((signal) => buildAll(wanted, { again, named: name !== undefined, signal }), tell);
  if (failed.length > 0) throw refusal('drivers-not-built', { failed: failed.join(', ') });
}

/**
 * @param {readonly Language[]} languages
 * @param {{again: boolean, named: boolean, signal: AbortSignal}} options named: the user named it, so a missing program is an error
 * @returns {Promise<string[]>} ids of those that could not be built
 */
async function buildAll(languages, { again, named, signal }) {
  const failed = [];
  for (const language of languages) {
    const { id, missing, built, install } = language;
    if (missing.length > 0) {
      const how = install === null ? 'Install it.' : `To install it: ${install}.`;
      tell(`${id}: ${missing.join(', ')} is not on PATH. ${how}`);
      if (named) failed.push(id);
      continue;
    }
    if (built && !again) {
      tell(`${id}: built already.`);
      continue;
    }
    try {
      const began = performance.now();
      await buildLanguage(language, { tell, signal });
      tell(`${id}: built in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
    } catch (error) {
      if (!(error instanceof UserError) || signal.aborted) throw error;
      tell(`${errorText(error)}${error.detail ? '\n' : ''}`);
      failed.push(id);
    }
  }
  return failed;
}
