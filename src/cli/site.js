/** `sentinel-bench site`: a static site over runs. */
import { readdir } from 'node:fs/promises';
import { ResultSchema, suites } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { writeSite } from '../report/site.js';
import { everyRun } from '../result/runs.js';
import { declare } from './declare.js';
import { print, tell } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export const addSiteCommand = (program) => declare(program, 'site').action(site);

/** @param {string} dir @param {string[]} folders @param {{force?: true}} options */
async function site(dir, folders, { force }) {
  const inside = await readdir(dir).catch(() => []);
  if (inside.length > 0 && !force)
    throw badInput(
      `${dir} has files already.`,
      'Name an empty folder, or add --force to replace pages of the same names.',
    );
  const places = folders.length > 0 ? folders : ['results'];
  await writeSite(dir, everyRun(places, tell, ResultSchema), suites);
  print(`${dir}/index.html`);
}
