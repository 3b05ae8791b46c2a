/**
 * A result as tables for spreadsheets and data frames: CSV as RFC 4180 has it, UTF-8, one header.
 *
 * Columns carry their unit in their name and the figures are those of result.json, unrounded. An empty cell was not measured. What has no
 * fixed fields (settings, errors) is JSON in its cell. A column that no row of the run fills is left out; histograms are in the folder
 * `histograms` of the run.
 */
import { cleaned } from '../untrusted.js';

/**
 * @import { TrialResult } from './failure-schema.js'
 * @import { BenchmarkResult, CaseResult, Result } from './schema.js'
 */

/**
 * @typedef {Map<string, string | number | boolean>} Row column → value
 * @typedef {keyof typeof ROWS} RowsOf
 */

/** What a row can be. */
export const ROWS = Object.freeze({ rounds, cases, audits, steps });

/** Fields whose names are those of settings, errors and nodes: they would be columns without end. */
const RECORDS = new Set(['settings', 'replicaSettings', 'errors', 'executed', 'events', 'present']);
/** How a formula begins, for one spreadsheet or another; some take the wide forms of these characters, too. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const HISTOGRAMS = new Set(['histogram', 'serviceHistogram', 'latenessHistogram']);

/** Units at the end of a field's name, and what they are called in a column's. */
const UNITS = Object.freeze({
  BytesPerSecond: 'bytes_per_second',
  Bytes: 'bytes',
  Ns: 'ns',
  Us: 'us',
  Ms: 'ms',
});
/** Fields whose unit is not in their name. */
const OWN_UNITS = Object.freeze({
  throughput: 'per_second',
  rate: 'per_second',
  askedRate: 'per_second',
  achievedRate: 'per_second',
  copyRate: 'per_second',
  sourceRate: 'per_second',
  cpu: 'cores',
  mainThreadCpu: 'cores',
  primaryEndCpu: 'cores',
  replicaEndCpu: 'cores',
  machineCpu: 'share',
  eventLoopUtilization: 'share',
  relativeToBaseline: 'ratio',
});

/**
 * @param {Result} result
 * @param {RowsOf} rowsOf what a row is: a round of a case, a case, a writer of a trial, or a step of a trial's course
 * @returns {string} lines end with CR LF; empty when there is no such row
 */
export function renderCsv(result, rowsOf) {
  const table = ROWS[rowsOf](result);
  if (table.length === 0) return '';
  const filled = new Set(table.flatMap((row) => [...row.keys()]));
  // What a case sets comes first, also what only later ones set.
  const lead = eachCase(result).flatMap(({ first }) => [...first.keys()]);
  const columns = [...new Set([...lead.filter((column) => filled.has(column)), ...filled])];
  const lines = [columns, ...table.map((row) => columns.map((column) => row.get(column)))];
  return lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
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
    const own = { baseline: relative?.baseline, relativeToBaseline: relative?.throughput };
    return rowOf(first, { rounds: one.rounds.length, ...summary, ...own });
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
 * @returns {{benchmark: BenchmarkResult, one: CaseResult, first: Row}[]} first: the columns that say what was measured
 */
function eachCase({ suite, startedAt, tool, cluster, benchmarks }) {
  const run = { suite, startedAt, commit: tool.commit, backend: cluster.backend, server: cluster.server };
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
 * @returns {Row} with one column for each figure in `fields`, however deep
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
  // The course of a link within a round; of a case it is a count.
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
    const own = Object.hasOwn(OWN_UNITS, part) ? OWN_UNITS[/** @type {keyof typeof OWN_UNITS} */ (part)] : undefined;
    if (own !== undefined) {
      unit ||= own;
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

/** @param {string | number | boolean | undefined} value */
function cellText(value) {
  const text = typeof value === 'string' ? plainText(cleaned(value)) : String(value ?? '');
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @param {string} text
 * @returns {string} that no spreadsheet takes for a formula; a number stays one
 */
function plainText(text) {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
