/**
 * Failure benchmarks: the tables that answer first, as plain text. Reports and the terminal show the same cells.
 */
import {
  groupsOf,
  isFailureBenchmark,
  LIBRARY_WRITERS,
  longestSplitBrain,
  OWN_WRITERS,
  ownAudits,
  total,
  totalOrNull,
  trialsOf,
  unavailableOf,
} from './failure-totals.js';
import { caseTitle, levelTitle, milliseconds, NOT_MEASURED, partOf, TO_THE_END } from './failure-words.js';
import { count, percent } from './format.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./failure-schema.js').AuditResult} AuditResult
 * @typedef {import('./failure-totals.js').WriterName} WriterName
 *
 * @typedef {Object} TextTable
 * @property {string[]} header
 * @property {('left' | 'right')[]} align
 * @property {TextRow[]} rows
 *
 * @typedef {{scenario: string, cells: string[]}} TextRow scenario: no cell of its own; the benchmark's name
 */

/**
 * Scenario × level → what was lost, for how long nobody could write, and for how long two nodes could be written.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {{narrow: boolean}} options narrow: for a terminal, without the range of several rounds, and with variants as
 *   scenarios of their own
 * @returns {TextTable | null} null: there is nothing to show
 */
export function firstTable(benchmarks, { narrow }) {
  const rows = benchmarks.filter(isFailureBenchmark).flatMap((benchmark) => {
    const cases = benchmark.cases.filter(
      (one) => ownAudits(benchmark, one).length > 0 || !isLibraryCase(benchmark, one),
    );
    return cases.map((one) => ({ scenario: benchmark.name, benchmark, one }));
  });
  if (rows.length === 0) return null;
  const variants = !narrow && rows.some(({ one }) => one.params.variant !== undefined);
  const links = new Set(rows.map(({ one }) => one.params.linkLatencyMs ?? 0)).size > 1;
  /** @type {[title: string, align: 'left' | 'right'][]} */
  const columns = [['level', 'left']];
  if (variants) columns.push(['variant', 'left']);
  if (links) columns.push(['link', 'right']);
  for (const title of ['lost', 'unavailable'])
    for (const writer of OWN_WRITERS) columns.push([`${title}, ${writer}`, 'right']);
  columns.push(['split brain', 'right']);
  for (const writer of OWN_WRITERS) columns.push([`refused, ${writer}`, 'right']);
  return {
    header: columns.map(([title]) => title),
    align: columns.map(([, align]) => align),
    rows: rows.map(({ scenario, benchmark, one }) => {
      const byWriter = OWN_WRITERS.map((writer) =>
        ownAudits(benchmark, one).filter((audit) => audit.writer === writer),
      );
      const cells = [levelTitle(one.params)];
      if (variants) cells.push(one.params.variant ?? '');
      if (links) cells.push(milliseconds(one.params.linkLatencyMs ?? 0));
      cells.push(
        ...byWriter.map((audits) => lostCell(audits, !narrow)),
        ...byWriter.map((audits) => unavailableCell(audits, !narrow)),
        milliseconds(longestSplitBrain(trialsOf(benchmark, one))),
        ...byWriter.map(refusedCell),
      );
      const { variant } = one.params;
      return { scenario: narrow && variant !== undefined ? `${scenario}, ${variant}` : scenario, cells };
    }),
  };
}

/**
 * What the libraries' Sentinel clients made of it.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {{narrow: boolean}} options as for {@link firstTable}
 * @returns {TextTable | null} null: none of them wrote
 */
export function libraryTable(benchmarks, { narrow }) {
  const rows = benchmarks
    .filter(isFailureBenchmark)
    .flatMap((benchmark) =>
      groupsOf(benchmark, { writers: LIBRARY_WRITERS }).map((group) => ({ benchmark, ...group })),
    );
  if (rows.length === 0) return null;
  const header = ['level', 'library', 'acked', 'lost', 'false acks', 'of those lost', 'applied twice', 'unknown'];
  header.push('unsent', 'hung', 'stale reads');
  return {
    header,
    align: header.map((_, i) => (i < 2 ? 'left' : 'right')),
    rows: rows.map(({ benchmark, case: one, writer, audits }) => ({
      scenario: benchmark.name,
      cells: [
        caseTitle(one.params),
        writer,
        count(total(audits, 'acked')),
        lostCell(audits, !narrow),
        countOrNone(totalOrNull(audits, 'falseAcks')),
        countOrNone(totalOrNull(audits, 'falseAcksLost')),
        countOrNone(totalOrNull(audits, 'appliedTwice')),
        count(total(audits, 'unknown')),
        count(total(audits, 'unsent')),
        unavailableCell(audits, !narrow),
        staleCell(benchmark, one),
      ],
    })),
  };
}

/**
 * @param {readonly AuditResult[]} audits of one writer
 * @param {boolean} ranges
 * @returns {string} such as `20 (0.061 %)`, `15 (0.050 %; 0–12 a round)`, `0 of 38,500`, `–`
 */
export function lostCell(audits, ranges) {
  const acked = total(audits, 'acked');
  const lost = total(audits, 'ackedLost');
  if (!ranges || audits.length < 2 || lost === 0) return partOf(lost, acked);
  const each = audits.map(({ ackedLost }) => ackedLost);
  const [low, high] = [Math.min(...each), Math.max(...each)];
  const range = low === high ? count(low) : `${count(low)}–${count(high)}`;
  return `${count(lost)} (${percent(lost / acked)}; ${range} a round)`;
}

/** @param {readonly AuditResult[]} audits of one writer */
function refusedCell(audits) {
  const rejected = total(audits, 'rejected');
  // None of the attempted is no news; what stands out is where there are some.
  return rejected === 0 && audits.length > 0 ? '0' : partOf(rejected, total(audits, 'attempted'));
}

/**
 * @param {readonly AuditResult[]} audits of one writer
 * @param {boolean} ranges
 * @returns {string} such as `1.20 s`, `to the end`, `1.20 s (1 of 3 rounds to the end)`, `–`
 */
export function unavailableCell(audits, ranges) {
  if (audits.length === 0) return NOT_MEASURED;
  const { medianMs, toTheEnd } = unavailableOf(audits);
  const some = ranges && toTheEnd > 0 && toTheEnd < audits.length;
  if (!some) return milliseconds(medianMs);
  const rounds = `${toTheEnd} of ${audits.length} rounds`;
  return `${milliseconds(medianMs)} (${rounds}${Number.isFinite(medianMs) ? ` ${TO_THE_END}` : ''})`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {string} reads on replicas that did not show an acknowledged write, of all that were answered
 */
export function staleCell(benchmark, one) {
  const trials = trialsOf(benchmark, one);
  const answered = trials.reduce((sum, { reads }) => sum + reads.reads - reads.failed, 0);
  const stale = trials.reduce((sum, { reads }) => sum + reads.stale, 0);
  return partOf(stale, answered);
}

/** @param {number | null} value null: does not apply */
export function countOrNone(value) {
  return value === null ? NOT_MEASURED : count(value);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 */
function isLibraryCase({ audit = [] }, { id, params }) {
  return params.client !== 'native' || audit.some((each) => each.case === id);
}
