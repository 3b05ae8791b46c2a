/**
 * `sentinel-bench report`: the report of an earlier run, made again.
 */
import { suites } from '../../bench/index.js';
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
    .argument('<folder>', 'a run’s folder, or its result.json')
    .action(report);
}

/** @param {string} folder */
async function report(folder) {
  print(await renderReport(await readResult(folder), suites, folder));
}
