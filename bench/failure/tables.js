/**
 * The complete tables of losses and outages, for details.md and the end of a run.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 */
import chalk from 'chalk';
import Table from 'cli-table3';
import { writerTitle } from '../../src/registry/writers.js';
import { count } from '../../src/report/format.js';
import { PLAIN } from '../../src/report/terminal.js';
import {
  auditsOf,
  countOrNone,
  groupsOf,
  isFailureBenchmark,
  longestSplitBrain,
  lostCell,
  milliseconds,
  partOf,
  staleCell,
  total,
  totalOrNull,
  trialsOf,
  unavailableCell,
} from '../../src/report/trials/figures.js';
import { LIBRARY_WRITERS, OWN_WRITERS } from './cases.js';
import { lossOf, ownAudits, riskText } from './figures.js';
import { modeTitle } from './modes.js';
import { scenarioTitle } from './scenarios.js';

/** @import { AuditResult } from '../../src/result/failure-schema.js' */

/**
 * @typedef {Object} TextTable
 * @property {string[]} header
 * @property {('left' | 'right')[]} align
 * @property {{benchmark: string, scenario: string, cells: string[]}[]} rows benchmark: its name; scenario: its title, which is not a cell
 */

/**
 * What each mode lost in each scenario, and how long writes stopped.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {{narrow: boolean}} options narrow: for a terminal, without ranges
 * @returns {TextTable | null} null: nothing was measured
 */
export function modeTable(benchmarks, { narrow }) {
  const rows = benchmarks
    .filter(isFailureBenchmark)
    .flatMap((benchmark) =>
      benchmark.cases
        .filter((one) => ownAudits(benchmark, one).length > 0 || !isLibraryCase(benchmark, one))
        .map((one) => ({ benchmark, one })),
    );
  if (rows.length === 0) return null;
  const links = new Set(rows.map(({ one }) => one.params.linkLatencyMs ?? 0)).size > 1;
  const writers = OWN_WRITERS.map(writerTitle);
  const header = [
    'mode',
    ...(links ? ['link'] : []),
    ...writers.map((writer) => `lost, ${writer}`),
    ...writers.map((writer) => `unavailable, ${writer}`),
    'split brain',
    ...writers.map((writer) => `refused, ${writer}`),
  ];
  return {
    header,
    align: header.map((title) => (title === 'mode' ? 'left' : 'right')),
    rows: rows.map(({ benchmark, one }) => {
      const { variant, linkLatencyMs = 0 } = one.params;
      const byWriter = OWN_WRITERS.map((name) => ownAudits(benchmark, one).filter(({ writer }) => writer === name));
      return {
        benchmark: benchmark.name,
        scenario: scenarioTitle(benchmark.name, { variant }),
        cells: [
          modeTitle(one.params),
          ...(links ? [milliseconds(linkLatencyMs)] : []),
          ...byWriter.map((audits) => lostCell(audits, !narrow)),
          ...byWriter.map((audits) => unavailableCell(audits, !narrow)),
          milliseconds(longestSplitBrain(trialsOf(benchmark, one))),
          ...byWriter.map(refusedCell),
        ],
      };
    }),
  };
}

/**
 * How often and how much each client lost, and how long writes stopped, over the trials of each case.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @returns {TextTable | null} null: no case has several trials
 */
export function riskTable(benchmarks) {
  const rows = benchmarks.filter(isFailureBenchmark).flatMap((benchmark) =>
    groupsOf(benchmark).flatMap(({ case: one, writer, audits }) => {
      const loss = lossOf(audits, one.params.rate);
      return loss === null || loss.trials === 1 ? [] : { benchmark, one, writer, loss };
    }),
  );
  if (rows.length === 0) return null;
  const figures = [
    'trials with a loss (risk of a loss)',
    'writes lost, median',
    'worst',
    'seconds lost, median',
    'worst',
  ];
  const header = ['mode', 'client', ...figures, 'outage, median', 'worst'];
  const time = (/** @type {number | null} */ seconds) => milliseconds(seconds === null ? null : seconds * 1000);
  return {
    header,
    align: header.map((_, i) => (i < 2 ? 'left' : 'right')),
    rows: rows.map(({ benchmark, one, writer, loss }) => ({
      benchmark: benchmark.name,
      scenario: scenarioTitle(benchmark.name, one.params),
      cells: [
        modeTitle(one.params),
        writerTitle(writer),
        riskText(loss),
        count(Math.round(loss.usual)),
        count(loss.most),
        time(loss.usualSeconds),
        time(loss.seconds),
        milliseconds(loss.unavailable.medianMs),
        milliseconds(loss.unavailable.highMs),
      ],
    })),
  };
}

/**
 * What the Sentinel clients of the libraries lost, repeated and acknowledged falsely.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {{narrow: boolean}} options as for {@link modeTable}
 * @returns {TextTable | null} null: no library wrote
 */
export function libraryTable(benchmarks, { narrow }) {
  const rows = benchmarks
    .filter(isFailureBenchmark)
    .flatMap((benchmark) =>
      groupsOf(benchmark, { writers: LIBRARY_WRITERS }).map((group) => ({ benchmark, ...group })),
    );
  if (rows.length === 0) return null;
  const header = ['mode', 'library', 'acked', 'lost', 'false acks', 'false acks lost', 'applied twice', 'unknown'];
  header.push('unsent', 'unavailable', 'stale reads');
  return {
    header,
    align: header.map((_, i) => (i < 2 ? 'left' : 'right')),
    rows: rows.map(({ benchmark, case: one, writer, audits }) => ({
      benchmark: benchmark.name,
      scenario: scenarioTitle(benchmark.name, one.params),
      cells: [
        modeTitle(one.params),
        writerTitle(writer),
        count(total(audits, 'acked')),
        lostCell(audits, !narrow),
        countOrNone(totalOrNull(audits, 'falseAcks')),
        countOrNone(totalOrNull(audits, 'falseAcksLost')),
        countOrNone(totalOrNull(audits, 'appliedTwice')),
        count(total(audits, 'unknown')),
        count(total(audits, 'unsent')),
        unavailableCell(audits, !narrow),
        staleCell(trialsOf(benchmark, one)),
      ],
    })),
  };
}

/**
 * @param {BenchmarkResult[]} benchmarks
 * @returns {string[]} blocks for the end of a run; empty when no failure was measured
 */
export function terminalTables(benchmarks) {
  const modes = modeTable(benchmarks, { narrow: true });
  const libraries = libraryTable(benchmarks, { narrow: true });
  const blocks = [];
  if (modes) {
    const trials = Math.max(0, ...benchmarks.flatMap(({ audit = [] }) => audit.map(({ round }) => round)));
    const title = 'Acknowledged writes lost, longest time without an acknowledgement, writes refused';
    const writers = 'sticky: keeps its connections until an error; aware: failover-aware, moves at +switch-master.';
    const sums = `Sums of ${trials} trials; median of times, longest split brain.`;
    blocks.push(`${chalk.bold(title)}\n${tableText(modes)}`, trials > 1 ? `${writers}\n${sums}` : writers);
  }
  if (libraries) blocks.push(`${chalk.bold('Sentinel clients of the libraries')}\n${tableText(libraries)}`);
  return blocks;
}

/**
 * @param {TextTable} table
 * @returns {string} the rows of a scenario below its name
 */
function tableText({ header, align, rows }) {
  const table = new Table({
    // Two lines keep the columns narrow.
    head: header.map((title) => title.replace(', ', '\n').replace('failover-aware', 'aware')),
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

/** @param {readonly AuditResult[]} audits of one writer */
function refusedCell(audits) {
  const rejected = total(audits, 'rejected');
  return rejected === 0 && audits.length > 0 ? '0' : partOf(rejected, total(audits, 'attempted'));
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 */
function isLibraryCase(benchmark, one) {
  return one.params.client !== 'native' || auditsOf(benchmark, one).length > 0;
}
