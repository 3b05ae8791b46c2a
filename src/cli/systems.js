/** `sentinel-bench systems`: one table across systems, from the results of several suites. */
import { ResultSchema, systemsBlocks } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { renderBlocks } from '../report/blocks.js';
import { readResult } from '../result/read.js';
import { print } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addSystemsCommand(program) {
  program
    .command('systems')
    .summary('one table of Redis and MariaDB: cost, losses, outage')
    .description(
      'Prints a Markdown table across systems: what each durability mode costs, and what it loses in each failure. Takes results of the suites ' +
        'failure or config-sweep, main and semi-sync. Of a benchmark that is in several results, the last counts.',
    )
    .argument('<folder...>', 'folders of runs, or their result.json')
    .addHelpText(
      'after',
      `
Example:
  sentinel-bench systems results/2026-05-04T10-00-00Z-failure results/2026-05-04T11-00-00Z-semi-sync`,
    )
    .action(systems);
}

/** @param {string[]} folders */
async function systems(folders) {
  const results = [];
  for (const folder of folders) results.push(await readResult(folder, ResultSchema));
  const blocks = systemsBlocks(results);
  if (blocks.length === 0) {
    throw badInput(
      'None of these results has a failure or a cost of a mode of the table.',
      'Name results of the suites failure or config-sweep, main, and semi-sync.',
    );
  }
  print(renderBlocks(blocks, { figure: () => '' }));
}
