/**
 * Text for terminals: the answer at the end of a run, and tables.
 */

import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import Table from 'cli-table3';
import { firstSentences, notMeasuredLines } from './format.js';
import { benchmarksOf } from './front-page.js';

/**
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 * @import { TableBlock } from './blocks.js'
 * @import { ChalkInstance } from 'chalk'
 */

/** A screen, with room for the paths of the report and the next prompt. */
const LINES = 36;
/** The assumed width of a screen for output without line breaks, as in a pipe. */
const WIDTH = 110;
const MORE = 'See the report for more.';
/** A space at which a line may break: any but that between a number and its unit. */
const GAP = / (?!(?:%|[nµm]?s|[kM]?\/s|[KMGT]?i?B)(?:[^\w]|$))/;

/** A table without lines, for terminals, pipes and chats. */
export const PLAIN = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/**
 * @param {TableBlock} table
 * @param {{paint?: ChalkInstance}} [options] paint: default: as standard output takes it
 * @returns {string} lines; repeated first cells are empty
 */
export function terminalTable({ columns, rows }, { paint = chalk } = {}) {
  const shown = new Table({
    head: columns.map(({ title }) => paint.bold(title)),
    colAligns: columns.map(({ align = 'left' }) => align),
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const [i, row] of rows.entries()) {
    const cells = row.map((value, j) => {
      const { strong } = columns[j];
      return strong !== undefined && value.startsWith(strong) ? paint.red.bold(value) : value;
    });
    if (i > 0 && columns.length > 1 && rows[i - 1][0] === row[0]) cells[0] = '';
    shown.push(cells);
  }
  return shown.toString().replaceAll(/ +$/gm, '');
}

/**
 * The answer on one screen: tables, then at least one finding for each benchmark. Always includes failures and missing measurements.
 *
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {{columns?: number}} [options] columns: of the terminal; undefined: does not break lines
 * @returns {string}
 */
export function shortAnswer(result, suites, { columns } = {}) {
  const { benchmarks } = result;
  const most = Math.max(1, ...benchmarks.map(({ findings }) => findings.length));
  const blocks = suites.flatMap((suite) => {
    const own = benchmarksOf(suite, result);
    return own.length > 0 && suite.terminal ? suite.terminal({ ...result, benchmarks: own }) : [];
  });
  // Drops findings until the text fits on a screen. Keeps one for each benchmark, unless the suite has its own answer.
  const answers = Array.from({ length: blocks.length > 0 ? most + 1 : most }, (_, index) => [
    ...blocks,
    answersOf(benchmarks, () => most - index),
    isWhole(benchmarks, most - index) ? '' : MORE,
  ]);
  const texts = answers.map((parts) => parts.filter((part) => part !== '').join('\n\n'));
  const text =
    texts.find((each) => wrap(each, columns ?? WIDTH).split('\n').length <= LINES) ?? texts[texts.length - 1];
  return columns === undefined ? text : wrap(text, columns);
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {number} number of findings
 * @returns {boolean} true: that many shortened findings are the whole text
 */
function isWhole(benchmarks, number) {
  return benchmarks.every(
    ({ findings }) => findings.length <= number && findings.every(({ text }) => firstSentences(text) === text),
  );
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {(benchmark: BenchmarkResult) => number} numberOf number of shown findings
 */
function answersOf(benchmarks, numberOf) {
  return benchmarks.flatMap((each) => linesOf(each, numberOf(each))).join('\n');
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} number of findings
 * @returns {string[]} lines; empty without findings and problems
 */
function linesOf({ name, status, reason, checks, findings, notMeasured = [] }, number) {
  const lines = [
    ...(status === 'ok' ? [] : [chalk.yellow(`${status}: ${reason}`)]),
    ...checks.flatMap((check) => (check.ok ? [] : [chalk.red(`FAILED: ${check.name}: ${check.detail}`)])),
    ...findings.slice(0, number).map(({ text }) => firstSentences(text)),
    ...notMeasuredLines(notMeasured).map((text) => chalk.yellow(`not measured: ${text}`)),
  ];
  if (lines.length === 0 && number === 0) return [];
  return [chalk.bold(name), ...lines.map((line) => `  ${line}`)];
}

/**
 * @param {string} text lines; lines of tables, which have several spaces between columns, stay unchanged
 * @param {number} columns
 * @returns {string} lines broken between words, each with the indent of the first
 */
function wrap(text, columns) {
  return text
    .split('\n')
    .flatMap((line) => {
      const [indent] = /^ */.exec(line) ?? [''];
      if (widthOf(line) <= columns || / {2}/.test(line.trim())) return [line];
      const lines = [''];
      for (const word of line.trim().split(GAP)) {
        const last = lines[lines.length - 1];
        if (last !== '' && widthOf(`${indent}${last} ${word}`) > columns) lines.push(word);
        else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
      }
      return lines.map((each) => `${indent}${each}`);
    })
    .join('\n');
}

/** @param {string} text */
const widthOf = (text) => stripVTControlCharacters(text).length;
