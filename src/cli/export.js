/**
 * `sentinel-bench export`: the figures of a run in formats that other programs read.
 */

import { setFlagsFromString } from 'node:v8';
import { Option } from 'commander';
import { ResultSchema } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { renderActionBenchmark, renderBencher } from '../facts/trackers.js';
import { inPieces } from '../files.js';
import { outputFile } from '../output-file.js';
import { csvLines, ROWS } from '../result/export-csv.js';
import { renderJunit } from '../result/export-junit.js';
import { openMetricsLines } from '../result/export-openmetrics.js';
import { readResult } from '../result/read.js';
import { jsonSchemaText } from '../result/schema.js';
import { print, printPieces } from './output.js';

/**
 * @import { RowsOf } from '../result/export-csv.js'
 * @import { Result } from '../result/schema.js'
 * @import { Command } from 'commander'
 */

/** Formats of a whole run without options of their own. The last two have the names of the action's tools. */
const RENDERERS = Object.freeze({
  junit: renderJunit,
  bencher: renderBencher,
  customBiggerIsBetter: (/** @type {Result} */ result) => renderActionBenchmark(result, 'bigger'),
  customSmallerIsBetter: (/** @type {Result} */ result) => renderActionBenchmark(result, 'smaller'),
});
const FORMATS = Object.freeze(['csv', 'openmetrics', ...Object.keys(RENDERERS), 'json-schema']);

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
    .summary('print a run for other programs, or the JSON schema')
    .description('Prints the figures of a run for other programs, or the JSON schema of result.json.')
    .argument('[folder]', 'a run’s folder, or its result.json; not needed for json-schema')
    .addOption(new Option('--format <name>', 'output format').choices(FORMATS).makeOptionMandatory())
    .addOption(
      new Option(
        '--rows <what>',
        'csv: a row for each round, case, audit (one writer in one failure trial) or step of a trial’s timeline; default: rounds',
      ).choices(Object.keys(ROWS)),
    )
    .option(
      '--timestamps',
      'openmetrics: add the end time of the run to each sample, for promtool tsdb create-blocks-from',
    )
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--force', 'replace the file of --out if it exists')
    .addHelpText(
      'after',
      `
CSV is RFC 4180 with a header. Units are in the column names; an empty cell was not measured. Histograms are not exported: they are
in the folder \`histograms\` of the run. Prometheus scrapes OpenMetrics, and promtool reads it. The textfile collector of node_exporter
and the Pushgateway only read an older format. JUnit XML has the checks and failure trials as tests. The format bencher is Bencher Metric
Format; customBiggerIsBetter (throughput) and customSmallerIsBetter (times and losses) are for the tools of github-action-benchmark with
these names.

Exit status: 0 printed or written; 2 the run has no such rows, cannot be read, or the file exists already; 3 it cannot be written.

Examples:
  sentinel-bench export results/latest --format csv --out rounds.csv
  sentinel-bench export results/latest --format csv --rows audits
  sentinel-bench export results/latest --format openmetrics --timestamps --out run.om
  sentinel-bench export results/latest --format junit --out junit.xml
  sentinel-bench export --format json-schema`,
    )
    .action(exportRun);
}

/**
 * @param {string | undefined} folder
 * @param {Options} options
 */
async function exportRun(folder, options) {
  const { out, force = false } = options;
  checkCombination(folder, options);
  const file = out === undefined ? null : await outputFile(out, { option: '--out', force });
  const content = await exported(folder, options);
  if (file) await file.write(content);
  else if (typeof content === 'string') print(content.replace(/\n$/, ''));
  else await printPieces(content);
}

/**
 * @param {string | undefined} folder
 * @param {Options} options
 * @throws {UserError} they do not go together
 */
function checkCombination(folder, { format, rows, timestamps, out, force }) {
  if (rows !== undefined && format !== 'csv')
    throw badInput('--rows is only used with --format csv.', 'Use --format csv, or leave out --rows.');
  if (timestamps && format !== 'openmetrics')
    throw badInput(
      '--timestamps is only used with --format openmetrics.',
      'Use --format openmetrics, or leave out --timestamps.',
    );
  if (force && out === undefined)
    throw badInput('--force is only used with --out.', 'Add --out, or leave out --force.');
  if (folder === undefined && format !== 'json-schema') {
    throw badInput(`--format ${format} needs a run.`, 'Name the folder of a run, such as results/latest.');
  }
}

/**
 * @param {string | undefined} folder
 * @param {Options} options
 * @returns {Promise<string | Iterable<string>>} pieces of text if it may be long
 */
async function exported(folder, { format, rows, timestamps }) {
  // V8 otherwise lets garbage grow to several times the memory in use.
  setFlagsFromString('--heap-growing-percent=20');
  const result = folder === undefined ? null : await readResult(folder, ResultSchema);
  if (result === null || format === 'json-schema') return jsonSchemaText(ResultSchema);
  if (format === 'openmetrics') return inPieces(openMetricsLines(result, { timestamps }));
  const what = format === 'csv' ? (rows ?? 'rounds') : `figures for ${format}`;
  if (isRenderer(format)) {
    const text = RENDERERS[format](result);
    if (text !== '') return text;
  } else {
    const lines = csvLines(result, rows ?? 'rounds');
    if (lines) return inPieces(lines);
  }
  throw badInput(
    `${folder} has no ${what}.`,
    rows === 'audits' || rows === 'steps'
      ? 'Name a run of failure benchmarks, or choose other --rows.'
      : 'Nothing of that kind was measured in that run; name another.',
  );
}

/**
 * @param {string} format
 * @returns {format is keyof typeof RENDERERS}
 */
function isRenderer(format) {
  return Object.hasOwn(RENDERERS, format);
}
