/**
 * Recomputes figures of the sample reports from result.json, and compares. It finds them by their place in a table or
 * sentence, so samples may be measured anew.
 *
 *     node test/figures/figures.js [repository]
 *
 * Exit status: 0 all agree; 1 a figure differs.
 */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ResultSchema } from '../../bench/index.js';
import { readResult } from '../../src/result/read.js';
import { isSame, numbersIn, tablesIn } from './shown.js';
import { failureFigures, mainFigures, sweepFigures } from './suites.js';

/** @import { PageFigure, FiguresOf } from './suites.js' */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** By sample. @type {Readonly<Record<string, FiguresOf>>} */
const SAMPLES = Object.freeze({
  main: mainFigures,
  'main-valkey': mainFigures,
  failure: failureFigures,
  'failure-docker': failureFigures,
  'planned-failover': failureFigures,
  'config-sweep': sweepFigures,
});

/**
 * @param {string} [root] of the repository
 * @returns {Promise<{compared: number, wrong: string[]}>} compared: numbers; wrong: a line for each figure that differs
 */
export async function compareFigures(root = ROOT) {
  const samples = path.join(root, 'results', 'sample');
  /** @type {(PageFigure & {file: string})[]} */
  const figures = [];
  for (const [sample, figuresOf] of Object.entries(SAMPLES)) {
    const folder = path.join(samples, sample);
    if (!existsSync(folder)) continue;
    const result = await readResult(folder, ResultSchema);
    const page = readFileSync(path.join(folder, 'report.md'), 'utf8');
    for (const figure of figuresOf(tablesIn(page), result)) figures.push({ ...figure, file: `${sample}/report.md` });
  }
  return {
    compared: figures.reduce((sum, { computed }) => sum + computed.length, 0),
    wrong: figures.filter(isWrong).map(lineOf),
  };
}

/** @param {PageFigure} figure */
function isWrong({ text, computed }) {
  const shown = numbersIn(text);
  return (
    computed.length === 0 || shown.length !== computed.length || !shown.every((each, i) => isSame(each, computed[i]))
  );
}

/** @param {PageFigure & {file: string}} figure */
function lineOf({ file, where, text, computed }) {
  return `${file}: ${where}: shows ${text}, computed ${computed.map((value) => value.toPrecision(6)).join(', ') || 'nothing: not in result.json'}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { compared, wrong } = await compareFigures(process.argv[2]);
  for (const line of wrong) console.error(line);
  console.log(`${compared} numbers compared, ${wrong.length} figures differ.`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
