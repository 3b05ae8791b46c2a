/**
 * Text for terminals: the answer at the end of a run, and tables.
 * @import { BenchmarkResult, Result } from '../result/schema.js' @import { Suite } from '../run/types.js'
 * @import { Block, Item } from './blocks.js'
 */
import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import { isFailureBenchmark } from '../audit/of-trials.js';
import { firstSentences, notMeasuredLines } from '../format.js';
import { terminalTable } from '../table.js';
import { table } from './blocks.js';
import { DEFAULT_COLUMNS } from './columns.js';
import { benchmarksBySuite } from './scope.js';

/** Of a benchmark without tables. */
const MOST_FINDINGS = 3;
/** The width that terminals, chats and mails show without breaking lines; assumed for output without line breaks, as in a pipe. */
export const WIDTH = 110;
/** A space at which a line may break: any but that between a number and its unit. */
const GAP = / (?!(?:%|[nµm]?s|[kM]?\/s|[KMGT]?i?B)(?:[^\w]|$))/;

/** @param {readonly Block[]} blocks @param {{columns?: number}} [options] columns: undefined: does not break lines @returns {string} without charts */
export function terminalText(blocks, { columns } = {}) {
  const parts = blocks.map((block) => {
    const lines = blockText(block, columns);
    if (lines === '') return '';
    // What announces the next block stands right above it.
    return `${lines}${block.kind === 'heading' || lines.endsWith(':') ? '\n' : '\n\n'}`;
  });
  return parts.join('').trimEnd();
}

/** @param {Block} block @param {number | undefined} columns @returns {string} lines; empty: not for terminals */
function blockText(block, columns) {
  switch (block.kind) {
    case 'text':
      return wrap(block.text, columns);
    case 'code':
      return block.text;
    case 'heading':
      return chalk.bold(block.text);
    case 'list':
      return wrap(block.items.map(itemLine).join('\n'), columns);
    case 'table':
      return block.rows.length === 0 ? '' : terminalTable(block);
    default:
      return '';
  }
}

/** @param {string | Item} item */
const itemLine = (item) => (typeof item === 'string' ? `- ${item}` : `- ${chalk.bold(item.name)}: ${item.text}`);

/**
 * The answer on one screen: the tables of the suites, or else findings. Always includes failures and missing measurements.
 * @param {Result} result @param {readonly Suite[]} suites
 * @param {{columns?: number}} [options] columns: of the terminal; undefined: does not break lines
 */
export function shortAnswer(result, suites, { columns } = {}) {
  const { benchmarks } = result;
  const tables = terminalText(
    benchmarksBySuite(result, suites).flatMap(({ suite, benchmarks: own }) => {
      const shown = (own.length > 0 && suite.terminal?.({ ...result, benchmarks: own })) || [];
      return shown.some((block) => blockText(block, columns) !== '')
        ? shown
        : own.flatMap((each) => wholeTable(each, suite, result));
    }),
  );
  const most = tables === '' ? MOST_FINDINGS : 0;
  const lines = benchmarks.flatMap((each) => linesOf(each, most));
  return wrap([tables, lines.join('\n')].filter((part) => part !== '').join('\n\n'), columns);
}

/** @param {BenchmarkResult} benchmark without a table among those that decide @param {Suite} suite @param {Result} run @returns {Block[]} all that it measured */
function wholeTable(benchmark, suite, run) {
  const { name, cases, findings } = benchmark;
  if (cases.length === 0 || findings.length > 0 || isFailureBenchmark(benchmark)) return [];
  const known = suite.benchmarks.find((each) => each.name === name);
  return known?.table?.length === 0 && known.details
    ? known.details(benchmark, run)
    : [table(known?.table ?? DEFAULT_COLUMNS, cases)];
}

/** @param {BenchmarkResult} benchmark @param {number} most findings @returns {string[]} lines; empty without findings and problems */
function linesOf({ name, status, reason, checks, findings, notMeasured = [] }, most) {
  const lines = [
    ...(status === 'ok' ? [] : [chalk.yellow(`${status}: ${reason}`)]),
    ...checks.flatMap((check) => (check.ok ? [] : [chalk.red(`FAILED: ${check.name}: ${check.detail}`)])),
    ...findings.slice(0, most).map(({ text }) => firstSentences(text)),
    ...notMeasuredLines(notMeasured).map((text) => chalk.yellow(`not measured: ${text}`)),
  ];
  if (lines.length === 0) return [];
  return [chalk.bold(name), ...lines.map((line) => `  ${line}`)];
}

/** Breaks lines between words, but not those of tables. @param {string} text @param {number | undefined} columns undefined: does not break lines */
function wrap(text, columns) {
  return text
    .split('\n')
    .flatMap((line) => {
      const [begin] = /^ *(?:(?:-|\d+\.) )?/.exec(line) ?? [''];
      if (columns === undefined || widthOf(line) <= columns || / {2}/.test(line.trim())) return [line];
      const lines = [''];
      for (const word of line.slice(begin.length).trim().split(GAP)) {
        const last = lines[lines.length - 1];
        if (last !== '' && widthOf(`${begin}${last} ${word}`) > columns) lines.push(word);
        else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
      }
      return lines.map((each, i) => `${i === 0 ? begin : ' '.repeat(begin.length)}${each}`);
    })
    .join('\n');
}

/** @param {string} text */
const widthOf = (text) => stripVTControlCharacters(text).length;
