/**
 * The part of a report that answers first when failures were what was measured, in Markdown.
 */
import { markdownTable } from 'markdown-table';
import { median } from '../measure/statistics.js';
import { firstTable, libraryTable } from './failure-columns.js';
import { isFailureBenchmark } from './failure-totals.js';
import { milliseconds, NOT_MEASURED, TO_THE_END } from './failure-words.js';
import { plural } from './format.js';
import { escapeText, linkTo, list } from './markdown-text.js';

/**
 * @typedef {import('./schema.js').Result} Result
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./failure-columns.js').TextTable} TextTable
 */

/**
 * @param {Result} result
 * @returns {string} Markdown; empty when no failure benchmark was measured
 */
export function renderFirstTables({ benchmarks, profile }) {
  const failures = benchmarks.filter(isFailureBenchmark);
  const first = firstTable(failures, { narrow: false });
  const libraries = libraryTable(failures, { narrow: false });
  const parts = [];
  if (first) {
    parts.push('## What was lost', renderTable(first, benchmarks), missing(first, benchmarks));
    parts.push(list(firstNotes(failures, profile.trials ?? null)));
  }
  if (libraries) {
    parts.push(
      '### With the Sentinel clients of the libraries',
      'With their default options, as applications use them: what is queued, redirected and sent again is what the library does by itself.',
      renderTable(libraries, benchmarks),
      list(LIBRARY_NOTES),
    );
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

/**
 * What is not in the table must not look as if nothing had been lost.
 *
 * @param {TextTable} table
 * @param {readonly BenchmarkResult[]} benchmarks
 */
function missing({ rows }, benchmarks) {
  const without = benchmarks.filter(
    ({ name, status }) => status !== 'ok' && rows.every(({ scenario }) => scenario !== name),
  );
  if (without.length === 0) return '';
  return `Not measured: ${without.map(({ name, status }) => `${linkTo(name)} (${status})`).join(', ')}.`;
}

/**
 * @param {TextTable} table
 * @param {readonly BenchmarkResult[]} benchmarks
 */
function renderTable({ header, align, rows }, benchmarks) {
  const failed = benchmarks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  const lines = rows.map(({ scenario, cells }, i) => {
    const again = i > 0 && rows[i - 1].scenario === scenario;
    const name = `${linkTo(scenario)}${failed.includes(scenario) ? ' (failed)' : ''}`;
    return [again ? '' : name, ...cells.map(escapeText)];
  });
  return markdownTable([['scenario', ...header.map(escapeText)], ...lines], { align: ['left', ...align] });
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {number | null} asked trials a case; null: not known
 */
function firstNotes(benchmarks, asked) {
  const rounds = Math.max(
    0,
    ...benchmarks.flatMap(({ timeline = [] }) => timeline.map(({ round }) => round)),
    asked ?? 0,
  );
  const over = rounds > 1 ? `, sum of ${rounds} rounds and what a round had` : '';
  const middle =
    rounds > 1 ? `; median of the rounds` : '; one round: nothing here tells how much of a difference is chance';
  return [
    `stays, follows: two writers side by side, each with keys of its own. One keeps its connections until an error or a lost connection and then asks the Sentinels for the primary; the other also moves as soon as a Sentinel says \`+switch-master\`.`,
    `lost: acknowledged writes (OK, and the WAIT count reached what was asked) whose value is not on the primary after everything was healed, with their share of the acknowledged writes${over}. \`0 of N\` is none of N.`,
    `unavailable: longest time without an acknowledgement after the fault began${middle}. It is never shorter than the time between two writes. “${TO_THE_END}”: none came until the writers stopped.`,
    `split brain: longest time for which the former primary still accepted writes after the new one had accepted its first${rounds > 1 ? ', of all rounds' : ''}. 0: at no time.`,
    'refused: writes answered with an error that says they were not applied, and their share of the writes attempted.',
    `${NOT_MEASURED} : not measured, or nothing there of which it could be a share.`,
    ...linkNotes(benchmarks),
  ];
}

/** @param {readonly BenchmarkResult[]} benchmarks */
function linkNotes(benchmarks) {
  const asked = new Set(benchmarks.flatMap(({ cases }) => cases.map(({ params }) => params.linkLatencyMs ?? 0)));
  const measured = benchmarks
    .flatMap(({ timeline = [] }) => timeline.map(({ linkMs }) => linkMs))
    .filter((ms) => ms !== null);
  if (measured.length === 0) return [];
  const told = `A round trip between nodes took ${milliseconds(median(measured))} before the faults (median of ${plural(measured.length, 'trial')})`;
  const [only] = asked;
  if (asked.size > 1) return [`link: added to each round trip between nodes. ${told}.`];
  return only > 0
    ? [`${told}; ${milliseconds(only)} of it were added.`]
    : [`${told}; nothing was added. What a longer link makes of it shows with \`--link-latency 5ms\`.`];
}

const LIBRARY_NOTES = Object.freeze([
  'false acks: acknowledged because of a WAIT that another connection answered than the one that had written; its count says nothing about the write. Beside it, how many of those writes are lost.',
  'applied twice: the value is there twice, because the library sent the write again although it had been applied.',
  'unknown: no answer came before the client was closed. unsent: due, and not handed to the library in time, because too many were under way.',
  'hung: longest time without an acknowledgement after the fault began.',
  'stale reads: reads on a replica that did not show a write acknowledged just before, of all that were answered.',
]);
