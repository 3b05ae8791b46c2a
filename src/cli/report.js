/** `sentinel-bench report`: the report of an earlier run, made again. */
import { ResultSchema, suites } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { renderReport } from '../report/write.js';
import { readResult } from '../result/read.js';
import { print } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addReportCommand(program) {
  program
    .command('report')
    .summary('make the report of a run again')
    .description('Makes report.md, details.md, their charts and report.html again from result.json.')
    .argument('[folders...]', 'a run’s folder, or its result.json')
    .addHelpText(
      'after',
      `
Exit status: 0 written; 2 no such run, or a damaged one; 3 the report cannot be written.

Example:
  sentinel-bench report results/latest`,
    )
    .action(report);
}

/** @param {string[]} folders */
async function report(folders) {
  if (folders.length !== 1)
    throw badInput(
      folders.length === 0 ? 'No run is named.' : `${folders.length} runs are named, but a report is about one run.`,
      'Name the folder of one run, such as results/latest. An index over several runs is `sentinel-bench site`.',
    );
  print(await renderReport(await readResult(folders[0], ResultSchema), suites, folders[0]));
}
