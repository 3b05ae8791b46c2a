/**
 * The tables of the benchmark `copy`: what was copied, what that used, and what the writers of the source noticed.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { BenchmarkResult, CaseResult, CopyFigures } from '../../src/result/schema.js'
 * @import { Column } from '../../src/run/types.js'
 */
import { table, text } from '../../src/report/blocks.js';
import { TOO_FEW } from '../../src/report/columns.js';
import { bitRate, bytes, count, duration, percent, rate } from '../../src/report/format.js';
import {
  differencesText,
  figuresOf,
  isFinished,
  isIncremental,
  limitOf,
  modeTitle,
  p99Of,
  ratioOf,
  total,
  typical,
} from './figures.js';

/** @typedef {NonNullable<CopyFigures['writers']>} Writers */

const NOT_COUNTED = 'not counted';
const SECOND_NS = 1e9;
const PHASES = /** @type {const} */ (['before', 'during', 'after']);

/** @type {Column[]} */
const CASE_COLUMNS = [
  { title: 'mode', align: 'left', cell: modeTitle },
  { title: 'pairs', align: 'right', cell: ({ params }) => count(params.pairs ?? 1) },
];

/** @type {Column[]} */
export const COPY_COLUMNS = [
  ...CASE_COLUMNS,
  { title: 'keys before', align: 'right', cell: (result) => told(result, ({ keysBefore }) => keysBefore, count) },
  { title: 'source writes', align: 'right', cell: (result) => told(result, ({ sourceRate }) => sourceRate, rate) },
  { title: 'copied', align: 'right', cell: (result) => told(result, ({ copyRate }) => copyRate, rate) },
  { title: 'took', align: 'right', cell: (result) => told(result, ({ seconds }) => seconds, time) },
  { title: 'copy rate / write rate', align: 'right', cell: ratioCell },
  { title: 'copied, to 1 pair', align: 'right', cell: scalingCell },
  { title: 'behind after the last write', align: 'right', cell: behindCell },
  { title: 'differences', align: 'right', cell: differencesText },
  { title: 'limited by', align: 'left', cell: limitOf },
];

/** All pairs together, while it was copied. @type {Column[]} */
export const USE_COLUMNS = [
  ...CASE_COLUMNS,
  { title: 'CPU source / copy / mover', align: 'right', cell: cpuCell },
  { title: 'source sent', align: 'right', cell: (result) => networkCell(result, 'source', 'networkOutBytes') },
  { title: 'source received', align: 'right', cell: (result) => networkCell(result, 'source', 'networkInBytes') },
  { title: 'copy received', align: 'right', cell: (result) => networkCell(result, 'copy', 'networkInBytes') },
  { title: 'source to disk', align: 'right', cell: (result) => diskCell(result, 'source') },
  { title: 'copy to disk', align: 'right', cell: (result) => diskCell(result, 'copy') },
  { title: 'copy-on-write', align: 'right', cell: copyOnWriteCell },
  {
    title: 'memory peak of a source',
    align: 'right',
    cell: (result) => told(result, ({ sourceMemoryPeakBytes }) => sourceMemoryPeakBytes, bytes),
  },
];

/** Of cases with writers. @type {Column[]} */
export const EFFECT_COLUMNS = [
  ...CASE_COLUMNS,
  {
    title: 'writes before / during / after',
    align: 'right',
    cell: (result) => phases(result, ({ writes, seconds }) => (seconds > 0 ? writes / seconds : 0), rate),
  },
  { title: 'p50', align: 'right', cell: (result) => phases(result, ({ p50Ns }) => p50Ns, duration) },
  { title: 'p99', align: 'right', cell: p99Cell },
  { title: 'longest', align: 'right', cell: (result) => phases(result, ({ maxNs }) => maxNs, duration) },
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Block[]} what the first table has no room for; none where nothing was copied
 */
export function copyDetails({ cases }) {
  const copied = cases.filter((result) => figuresOf(result).length > 0);
  const written = copied.filter((result) => figuresOf(result).some(({ writers }) => writers !== undefined));
  return [
    ...section(
      'What it used, all pairs together. CPU is of one core and includes a child that writes the data set. Network includes what writers and ' +
        'movers sent and what this tool asked the nodes. During a full sync a copy writes what it receives to a file before it loads it.',
      copied,
      USE_COLUMNS,
    ),
    ...section(
      'What the writers of the source noticed before, during and after the copy. Moderate writes: response time, from when a write was due; ' +
        `heaviest writes: service time, from when it left. ${TOO_FEW} : too few values.`,
      written,
      EFFECT_COLUMNS,
    ),
  ];
}

/**
 * @param {string} title
 * @param {readonly CaseResult[]} cases
 * @param {readonly Column[]} columns
 * @returns {Block[]}
 */
function section(title, cases, columns) {
  if (cases.length === 0) return [];
  const rows = cases.map((one) => columns.map(({ cell }) => cell(one)));
  return [text(title), table(columns, rows)];
}

/**
 * @param {CaseResult} result
 * @param {(figures: CopyFigures) => number | null} value
 * @param {(value: number) => string} format
 */
function told(result, value, format) {
  const figure = typical(result, value);
  return figure === null ? '' : format(figure);
}

/** @param {number} seconds */
function time(seconds) {
  return duration(seconds * SECOND_NS);
}

/** @param {CaseResult} result */
function ratioCell(result) {
  const ratio = isIncremental(result) ? ratioOf(result) : null;
  return ratio === null ? '' : percent(ratio);
}

/** @param {CaseResult} result */
function scalingCell({ summary: { relativeToBaseline } }) {
  return relativeToBaseline ? `${relativeToBaseline.throughput.median.toFixed(2)} ×` : '';
}

/** @param {CaseResult} result */
function behindCell(result) {
  if (!isFinished(result)) return 'never';
  return total(result, ({ sourceRate }) => sourceRate) === 0
    ? ''
    : told(result, ({ behindSeconds }) => behindSeconds, time);
}

/** @param {CaseResult} result */
function cpuCell(result) {
  const figures = figuresOf(result);
  if (figures.length === 0) return '';
  const [source, copy, mover] = /** @type {const} */ (['source', 'copy', 'mover']).map((side) => {
    const cpu = typical(result, ({ use }) => use[side]?.cpu);
    return cpu === null ? NOT_COUNTED : percent(cpu);
  });
  return [source, copy, figures.every(({ use }) => use.mover === null) ? 'none' : mover].join(' / ');
}

/**
 * @param {CaseResult} result
 * @param {'source' | 'copy'} side
 * @param {'networkInBytes' | 'networkOutBytes'} field
 */
function networkCell(result, side, field) {
  if (figuresOf(result).length === 0) return '';
  /** @param {CopyFigures} figures */
  const perSecond = ({ use, seconds }) => {
    const moved = use[side][field];
    return moved === null ? null : moved / seconds;
  };
  return told(result, perSecond, bitRate) || NOT_COUNTED;
}

/**
 * @param {CaseResult} result
 * @param {'source' | 'copy'} side
 */
function diskCell(result, side) {
  if (figuresOf(result).length === 0) return '';
  return told(result, ({ use }) => use[side].blockOutBytes, bytes) || NOT_COUNTED;
}

/** @param {CaseResult} result */
function copyOnWriteCell(result) {
  if (figuresOf(result).length === 0) return '';
  return told(result, ({ copyOnWriteBytes }) => copyOnWriteBytes, bytes) || 'no fork';
}

/**
 * @param {CaseResult} result
 * @param {(writers: Writers['before']) => number} value
 * @param {(value: number) => string} format
 */
function phases(result, value, format) {
  return PHASES.map((phase) => told(result, ({ writers }) => (writers ? value(writers[phase]) : null), format)).join(
    ' / ',
  );
}

/** @param {CaseResult} result */
function p99Cell(result) {
  return PHASES.map((phase) => {
    const p99 = p99Of(result, phase);
    return p99 === null ? TOO_FEW : duration(p99);
  }).join(' / ');
}
