/**
 * The columns of the persistence benchmark's tables.
 */
import * as column from './columns.js';
import { count, duration, interval, rate } from './format.js';
import { evidenceOf, offOf, ratiosTo, times } from './persistence-figures.js';
import {
  dataSetTitle,
  eventText,
  forkText,
  loadTitle,
  modeTitle,
  nodesTitle,
  payloadTitle,
} from './persistence-words.js';

/**
 * @typedef {import('../run/types.js').Column} Column
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CaseParams} CaseParams
 */

/**
 * @param {string} title
 * @param {(params: CaseParams) => string} word
 * @returns {Column}
 */
function place(title, word) {
  return { title, align: 'left', cell: ({ params }) => word(params) };
}

/** Where a case stands. @type {readonly Column[]} */
export const PLACE_COLUMNS = Object.freeze([
  place('storage', ({ storage }) => storage ?? ''),
  place('nodes', nodesTitle),
  place('data set', dataSetTitle),
  place('payload', payloadTitle),
]);

/** @type {Column} */
const mode = place('persistence', modeTitle);

/** @type {Column} */
const throughput = {
  title: 'answered (interval)',
  align: 'right',
  cell: ({ summary }) => interval(summary.throughput, rate),
};

/** @type {Column} */
const max = {
  title: 'max',
  align: 'right',
  cell: ({ summary }) => (summary.samples === 0 ? '' : duration(summary.latencyNs.max)),
};

/** What the primary's own counters say. @type {readonly Column[]} */
const EVIDENCE_COLUMNS = Object.freeze([
  {
    title: 'delayed fsyncs',
    align: 'right',
    cell: (result) => {
      const { delayedFsyncs } = evidenceOf(result);
      return delayedFsyncs === null ? '' : count(delayedFsyncs);
    },
  },
  { title: 'longest event', align: 'left', cell: (result) => eventText(evidenceOf(result).longestEvent) },
  { title: 'fork', align: 'right', cell: (result) => forkText(evidenceOf(result).fork) },
]);

/** One table of everything, for whoever shows nothing else. @type {Column[]} */
export const PERSISTENCE_COLUMNS = [
  place('operation', loadTitle),
  ...PLACE_COLUMNS,
  mode,
  throughput,
  {
    title: '× none',
    align: 'right',
    cell: ({ summary }) => (summary.relativeToBaseline ? times(summary.relativeToBaseline.throughput) : ''),
  },
  column.p50,
  column.p99,
  max,
  ...EVIDENCE_COLUMNS,
  column.limitedBy,
];

/**
 * @param {import('./schema.js').BenchmarkResult} benchmark the ratios to the cases without persistence are taken from it
 * @returns {Column[]} beside those that say where a case stands
 */
export function measuredColumns(benchmark) {
  /** @param {CaseResult} result */
  const ratios = (result) => ratiosTo(result, offOf(benchmark, result));
  return [
    mode,
    throughput,
    {
      title: '× none',
      align: 'right',
      cell: (result) => {
        const found = ratios(result);
        return found ? times(found.throughput) : '';
      },
    },
    column.p50,
    column.p99,
    {
      title: 'p99 × none',
      align: 'right',
      cell: (result) => {
        const p99 = ratios(result)?.p99;
        return p99 ? times(p99) : '';
      },
    },
    max,
    ...EVIDENCE_COLUMNS,
    column.limitedBy,
  ];
}
