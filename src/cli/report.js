/** `sentinel-bench report`: the report of an earlier run, made again. */
import { ResultSchema, suites } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { renderReport } from '../report/write.js';
import { readResult } from '../result/read.js';
import { declare } from './declare.js';
import { print } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export const addReportCommand = (program) => declare(program, 'report').action(report);

/** @param {string[]} folders */
async function report(folders) {
  if (folders.length !== 1)
    throw badInput(
      folders.length === 0 ? 'No run is named.' : `${folders.length} runs are named, but a report is about one run.`,
      'Name the folder of one run, such as results/latest. An index over several runs is `sentinel-bench site`.',
    );
  print(await renderReport(await readResult(folders[0], ResultSchema), suites, folders[0]));
}
