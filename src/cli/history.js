/**
 * `sentinel-bench history`: charts the same cases over many runs.
 */

import { Option } from 'commander';
import { modeStyles, ResultSchema } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { plural } from '../format.js';
import { HISTORY_METRICS, historyOf, readRuns, slim } from '../report/compare/history.js';
import { makeHistoryReport, renderHistory } from '../report/compare/history-report.js';
import { writeDocuments } from '../report/write.js';
import { print, tell } from './output.js';

/**
 * @import { HistoryMetric } from '../report/compare/history.js'
 * @import { Command } from 'commander'
 */

/** @param {Command} program gets the command */
export function addHistoryCommand(program) {
  program
    .command('history')
    .summary('chart the same cases over many runs')
    .description(
      'Reads all runs below a folder (result.json, and *.json in the folder itself; symbolic links are not followed). Writes history.md, ' +
        'its charts and history.html. A line breaks where server, machine, backend, configuration, clients or profile changed.',
    )
    .argument('<folder>', 'folder of runs, such as results')
    .option('--out <folder>', 'folder for the report; default: the folder of the runs')
    .option('--benchmark <name>', 'only this benchmark')
    .option('--case <id>', 'only this case')
    .addOption(
      new Option(
        '--metric <name>',
        'figure to chart; default: lost for failure benchmarks, throughput for others',
      ).choices(HISTORY_METRICS),
    )
    .addHelpText(
      'after',
      `
Exit status: 0 written; 2 no run can be read, or no run has the chosen cases; 3 the report cannot be written.

Examples:
  sentinel-bench history results
  sentinel-bench history results --benchmark pipeline --metric p99 --out trend`,
    )
    .action(history);
}

/**
 * @param {string} folder
 * @param {{out?: string, benchmark?: string, case?: string, metric?: HistoryMetric}} options
 */
async function history(folder, { out = folder, benchmark, case: id, metric }) {
  const { runs, leftOut } = await readRuns(folder, tell, ResultSchema, slim);
  const histories = historyOf(runs, { benchmark, id, metric });
  if (histories.length === 0) {
    throw badInput(
      `None of the ${runs.length} runs in ${folder} has ${[benchmark, id, metric].filter((each) => each !== undefined).join(' ') || 'a case'}.`,
      'Leave out --benchmark, --case or --metric to see more.',
    );
  }
  print(renderHistory(histories));
  const page = await writeDocuments(out, 'history', makeHistoryReport(histories, { leftOut, styles: modeStyles }));
  if (leftOut > 0) tell(`Read: ${plural(runs.length, 'run')}; left out: ${plural(leftOut, 'file')}.`);
  print(`\nReport: ${page}`);
}
