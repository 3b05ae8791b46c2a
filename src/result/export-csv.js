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
 * A timeline may have millions of rows, so each is made when it is written. The columns are only known after the last row.
 *
 * @param {Result} result
 * @param {RowsOf} rowsOf what a row is: a round of a case, a case, a writer of a trial, or a step of a trial
 * @returns {Iterable<string> | null} lines, each with its CR LF; null without such rows
 */
export function csvLines(result, rowsOf) {
  /** @type {Set<string>} */
  const filled = new Set();
  const typical = rowsOf === 'steps' ? typicalSteps(result) : ROWS[rowsOf](result);
  for (const row of typical) for (const column of row.keys()) filled.add(column);
  if (filled.size === 0) return null;
  // Parameters of cases come first, even those that only later cases have.
  const lead = eachCase(result).flatMap(({ first }) => [...first.keys()]);
  const columns = [...new Set([...lead.filter((column) => filled.has(column)), ...filled])];
  return lines(columns, ROWS[rowsOf](result));
}

/**
 * @param {string[]} columns
 * @param {Iterable<Row>} rows
 * @returns {Generator<string>}
 */
function* lines(columns, rows) {
  yield csvText([columns]);
  for (const row of rows) yield csvText([columns.map((column) => row.get(column))]);
}

/**
 * @param {Result} result
 * @returns {Generator<Row>}
 */
function* rounds(result) {
  for (const { first, one } of eachCase(result)) {
    for (const [index, { nodes, outcomes, ...round }] of one.rounds.entries()) {
      const row = rowOf(first, { round: index + 1, ...outcomes, ...round });
      for (const { id, ...use } of nodes) add(row, ['node', id], use);
      yield row;
    }
  }
}

/**
 * @param {Result} result
 * @returns {Generator<Row>}
 */
function* cases(result) {
  for (const { first, one } of eachCase(result)) {
    const { relativeToBaseline: relative, ...summary } = one.summary;
    const relativeFigures = { baseline: relative?.baseline, relativeToBaseline: relative?.throughput };
    yield rowOf(first, { rounds: one.rounds.length, ...summary, ...relativeFigures });
  }
}

/**
 * @param {Result} result
 * @returns {Generator<Row>}
 */
function* audits(result) {
  for (const { first, benchmark, one } of eachCase(result)) {
    for (const { case: id, ...audit } of benchmark.audit ?? []) {
      if (id !== one.id) continue;
      const trial = benchmark.timeline?.find((each) => each.case === one.id && each.round === audit.round);
      yield rowOf(first, { ...audit, ...(trial && { trial: trialFigures(trial) }) });
    }
  }
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

/**
 * @param {Result} result
 * @returns {Generator<Row>}
 */
function* steps(result) {
  for (const { first, benchmark, one } of eachCase(result)) {
    for (const { case: id, round, stepMs, writers } of benchmark.timeline ?? []) {
      if (id !== one.id) continue;
      for (const { writer, p99Ms, ...outcomes } of writers) {
        const counts = Object.entries(outcomes);
        for (const [step, p99] of p99Ms.entries()) {
          const row = rowOf(first, { round, writer, fromMs: step * stepMs, stepMs });
          for (const [outcome, values] of counts) add(row, [outcome], values[step]);
          add(row, ['p99Ms'], p99);
          yield row;
        }
      }
    }
  }
}

/**
 * The columns of all steps, without making each of them.
 *
 * @param {Result} result
 * @returns {Generator<Row>} one for each writer of a trial
 */
function* typicalSteps(result) {
  for (const { first, benchmark, one } of eachCase(result)) {
    for (const { case: id, round, stepMs, writers } of benchmark.timeline ?? []) {
      if (id !== one.id) continue;
      for (const { writer, p99Ms, ...outcomes } of writers) {
        if (p99Ms.length === 0) continue;
        const counts = Object.entries(outcomes).map(([outcome, [count]]) => [outcome, count]);
        const p99 = p99Ms.find((each) => each !== null);
        yield rowOf(first, { round, writer, fromMs: 0, stepMs, ...Object.fromEntries(counts), p99Ms: p99 });
      }
    }
  }
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

/** Rows have the same fields again and again. @type {Map<string, string>} */
const columnNames = new Map();

/**
 * @param {string[]} path of a field, such as `latencyNs`, `p99`
 * @returns {string} `latency_p99_ns`
 */
function columnName(path) {
  const key = path.join('\0');
  const name = columnNames.get(key) ?? makeColumnName(path);
  columnNames.set(key, name);
  return name;
}

/** @param {string[]} path */
function makeColumnName(path) {
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
