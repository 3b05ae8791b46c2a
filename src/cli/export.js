/** `sentinel-bench export`: the figures of a run in formats that other programs read. */
import { setFlagsFromString } from 'node:v8';
import { ResultSchema, suiteTerms } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { openMetricsLines } from '../facts/openmetrics.js';
import { inPieces } from '../files.js';
import { outputFile } from '../output-file.js';
import { readResultInParts } from '../result/read.js';
import { jsonSchemaText } from '../result/schema.js';
import { checkUsed, typedOptions } from './applicable.js';
import { declare } from './declare.js';
import { print, printPieces } from './output.js';

/**
 * @import { ResultInParts } from '../result/schema.js'
 * @import { Command } from 'commander'
 */

/** @typedef {{format: string, timestamps?: boolean, out?: string, force?: boolean}} ExportOptions */

/** Of a run, by format. @type {Readonly<Record<string, (result: ResultInParts, options: ExportOptions) => string | Iterable<string>>>} */
const FORMATS = Object.freeze({
  openmetrics: (result, { timestamps }) => inPieces(openMetricsLines(result, suiteTerms, { timestamps })),
});
const JSON_SCHEMA = 'json-schema';

/** @param {Command} program gets the command */
export function addExportCommand(program) {
  const command = declare(program, 'export', {
    format: { choices: [...Object.keys(FORMATS), JSON_SCHEMA], isMandatory: true },
  });
  command.action((folder, options) => exportRun(folder, options, typedOptions(command)));
}

/**
 * @param {string | undefined} folder
 * @param {ExportOptions} options
 * @param {readonly string[]} typed attribute names of the options that the user typed
 */
async function exportRun(folder, options, typed) {
  const { format, out, force = false } = options;
  checkUsed(typed, options, [
    {
      options: ['timestamps'],
      isUsed: () => format === 'openmetrics',
      where: 'with --format openmetrics',
      remedy: 'Use --format openmetrics',
    },
    { options: ['force'], isUsed: () => out !== undefined, where: 'with --out', remedy: 'Add --out' },
  ]);
  if (folder === undefined && format !== JSON_SCHEMA)
    throw badInput(`--format ${format} needs a run.`, 'Name the folder of a run, such as results/latest.');
  const file = out === undefined ? null : await outputFile(out, { option: '--out', force });
  const content = await exported(folder, options);
  if (file) await file.write(content);
  else if (typeof content === 'string') print(content.replace(/\n$/, ''));
  else await printPieces(content);
}

/**
 * @param {string | undefined} folder
 * @param {ExportOptions} options
 * @returns {Promise<string | Iterable<string>>} pieces of text if it may be long
 */
async function exported(folder, options) {
  // V8 otherwise lets garbage grow to several times the memory in use.
  setFlagsFromString('--heap-growing-percent=20');
  const result = folder === undefined ? null : await readResultInParts(folder, ResultSchema);
  if (result === null || options.format === JSON_SCHEMA) return jsonSchemaText(ResultSchema);
  const content = FORMATS[options.format](result, options);
  if (content !== '') return content;
  throw badInput(
    `${folder} has no figures for ${options.format}.`,
    'Nothing of that kind was measured in that run; name another.',
  );
}
