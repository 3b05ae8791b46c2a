/** `sentinel-bench report`: the report of an earlier run, made again; or one page over the latest run of each suite. */
import { ResultSchema, suites, summaryPage } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { renderReport } from '../report/write.js';
import { readResult } from '../result/read.js';
import { latestRuns } from '../result/runs.js';
import { print, tell } from './output.js';

/** @import { Command } from 'commander' */

/** The folder in which runs make their folders, unless `--out` names another. */
const RESULTS = 'results';

/** @param {Command} program gets the command */
export function addReportCommand(program) {
  program
    .command('report')
    .summary('make the report of a run again, or one page over all suites')
    .description(
      'Makes report.md, details.md, their charts and report.html again from result.json. With --summary it prints one page of Markdown: ' +
        'which mode to choose, what it costs and what it saves, from the latest run of each suite in the folders.',
    )
    .argument('[folders...]', 'a run’s folder, or its result.json; with --summary folders of runs (default: results)')
    .option('--summary', 'print one page over the latest run of each suite')
    .addHelpText(
      'after',
      `
Exit status: 0 written; 2 no such run, or a damaged one; 3 the report cannot be written.

Examples:
  sentinel-bench report results/latest
  sentinel-bench report --summary results > summary.md`,
    )
    .action(report);
}

/** @param {string[]} folders @param {{summary?: boolean}} options */
async function report(folders, { summary = false }) {
  if (summary)
    return print(summaryPage(await latestRuns(folders.length > 0 ? folders : [RESULTS], tell, ResultSchema)).trimEnd());
  if (folders.length !== 1)
    throw badInput(
      folders.length === 0 ? 'No run is named.' : `${folders.length} runs are named, but a report is about one run.`,
      'Name the folder of one run, such as results/latest, or add --summary for one page over the latest runs.',
    );
  print(await renderReport(await readResult(folders[0], ResultSchema), suites, folders[0]));
}
