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
import {
  clientsFigures,
  copyFigures,
  failureFigures,
  mainFigures,
  proxyFigures,
  sweepFigures,
  upgradeFigures,
  versionsFigures,
} from './suites.js';

/** @import { PageFigure, FiguresOf } from './suites.js' */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = 'main';
const CLIENTS = 'clients';
const FAILURE = 'failure';
const SWEEP = 'config-sweep';
/** By sample. */
const SAMPLES = Object.freeze(
  /** @type {Record<string, FiguresOf>} */ ({
    [MAIN]: mainFigures,
    'first-article': mainFigures,
    'main-valkey': mainFigures,
    [FAILURE]: failureFigures,
    'failure-docker': failureFigures,
    'failure-valkey': failureFigures,
    'planned-failover': failureFigures,
    [SWEEP]: sweepFigures,
    copy: copyFigures,
    [CLIENTS]: clientsFigures,
    'clients-docker': clientsFigures,
    versions: versionsFigures,
    upgrade: upgradeFigures,
    proxy: proxyFigures,
  }),
);

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
    figures.push(...inFile(`${sample}/report.md`, figuresOf(page, tablesIn(page), result)));
  }
  return {
    compared: figures.reduce((sum, { computed }) => sum + computed.length, 0),
    wrong: figures.filter(isWrong).map(lineOf),
  };
}

/** @param {string} file @param {readonly PageFigure[]} figures */
function inFile(file, figures) {
  return figures.map((figure) => ({ ...figure, file }));
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
