/**
 * A result as tables for spreadsheets and data frames: CSV by RFC 4180, UTF-8, one header.
 *
 * Column names end with the unit, and figures are those of result.json, not rounded. An empty cell was not measured. Settings and errors
 * have no fixed fields, so their cells are JSON. There are no empty columns. The folder `histograms` of the run has the histograms.
 */
import { csvText } from './csv.js';

/**
 * @import { TrialResult } from './failure-schema.js'
 * @import { BenchmarkResult, CaseResult, Result } from './schema.js'
 */

/**
 * @typedef {Map<string, string | number | boolean>} Row column → value
 * @typedef {keyof typeof ROWS} RowsOf
 */

/** The kinds of rows. */
export const ROWS = Object.freeze({ rounds, cases, audits, steps });

/** Fields keyed by settings, errors or nodes, which would be any number of columns. */
const RECORDS = new Set(['settings', 'replicaSettings', 'errors', 'executed', 'events', 'present']);
const HISTOGRAMS = new Set(['histogram', 'serviceHistogram', 'latenessHistogram']);

/** Units at the end of a field's name, and in a column's name. */
const UNITS = Object.freeze({
  BytesPerSecond: 'bytes_per_second',
  Bytes: 'bytes',
  Ns: 'ns',
  Us: 'us',
  Ms: 'ms',
});
/** Endings of fields that say what is measured, and so its unit. They stay in the name. */
const KINDS = Object.freeze({ Rate: 'per_second', Cpu: 'cores' });
/** Fields whose unit is not in their name. */
const OWN_UNITS = Object.freeze({
  throughput: 'per_second',
  rate: 'per_second',
  cpu: 'cores',
  machineCpu: 'share',
  eventLoopUtilization: 'share',
  relativeToBaseline: 'ratio',
});

/**
 * @param {Result} result
 * @param {RowsOf} rowsOf what a row is: a round of a case, a case, a writer of a trial, or a step of a trial
 * @returns {string} lines end with CR LF; empty without such rows
 */
export function renderCsv(result, rowsOf) {
  const table = ROWS[rowsOf](result);
  if (table.length === 0) return '';
  const filled = new Set(table.flatMap((row) => [...row.keys()]));
  // Parameters of cases come first, even those that only later cases have.
  const lead = eachCase(result).flatMap(({ first }) => [...first.keys()]);
  const columns = [...new Set([...lead.filter((column) => filled.has(column)), ...filled])];
  return csvText([columns, ...table.map((row) => columns.map((column) => row.get(column)))]);
}

/** @param {Result} result */
function rounds(result) {
  return eachCase(result).flatMap(({ first, one }) =>
    one.rounds.map(({ nodes, outcomes, ...round }, index) => {
      const row = rowOf(first, { round: index + 1, ...outcomes, ...round });
      for (const { id, ...use } of nodes) add(row, ['node', id], use);
      return row;
    }),
  );
}

/** @param {Result} result */
function cases(result) {
  return eachCase(result).map(({ first, one }) => {
    const { relativeToBaseline: relative, ...summary } = one.summary;
    const relativeFigures = { baseline: relative?.baseline, relativeToBaseline: relative?.throughput };
    return rowOf(first, { rounds: one.rounds.length, ...summary, ...relativeFigures });
  });
}

/** @param {Result} result */
function audits(result) {
  return eachCase(result).flatMap(({ first, benchmark, one }) =>
    (benchmark.audit ?? [])
      .filter((audit) => audit.case === one.id)
      .map(({ case: _, ...audit }) => {
        const trial = benchmark.timeline?.find((each) => each.case === one.id && each.round === audit.round);
        return rowOf(first, { ...audit, ...(trial && { trial: trialFigures(trial) }) });
      }),
  );
}

/** @param {TrialResult} trial */
function trialFigures({ windows, reads, linkMs, converged }) {
  const { reads: sent, stale, failed, longestMs } = reads;
  return {
    ...windows,
    reads: sent,
    staleReads: stale,
    failedReads: failed,
    longestStaleMs: longestMs,
    linkMs,
    converged,
  };
}

/** @param {Result} result */
function steps(result) {
  return eachCase(result).flatMap(({ first, benchmark, one }) =>
    (benchmark.timeline ?? [])
      .filter((trial) => trial.case === one.id)
      .flatMap(({ round, stepMs, writers }) =>
        writers.flatMap(({ writer, p99Ms, ...outcomes }) =>
          p99Ms.map((p99, step) => {
            const counts = Object.entries(outcomes).map(([outcome, values]) => [outcome, values[step]]);
            const at = { round, writer, fromMs: step * stepMs, stepMs };
            return rowOf(first, { ...at, ...Object.fromEntries(counts), p99Ms: p99 });
          }),
        ),
      ),
  );
}

/**
 * @param {Result} result
 * @returns {{benchmark: BenchmarkResult, one: CaseResult, first: Row}[]} first: the columns that identify the case
 */
function eachCase({ suite, startedAt, tool, stack, benchmarks }) {
  const run = { suite, startedAt, commit: tool.commit, backend: stack.backend, server: stack.server };
  return benchmarks.flatMap((benchmark) =>
    benchmark.cases.map((one) => {
      const first = rowOf(new Map(), { run, benchmark: benchmark.name, case: one.id });
      add(first, [], one.params);
      return { benchmark, one, first };
    }),
  );
}

/**
 * @param {Row} first
 * @param {object} fields
 * @returns {Row} with a column for each figure in `fields`, at any depth
 */
function rowOf(first, fields) {
  const row = new Map(first);
  add(row, [], fields);
  return row;
}

/**
 * @param {Row} row
 * @param {string[]} path
 * @param {unknown} value
 */
function add(row, path, value) {
  const name = /** @type {string} */ (path.at(-1));
  if (value === null || value === undefined || HISTOGRAMS.has(name)) return;
  // Samples of a link within a round; the samples of a case are a count.
  if (name === 'samples' && Array.isArray(value)) return;
  if (typeof value === 'object' && !Array.isArray(value) && !RECORDS.has(name)) {
    for (const [key, each] of Object.entries(value)) add(row, [...path, key], each);
    return;
  }
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  row.set(columnName(path), plain ? value : JSON.stringify(value));
}

/**
 * @param {string[]} path of a field, such as `latencyNs`, `p99`
 * @returns {string} `latency_p99_ns`
 */
function columnName(path) {
  let unit = '';
  const words = path.map((part) => {
    const unitOfPart = Object.hasOwn(OWN_UNITS, part)
      ? OWN_UNITS[/** @type {keyof typeof OWN_UNITS} */ (part)]
      : Object.entries(KINDS).find(([ending]) => part.endsWith(ending))?.[1];
    if (unitOfPart !== undefined) {
      unit ||= unitOfPart;
      return part;
    }
    const [ending, name] = Object.entries(UNITS).find(([ending]) => part.endsWith(ending)) ?? ['', ''];
    unit = name || unit;
    return part.slice(0, part.length - ending.length);
  });
  return [...words.map(snakeCase), ...(unit === '' ? [] : [unit])].join('_');
}

/** @param {string} text */
function snakeCase(text) {
  return text
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/^_/, '');
}
