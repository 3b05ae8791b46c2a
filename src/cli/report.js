/** `sentinel-bench report`: the report of an earlier run, made again. */
import { ResultSchema, suites } from '../../bench/index.js';
import { renderReport } from '../report/write.js';
import { readResult } from '../result/read.js';
import { print } from './output.js';
import { refusal } from './refusals.js';

export const commands = { report: { run: report } };

/** @param {string[]} folders */
async function report(folders) {
  const [folder, ...others] = folders;
  if (folder === undefined) throw refusal('no-run-named');
  if (others.length > 0) throw refusal('several-runs-named', { count: folders.length });
  print(await renderReport(await readResult(folder, ResultSchema), suites, folder));
}
