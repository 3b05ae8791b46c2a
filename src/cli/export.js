/** `sentinel-bench export`: the figures of a run in formats that other programs read. */
import { setFlagsFromString } from 'node:v8';
import { ResultSchema, suiteTerms } from '../../bench/index.js';
import { openMetricsLines } from '../facts/openmetrics.js';
import { inPieces } from '../files.js';
import { outputFile } from '../output-file.js';
import { readResultInParts } from '../result/read.js';
import { jsonSchemaText } from '../result/schema.js';
import { checkUsed, neededBy, typedOptions } from './applicable.js';
import { print, printPieces } from './output.js';
import { refusal } from './refusals.js';

/**
 * @import { Command } from 'commander'
 *
 * @typedef {{format: 'openmetrics' | 'json-schema', timestamps?: boolean, out?: string, force?: boolean}} ExportOptions
 */

export const commands = {
  export: { run: exportRun, readings: { format: { choices: ['openmetrics', 'json-schema'], isMandatory: true } } },
};

/** @param {string | undefined} folder @param {ExportOptions} options @param {Command} command */
async function exportRun(folder, options, command) {
  const { format, out, force = false } = options;
  checkUsed(typedOptions(command), options, [
    {
      options: ['timestamps'],
      isUsed: () => format === 'openmetrics',
      where: 'with --format openmetrics',
      instead: 'Use --format openmetrics',
    },
    neededBy('--out', ['force']),
  ]);
  if (folder === undefined && format !== 'json-schema') throw refusal('export-needs-run', { format });
  const file = out === undefined ? null : await outputFile(out, { option: '--out', force });
  const content = await exported(folder, options);
  if (file) await file.write(content);
  else if (typeof content === 'string') print(content.replace(/\n$/, ''));
  else await printPieces(content);
}

/** @param {string | undefined} folder @param {ExportOptions} options @returns pieces of text if it may be long */
async function exported(folder, { format, timestamps }) {
  // V8 otherwise lets garbage grow to several times the memory in use.
  setFlagsFromString('--heap-growing-percent=20');
  const result = folder === undefined ? null : await readResultInParts(folder, ResultSchema);
  if (result === null || format === 'json-schema') return jsonSchemaText(ResultSchema);
  return inPieces(openMetricsLines(result, suiteTerms, { timestamps }));
}
