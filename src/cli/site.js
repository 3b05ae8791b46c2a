/** `sentinel-bench site`: a static site over runs. */
import { readdir } from 'node:fs/promises';
import { ResultSchema, suites } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { writeSite } from '../report/site.js';
import { everyRun } from '../result/runs.js';
import { print, tell } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addSiteCommand(program) {
  program
    .command('site')
    .summary('write a static site over runs')
    .description('Writes a page with charts for each run in the folders, and an index. The site needs no server.')
    .argument('<dir>', 'folder of the site; it must not exist, or be empty')
    .argument('[folders...]', 'folders of runs (default: results)')
    .option('--force', 'write into a folder that has files; pages of the same names are replaced')
    .addHelpText(
      'after',
      `
Exit status: 0 written; 2 no run there, or the folder of the site has files; 3 the site cannot be written.

Example:
  sentinel-bench site public results/sample`,
    )
    .action(site);
}

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
