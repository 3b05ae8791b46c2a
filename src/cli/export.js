/**
 * `sentinel-bench export`: a run in the formats that other programs read.
 */
import { rm, writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { ROWS, renderCsv } from '../result/export-csv.js';
import { renderOpenMetrics } from '../result/export-openmetrics.js';
import { jsonSchemaText } from '../result/json-schema.js';
import { readResult } from '../result/read.js';
import { print } from './output.js';

/**
 * @import { RowsOf } from '../result/export-csv.js'
 * @import { Command } from 'commander'
 */

const FORMATS = Object.freeze(['csv', 'openmetrics', 'json-schema']);

/**
 * @typedef {Object} Options
 * @property {string} format
 * @property {RowsOf} [rows]
 * @property {boolean} [timestamps]
 * @property {string} [out]
 * @property {boolean} [force]
 */

/** @param {Command} program gets the command */
export function addExportCommand(program) {
  program
    .command('export')
    .summary('give a run to other programs: CSV, OpenMetrics, JSON schema')
    .description(
      'Prints the figures of a run as CSV or in the OpenMetrics text format, or the JSON schema that its result.json keeps to.',
    )
    .argument('[folder]', 'a run’s folder, or its result.json; for json-schema it can be left out')
    .addOption(new Option('--format <name>', 'what is printed').choices(FORMATS).makeOptionMandatory())
    .addOption(
      new Option(
        '--rows <what>',
        'csv: a row for each round, case, audit (a writer in a trial of a failure) or step of a trial’s course; default: rounds',
      ).choices(Object.keys(ROWS)),
    )
    .option('--timestamps', 'openmetrics: each sample says when the run ended, for promtool tsdb create-blocks-from')
    .option('--out <file>', 'write it to this file instead of to standard output')
    .option('--force', 'replace that file if it is there')
    .addHelpText(
      'after',
      `
CSV is RFC 4180 with a header; units are in the columns’ names, an empty cell was not measured. Histograms are not exported:
they are in the run’s folder \`histograms\`. OpenMetrics is what Prometheus scrapes and promtool reads; the textfile collector of
node_exporter and the Pushgateway read an older format only, and refuse it.

Exit status: 0 printed or written; 2 the run has none of it, cannot be read, or the file is there already; 3 it cannot be written.

Examples:
  sentinel-bench export results/latest --format csv --out rounds.csv
  sentinel-bench export results/latest --format csv --rows audits
  sentinel-bench export results/latest --format openmetrics --timestamps --out run.om
  sentinel-bench export --format json-schema`,
    )
    .action(exportRun);
}

/**
 * @param {string | undefined} folder
 * @param {Options} options
 */
async function exportRun(folder, options) {
  const text = await exported(folder, options);
  if (options.out === undefined) print(text.replace(/\n$/, ''));
  else await writeOut(options.out, text, options.force ?? false);
}

/**
 * @param {string | undefined} folder
 * @param {Options} options
 * @returns {Promise<string>}
 */
async function exported(folder, { format, rows, timestamps, out, force }) {
  if (rows !== undefined && format !== 'csv') throw badOptions('--rows is for --format csv.', 'Leave it out.');
  if (timestamps && format !== 'openmetrics')
    throw badOptions('--timestamps is for --format openmetrics.', 'Leave it out.');
  if (force && out === undefined) throw badOptions('--force is for --out, which is not there.', 'Leave it out.');
  if (folder === undefined && format !== 'json-schema') {
    throw badOptions(`There is no run to export as ${format}.`, 'Name the folder of a run, such as results/latest.');
  }
  const result = folder === undefined ? null : await readResult(folder);
  if (result === null || format === 'json-schema') return jsonSchemaText();
  if (format === 'openmetrics') return renderOpenMetrics(result, { timestamps });
  const text = renderCsv(result, rows ?? 'rounds');
  if (text !== '') return text;
  throw badOptions(
    `${folder} has no ${rows ?? 'rounds'}.`,
    rows === 'audits' || rows === 'steps'
      ? 'Name a run of failure benchmarks, or choose other --rows.'
      : 'Nothing was measured in that run; name another.',
  );
}

/**
 * @param {string} file
 * @param {string} text
 * @param {boolean} replace
 */
async function writeOut(file, text, replace) {
  try {
    await writeFile(file, text, { flag: replace ? 'w' : 'wx' });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EEXIST') {
      throw badOptions(`${file} is there already.`, 'Name another file with --out, or add --force to replace it.');
    }
    // It is ours from its first byte on, and worth nothing without the last.
    if (code === 'ENOSPC' && !replace) await rm(file, { force: true });
    throw new UserError(`${file} cannot be written (${code}).`, 'Name another file with --out.');
  }
}

/**
 * @param {string} message
 * @param {string} remedy
 */
function badOptions(message, remedy) {
  return new UserError(message, remedy, ExitStatus.badInput);
}
