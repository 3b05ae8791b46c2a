/**
 * The tables of the benchmark `copy`: what was copied, what that used, and what those who write to the source noticed.
 */
import { TOO_FEW } from './columns.js';
import {
  differencesText,
  figuresOf,
  isFinished,
  isIncremental,
  limitOf,
  p99Of,
  ratioOf,
  total,
  typical,
} from './copy-figures.js';
import { bitRate, bytes, count, duration, percent, rate } from './format.js';

/**
 * @typedef {import('../run/types.js').Column} Column
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CopyFigures} CopyFigures
 * @typedef {NonNullable<CopyFigures['writers']>} Writers
 */

const NOT_COUNTED = 'not counted';
const SECOND_NS = 1e9;
const PHASES = /** @type {const} */ (['before', 'during', 'after']);

/** @type {Column[]} */
const CASE_COLUMNS = [
  { title: 'mode', align: 'left', cell: modeCell },
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

/** Of cases in which somebody writes. @type {Column[]} */
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
function modeCell({ params: { mode = '', scanCount } }) {
  return scanCount === undefined ? mode : `${mode} (COUNT ${scanCount})`;
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
  if (!isFinished(result)) return 'never had it';
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
