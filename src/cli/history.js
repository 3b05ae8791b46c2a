/** `sentinel-bench history`: the same cases over many runs. */

import { Option } from 'commander';
import { ResultSchema } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { HISTORY_METRICS, historyOf, slim } from '../report/compare/history.js';
import { renderHistory } from '../report/compare/history-report.js';
import { whole } from '../result/read.js';
import { readRuns } from '../result/runs.js';
import { print, tell } from './output.js';

/**
 * @import { HistoryMetric } from '../report/compare/history.js'
 * @import { Command } from 'commander'
 */

/** @param {Command} program gets the command */
export function addHistoryCommand(program) {
  program
    .command('history')
    .summary('show the same cases over many runs')
    .description(
      'Reads all runs below a folder (result.json, and *.json in the folder itself; symbolic links are not followed), and prints a table of each ' +
        'benchmark. ¦ marks where server, machine, backend, configuration, clients or profile changed.',
    )
    .argument('<folder>', 'folder of runs, such as results')
    .option('--benchmark <name>', 'only this benchmark')
    .option('--case <id>', 'only this case')
    .addOption(
      new Option(
        '--metric <name>',
        'figure to show; default: lost for failure benchmarks, throughput for others',
      ).choices(HISTORY_METRICS),
    )
    .addHelpText(
      'after',
      `
Exit status: 0 printed; 2 no run can be read, or no run has the chosen cases.

Examples:
  sentinel-bench history results
  sentinel-bench history results --benchmark pipeline --metric p99`,
    )
    .action(history);
}

/** @param {string} folder @param {{benchmark?: string, case?: string, metric?: HistoryMetric}} options */
async function history(folder, { benchmark, case: id, metric }) {
  const runs = await readRuns([folder], tell, ResultSchema, (parts) => slim(whole(parts)));
  const histories = historyOf(runs, { benchmark, id, metric });
  if (histories.length === 0) {
    throw badInput(
      `None of the ${runs.length} runs in ${folder} has ${[benchmark, id, metric].filter((each) => each !== undefined).join(' ') || 'a case'}.`,
      'Leave out --benchmark, --case or --metric to see more.',
    );
  }
  print(renderHistory(histories));
}
