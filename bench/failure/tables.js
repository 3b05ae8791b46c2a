/**
 * The complete tables of losses and outages, for details.md and the end of a run.
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 * @import { Group } from '../../src/report/trials/figures.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Column } from '../../src/table.js'
 */

import { lostEverything } from '../../src/audit/losses.js';
import * as ofTrials from '../../src/audit/of-trials.js';
import { hasOtherRefusals } from '../../src/audit/outages.js';
import { ALL, count } from '../../src/format.js';
import { placedWriter, writerTitle } from '../../src/registry/writers.js';
import { heading, table, text } from '../../src/report/blocks.js';
import * as figures from '../../src/report/trials/figures.js';
import { lostSeconds, mostText, riskText } from '../../src/report/trials/losses.js';
import { variationIn } from '../../src/result/variation.js';
import { filled } from '../../src/sentences.js';
import { left, right } from '../../src/table.js';
import { LIBRARY_WRITERS, OWN_WRITERS, ownAudits, PLACED_WRITERS } from '../experiments/cases.js';
import { scenarioTitle, writerRows } from '../experiments/rows.js';
import { modeTitle } from '../modes.js';
import { WORDS } from './words.js';

/** @typedef {{benchmark: BenchmarkResult, one: CaseResult}} MeasuredCase */

/** @type {Column<MeasuredCase>} */
const SCENARIO = left('scenario', ({ benchmark, one }) => scenarioTitle(benchmark.name, one.params), { group: true });
/** @type {Column<MeasuredCase>} */
const MODE = left('mode', ({ one }) => modeTitle(one.params));

/**
 * What each mode lost in each scenario, and how long writes stopped.
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {{placed?: boolean}} [options] placed: of the cases whose writers each live in a group of the network; default: of all others
 * @returns {TableBlock} without rows: nothing was measured
 */
export function modeTable(benchmarks, { placed = false } = {}) {
  const names = placed ? PLACED_WRITERS : OWN_WRITERS;
  const nameOf = (/** @type {string} */ name) => placedWriter(name).place ?? writerTitle(name);
  const rows = benchmarks.filter(ofTrials.isFailureBenchmark).flatMap((benchmark) =>
    benchmark.cases
      .filter((one) => ownAudits(benchmark, one).length > 0 || !isLibraryCase(benchmark, one))
      .filter(({ params }) => (params.writers?.[0] === PLACED_WRITERS[0]) === placed)
      .map((one) => ({ benchmark, one })),
  );
  const links = new Set(rows.map(({ one }) => one.params.linkLatencyMs ?? 0)).size > 1;
  /** @type {(title: string, cell: (audits: AuditResult[], whole: boolean, row: MeasuredCase) => string) => Column<MeasuredCase>[]} */
  const ofEach = (title, cell) =>
    names.map((name) => {
      const audits = (/** @type {MeasuredCase} */ { benchmark, one }) =>
        ownAudits(benchmark, one).filter(({ writer }) => writer === name);
      return right(`${title}, ${nameOf(name)}`, (/** @type {MeasuredCase} */ row) => cell(audits(row), true, row), {
        // Two lines keep the column narrow.
        short: `${title}\n${nameOf(name).replace('failover-', '')}`,
        narrow: (row) => cell(audits(row), false, row),
      });
    });
  // Links have a column of their own.
  const scenarioOf = (/** @type {MeasuredCase} */ { benchmark, one: { params } }) =>
    scenarioTitle(benchmark.name, variationIn(params));
  /** @type {Column<MeasuredCase>[]} */
  const link = [right('link', ({ one }) => figures.milliseconds(one.params.linkLatencyMs ?? 0))];
  return table(
    [
      left('scenario', scenarioOf, { group: true }),
      MODE,
      ...(links ? link : []),
      ...ofEach('lost', (audits, whole, row) => lossCell(row, audits, whole)),
      ...ofEach('unavailable', figures.unavailableCell),
      right('split brain', ({ benchmark, one }) =>
        figures.milliseconds(ofTrials.longestSplitBrain(ofTrials.trialsOf(benchmark, one))),
      ),
      ...ofEach('refused', refusedCell),
    ],
    rows,
  );
}

/** How often and how much each client lost, and how long writes stopped, by case. @param {readonly BenchmarkResult[]} benchmarks */
export function riskTable(benchmarks) {
  const rows = benchmarks
    .filter(ofTrials.isFailureBenchmark)
    .flatMap(writerRows)
    .filter(({ loss }) => loss.trials > 1 && loss.losing > 0);
  /** @type {Column<TrialRow>[]} */
  const columns = [
    left('scenario', ({ fault }) => fault.title, { group: true }),
    left('mode', ({ mode }) => mode),
    left('client', ({ writer }) => writer),
    right('trials with a loss (risk of a loss)', ({ loss }) => riskText(loss)),
    right('writes lost, median', ({ loss }) => count(Math.round(loss.usual))),
    right('worst', ({ loss }) => mostText(loss)),
    right('seconds lost, median', ({ loss: { usualSeconds } }) =>
      figures.milliseconds(usualSeconds === null ? null : usualSeconds * 1000),
    ),
    right('worst', ({ loss }) => lostSeconds(loss)),
    right('outage, median', ({ outage }) => figures.milliseconds(outage.medianMs)),
    right('worst', ({ outage }) => figures.milliseconds(outage.highMs)),
  ];
  return table(columns, rows);
}

/** What the Sentinel clients of the libraries lost, repeated and acknowledged falsely. @param {readonly BenchmarkResult[]} benchmarks */
export function libraryTable(benchmarks) {
  const rows = benchmarks
    .filter(ofTrials.isFailureBenchmark)
    .flatMap((benchmark) =>
      figures
        .groupsOf(benchmark, { writers: LIBRARY_WRITERS })
        .map((group) => ({ benchmark, one: group.case, ...group })),
    );
  /** @type {Column<MeasuredCase & Group>[]} */
  const columns = [
    SCENARIO,
    MODE,
    left('library', ({ writer }) => writerTitle(writer)),
    right('acked', ({ audits }) => count(ofTrials.total(audits, 'acked'))),
    right('lost', (row) => lossCell(row, row.audits, true), { narrow: (row) => lossCell(row, row.audits, false) }),
    right('false acks', ({ audits }) => figures.countOrNone(ofTrials.totalOrNull(audits, 'falseAcks'))),
    right('false acks lost', ({ audits }) => figures.countOrNone(ofTrials.totalOrNull(audits, 'falseAcksLost'))),
    right('applied twice', ({ audits }) => figures.countOrNone(ofTrials.totalOrNull(audits, 'appliedTwice'))),
    right('unknown', ({ audits }) => count(ofTrials.total(audits, 'unknown'))),
    right('unsent', ({ audits }) => count(ofTrials.total(audits, 'unsent'))),
    right('unavailable', ({ audits }) => figures.unavailableCell(audits, true), {
      narrow: ({ audits }) => figures.unavailableCell(audits, false),
    }),
    right('stale reads', ({ benchmark, one }) => figures.staleCell(ofTrials.trialsOf(benchmark, one))),
  ];
  return table(columns, rows);
}

/** @param {Block} title @param {TableBlock} shown @param {...Block} notes @returns {Block[]} empty: the table has no rows */
export function section(title, shown, ...notes) {
  return shown.rows.length === 0 ? [] : [title, shown, ...notes];
}

/** @param {BenchmarkResult[]} benchmarks @returns {Block[]} for the end of a run; empty when no failure was measured */
export function terminalTables(benchmarks) {
  const { headings } = WORDS;
  const trials = Math.max(0, ...benchmarks.flatMap(({ audit = [] }) => audit.map(({ round }) => round)));
  const sums = trials > 1 ? filled(WORDS.terminalSums, { trials }) : '';
  return [
    ...section(heading(3, headings.terminal), modeTable(benchmarks), text(filled(WORDS.terminal, { sums }))),
    ...section(heading(3, `${headings.placed}. ${WORDS.places}`), modeTable(benchmarks, { placed: true })),
    ...section(heading(3, headings.libraries), libraryTable(benchmarks)),
  ];
}

/** @param {MeasuredCase} measured @param {readonly AuditResult[]} audits of one writer @param {boolean} ranges */
function lossCell({ benchmark, one }, audits, ranges) {
  if (!lostEverything(benchmark, one, audits)) return figures.lostCell(audits, ranges);
  return `${ALL} ${ranges ? figures.lostCell(audits, ranges) : count(ofTrials.total(audits, 'ackedLost'))}`;
}

/** @param {readonly AuditResult[]} audits of one writer */
function refusedCell(audits) {
  const rejected = ofTrials.total(audits, 'rejected');
  if (rejected === 0 && audits.length > 0) return '0';
  const kinds = audits.some(hasOtherRefusals) ? `; ${figures.errorsText(audits)}` : '';
  return `${figures.partOf(rejected, ofTrials.total(audits, 'attempted'))}${kinds}`;
}

/** @param {BenchmarkResult} benchmark @param {CaseResult} one */
function isLibraryCase(benchmark, one) {
  return one.params.client !== 'native' || ofTrials.auditsOf(benchmark, one).length > 0;
}
