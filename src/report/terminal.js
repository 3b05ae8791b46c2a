/**
 * What the end of a run prints: the answer.
 */

import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import Table from 'cli-table3';
import { SWEEP } from './decision.js';
import { decisionText, markedTableText } from './decision-text.js';
import { firstTable, libraryTable } from './failure-columns.js';
import { notMeasuredLines } from './format.js';
import { firstSentences, headlines } from './headline.js';
import { PLAIN } from './load-table.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 */

/** Of a screen, with room for the paths of the report and the next prompt. */
const LINES = 36;
/** Where lines are not broken, as in a pipe, a screen is taken to be so wide. */
const WIDTH = 110;
const MORE = 'The report tells more.';
/** Between a number and its unit no line is broken. */
const GAP = / (?!(?:%|[nµm]?s|[kM]?\/s|[KMGT]?i?B)(?:[^\w]|$))/;

/**
 * As much of it as a screen shows: tables weigh more than findings, and each benchmark has one sentence at least. What failed or was not
 * measured is always told.
 *
 * @param {Result} result
 * @param {{columns?: number}} [options] columns: of the terminal; undefined: lines are not broken
 * @returns {string}
 */
export function shortAnswer(result, { columns } = {}) {
  const { benchmarks } = result;
  const most = Math.max(1, ...benchmarks.map(({ findings }) => findings.length));
  const decision = decisionText(result);
  const tables = decision === '' ? failureTables(benchmarks) : [decision];
  const answers = Array.from({ length: most }, (_, index) => [
    ...tables,
    answersOf(benchmarks, () => most - index),
    isWhole(benchmarks, most - index) ? '' : MORE,
  ]);
  answers.push([
    decision === '' ? '' : `${chalk.bold('What to decide by')}\n${markedTableText(result)}`,
    headlines(result)
      .flatMap(({ benchmark, text }) => (benchmark === null ? [text] : []))
      .join('\n'),
    // What the table of a sweep tells needs no sentence.
    answersOf(benchmarks, ({ name }) => (decision !== '' && SWEEP.includes(name) ? 0 : 1)),
    MORE,
  ]);
  const texts = answers.map((blocks) => blocks.filter((block) => block !== '').join('\n\n'));
  const text =
    texts.find((each) => wrap(each, columns ?? WIDTH).split('\n').length <= LINES) ?? texts[texts.length - 1];
  return columns === undefined ? text : wrap(text, columns);
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {number} number of findings
 * @returns {boolean} that many findings, of each its first sentences, are all there is
 */
function isWhole(benchmarks, number) {
  return benchmarks.every(
    ({ findings }) => findings.length <= number && findings.every(({ text }) => firstSentences(text) === text),
  );
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {(benchmark: BenchmarkResult) => number} numberOf findings of each that are told, of each its first sentences
 */
function answersOf(benchmarks, numberOf) {
  return benchmarks.flatMap((each) => told(each, numberOf(each))).join('\n');
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} number of findings
 * @returns {string[]} none when there is nothing to tell of it
 */
function told({ name, status, reason, checks, findings, notMeasured = [] }, number) {
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
 * @param {BenchmarkResult[]} benchmarks
 * @returns {string[]} blocks; none when no failure was measured
 */
function failureTables(benchmarks) {
  const options = { narrow: true };
  const first = firstTable(benchmarks, options);
  const libraries = libraryTable(benchmarks, options);
  const blocks = [];
  if (first) {
    const rounds = Math.max(0, ...benchmarks.flatMap(({ audit = [] }) => audit.map(({ round }) => round)));
    const stays =
      'stays: a writer that keeps its connections until an error; follows: one that moves at +switch-master.';
    const sums = `Sums of ${rounds} rounds; of times the median, of split brain the longest.`;
    blocks.push(
      `${chalk.bold('Acknowledged writes lost, longest time without an acknowledgement, writes refused')}\n${tableText(first)}`,
      rounds > 1 ? `${stays}\n${sums}` : stays,
    );
  }
  if (libraries) blocks.push(`${chalk.bold('With the Sentinel clients of the libraries')}\n${tableText(libraries)}`);
  return blocks;
}

/**
 * @param {import('./failure-columns.js').TextTable} table
 * @returns {string} the rows of a scenario below its name
 */
function tableText({ header, align, rows }) {
  const table = new Table({
    // A writer below what of it is told keeps the columns narrow.
    head: header.map((title) => title.replace(', ', '\n')),
    colAligns: align,
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const { cells } of rows) table.push(cells);
  const lines = table.toString().split('\n');
  const body = lines.splice(lines.length - rows.length);
  const grouped = rows.flatMap(({ scenario }, i) => [
    ...(rows[i - 1]?.scenario === scenario ? [] : [scenario]),
    `  ${body[i]}`,
  ]);
  return [...lines.map((line) => `  ${line}`), ...grouped].map((line) => line.trimEnd()).join('\n');
}

/**
 * @param {string} text lines; those of tables have more than one space between columns, and are left to the terminal
 * @param {number} columns
 * @returns {string} each line broken between words, and as far to the right as its first one
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
