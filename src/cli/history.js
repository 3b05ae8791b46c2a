/** `sentinel-bench history`: the same cases over many runs. */

import { ResultSchema } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { HISTORY_METRICS, historyOf, renderHistory, slim } from '../report/compare/history.js';
import { whole } from '../result/read.js';
import { readRuns } from '../result/runs.js';
import { declare } from './declare.js';
import { print, tell } from './output.js';

/**
 * @import { HistoryMetric } from '../report/compare/history.js'
 * @import { Command } from 'commander'
 */

/** @param {Command} program gets the command */
export const addHistoryCommand = (program) =>
  declare(program, 'history', { metric: { choices: HISTORY_METRICS } }).action(history);

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
