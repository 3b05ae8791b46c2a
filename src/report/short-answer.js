/**
 * What the end of a run prints: the answer.
 */
import chalk from 'chalk';
import Table from 'cli-table3';
import { firstTable, libraryTable } from './failure-columns.js';
import { PLAIN } from './load-table.js';

/**
 * @param {import('./schema.js').Result} result
 * @returns {string}
 */
export function shortAnswer(result) {
  const lines = failureTables(result.benchmarks);
  for (const { name, status, reason, checks, findings } of result.benchmarks) {
    lines.push(chalk.bold(name));
    if (status !== 'ok') lines.push(`  ${chalk.yellow(`${status}: ${reason}`)}`);
    for (const check of checks) if (!check.ok) lines.push(`  ${chalk.red(`FAILED: ${check.name}: ${check.detail}`)}`);
    for (const { text } of findings) lines.push(`  ${text}`);
  }
  return lines.join('\n');
}

/**
 * @param {import('./schema.js').BenchmarkResult[]} benchmarks
 * @returns {string[]} none when no failure was measured
 */
function failureTables(benchmarks) {
  const options = { narrow: true };
  const first = firstTable(benchmarks, options);
  const libraries = libraryTable(benchmarks, options);
  const lines = [];
  if (first) {
    const rounds = Math.max(0, ...benchmarks.flatMap(({ audit = [] }) => audit.map(({ round }) => round)));
    lines.push(
      chalk.bold('Acknowledged writes lost, longest time without an acknowledgement, writes refused'),
      tableText(first),
      '',
      'stays: a writer that keeps its connections until an error; follows: one that moves at +switch-master.',
      ...(rounds > 1 ? [`Sums of ${rounds} rounds; of times the median, of split brain the longest.`] : []),
      '',
    );
  }
  if (libraries) lines.push(chalk.bold('With the Sentinel clients of the libraries'), tableText(libraries), '');
  return lines;
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
