/** `sentinel-bench history`: the same cases over many runs. */
import { ResultSchema } from '../../bench/index.js';
import { HISTORY_METRICS, historyOf, renderHistory, slim } from '../report/compare/history.js';
import { whole } from '../result/read.js';
import { readRuns } from '../result/runs.js';
import { print, tell } from './output.js';
import { refusal } from './refusals.js';

/** @import { HistoryMetric } from '../report/compare/history.js' */

export const commands = { history: { run: history, readings: { metric: { choices: HISTORY_METRICS } } } };

/** @param {string} folder @param {{benchmark?: string, case?: string, metric?: HistoryMetric}} options */
async function history(folder, { benchmark, case: id, metric }) {
  const runs = await readRuns([folder], tell, ResultSchema, (parts) => slim(whole(parts)));
  const histories = historyOf(runs, { benchmark, id, metric });
  if (histories.length === 0) {
    const wanted = [benchmark, id, metric].filter((each) => each !== undefined).join(' ') || 'a case';
    throw refusal('no-history', { runs: runs.length, folder, wanted });
  }
  print(renderHistory(histories));
}
