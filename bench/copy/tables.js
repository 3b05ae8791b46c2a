/**
 * The tables of the benchmark `copy`: what was copied, what that used, and what the writers of the source noticed.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { CopyFigures } from './document.js'
 * @import { Column } from '../../src/run/types.js'
 */

import { bitRate, bytes, count, duration, percent, rate } from '../../src/format.js';
import { table, text } from '../../src/report/blocks.js';
import { left, right, TOO_FEW } from '../../src/report/columns.js';
import { NS_A_SECOND } from '../../src/units.js';
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
const PHASES = /** @type {const} */ (['before', 'during', 'after']);

/** @type {Column[]} */
const CASE_COLUMNS = [left('mode', modeTitle), right('pairs', ({ params }) => count(params.pairs ?? 1))];

/** @type {Column[]} */
export const COPY_COLUMNS = [
  ...CASE_COLUMNS,
  right('keys before', (result) => shown(result, ({ keysBefore }) => keysBefore, count)),
  right('source writes', (result) => shown(result, ({ sourceRate }) => sourceRate, rate)),
  right('copied', (result) => shown(result, ({ copyRate }) => copyRate, rate)),
  right('copied, by its own status', reportedCell),
  right('took', (result) => shown(result, ({ seconds }) => seconds, time)),
  right('copy rate / write rate', ratioCell),
  right('copied, to 1 pair', (result) => ((result.params.pairs ?? 1) > 1 ? ratioCellOf(result) : '')),
  right('copied, to strings only', (result) => (result.params.collections ? ratioCellOf(result) : '')),
  right('behind after the last write', behindCell),
  right('differences', differencesText),
  left('limited by', limitOf),
];

/** Resources that all pairs together used during the copy. @type {Column[]} */
export const USE_COLUMNS = [
  ...CASE_COLUMNS,
  right('CPU source / copy / mover', cpuCell),
  right('source sent', (result) => networkCell(result, 'source', 'networkOutBytes')),
  right('source received', (result) => networkCell(result, 'source', 'networkInBytes')),
  right('copy received', (result) => networkCell(result, 'copy', 'networkInBytes')),
  right('source to disk', (result) => diskCell(result, 'source')),
  right('copy to disk', (result) => diskCell(result, 'copy')),
  right('copy-on-write', copyOnWriteCell),
  right('memory peak of a source', (result) =>
    shown(result, ({ sourceMemoryPeakBytes }) => sourceMemoryPeakBytes, bytes),
  ),
];

/** Columns for cases with writers. @type {Column[]} */
export const EFFECT_COLUMNS = [
  ...CASE_COLUMNS,
  right('writes before / during / after', (result) =>
    phases(result, ({ writes, seconds }) => (seconds > 0 ? writes / seconds : 0), rate),
  ),
  right('p50', (result) => phases(result, ({ p50Ns }) => p50Ns, duration)),
  right('p99', (result) => p99Cell(result)),
  right('longest', (result) => phases(result, ({ maxNs }) => maxNs, duration)),
];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Block[]} further tables; none when nothing was copied
 */
export function copyDetails({ cases }) {
  const copied = cases.filter((result) => figuresOf(result).length > 0);
  const written = copied.filter((result) => figuresOf(result).some(({ writers }) => writers !== undefined));
  return [
    ...section(
      'Resources, all pairs together. CPU is of one core and includes a child that writes the data set. Network includes the traffic of writers, ' +
        'movers and this tool’s own questions. During a full sync a copy first writes the data set to a file, and then loads it.',
      copied,
      USE_COLUMNS,
    ),
    ...section(
      'Latency of the writers of the source before, during and after the copy. Moderate writes: response time, from the scheduled send; ' +
        `heaviest writes: service time, from the actual send. ${TOO_FEW} : too few values.`,
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
  return [text(title), table(columns, cases)];
}

/**
 * @param {CaseResult} result
 * @param {(figures: CopyFigures) => number | null} value
 * @param {(value: number) => string} format
 */
function shown(result, value, format) {
  const figure = typical(result, value);
  return figure === null ? '' : format(figure);
}

/** @param {number} seconds */
function time(seconds) {
  return duration(seconds * NS_A_SECOND);
}

/** @param {CaseResult} result of a mover that has a status page */
function reportedCell(result) {
  return shown(result, ({ reported }) => reported?.rate ?? null, rate);
}

/** @param {CaseResult} result */
function ratioCell(result) {
  const ratio = isIncremental(result) ? ratioOf(result) : null;
  return ratio === null ? '' : percent(ratio);
}

/** @param {CaseResult} result */
function ratioCellOf({ summary: { relativeToBaseline } }) {
  return relativeToBaseline ? `${relativeToBaseline.throughput.median.toFixed(2)} ×` : '';
}

/** @param {CaseResult} result */
function behindCell(result) {
  if (!isFinished(result)) return 'never';
  return total(result, ({ sourceRate }) => sourceRate) === 0
    ? ''
    : shown(result, ({ behindSeconds }) => behindSeconds, time);
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
  return shown(result, perSecond, bitRate) || NOT_COUNTED;
}

/**
 * @param {CaseResult} result
 * @param {'source' | 'copy'} side
 */
function diskCell(result, side) {
  if (figuresOf(result).length === 0) return '';
  return shown(result, ({ use }) => use[side].blockOutBytes, bytes) || NOT_COUNTED;
}

/** @param {CaseResult} result */
function copyOnWriteCell(result) {
  if (figuresOf(result).length === 0) return '';
  return shown(result, ({ copyOnWriteBytes }) => copyOnWriteBytes, bytes) || 'no fork';
}

/**
 * @param {CaseResult} result
 * @param {(writers: Writers['before']) => number} value
 * @param {(value: number) => string} format
 */
function phases(result, value, format) {
  return PHASES.map((phase) => shown(result, ({ writers }) => (writers ? value(writers[phase]) : null), format)).join(
    ' / ',
  );
}

/**
 * @param {CaseResult} result
 * @param {readonly typeof PHASES[number][]} [phases] default: all
 */
export function p99Cell(result, phases = PHASES) {
  return phases
    .map((phase) => {
      const p99 = p99Of(result, phase);
      return p99 === null ? TOO_FEW : duration(p99);
    })
    .join(' / ');
}
