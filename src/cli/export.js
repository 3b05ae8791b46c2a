/** `sentinel-bench export`: the figures of a run in formats that other programs read. */
import { setFlagsFromString } from 'node:v8';
import { ResultSchema, suiteTerms } from '../../bench/index.js';
import { openMetricsLines } from '../facts/openmetrics.js';
import { inPieces } from '../files.js';
import { outputFile } from '../output-file.js';
import { readResultInParts } from '../result/read.js';
import { jsonSchemaText } from '../result/schema.js';
import { checkUsed, neededBy, typedOptions } from './applicable.js';
import { printPieces } from './output.js';
import { refusal } from './refusals.js';

/** @import { Command } from 'commander' */

export const commands = { export: { run: exportRun } };

/** @param {string | undefined} folder @param {Record<string, any>} options @param {Command} command */
async function exportRun(folder, options, command) {
  const { format, timestamps, out, force = false } = options;
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
  // V8 otherwise lets garbage grow to several times the memory in use.
  setFlagsFromString('--heap-growing-percent=20');
  const result = folder === undefined ? null : await readResultInParts(folder, ResultSchema);
  const lines =
    result === null || format === 'json-schema'
      ? [jsonSchemaText(ResultSchema)]
      : openMetricsLines(result, suiteTerms, { timestamps });
  await (file ? file.write(inPieces(lines)) : printPieces(inPieces(lines)));
}
