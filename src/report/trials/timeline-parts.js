/**
 * Parts of timeline charts: bands, marks, the time axis, and bins of steps, because a chart cannot show thousands of steps.
 *
 * @import { TrialResult } from '../../result/failure-schema.js'
 * @import { Titles } from '../../run/types.js'
 */

import { faultOf } from '../../audit/judgement.js';
import { isPlaced } from '../../audit/lost-steps.js';
import { HARNESS } from '../../result/events.js';
import { MS_A_SECOND } from '../../units.js';
import { stepsOf, turnsOf } from './timeline.js';

/**
 * @typedef {[fromMs: number, toMs: number]} Span since the writers began
 *
 * @typedef {Object} MarkLine a mark to draw
 * @property {number} afterMs since the writers began
 * @property {'F' | 'U' | 'D' | 'S'} letter of its kind, see {@link MARKS}
 * @property {string} dash
 *
 * @typedef {Object} Bins of one writer; each list has an entry a bin
 * @property {string} writer
 * @property {(number | null)[]} ackedMean acknowledged writes a second
 * @property {(number | null)[]} ackedLow of the step with the fewest in the bin
 * @property {(number | null)[] | null} lost acknowledged writes a second that were lost later; null: no write was lost
 */

/** Kinds of marks with their letters and line styles. */
const MARKS = Object.freeze({
  'fault-begun': { letter: /** @type {const} */ ('F'), dash: 'solid' },
  'fault-undone': { letter: /** @type {const} */ ('U'), dash: 'solid' },
  down: { letter: /** @type {const} */ ('D'), dash: 'dotted', sentinel: true },
  promoted: { letter: /** @type {const} */ ('S'), dash: 'dashed', sentinel: true },
});

export const MARKS_NOTE =
  'F: fault begun. D: the first Sentinel reports the primary as down (+odown). S: the first Sentinel reports a new primary ' +
  '(+switch-master). U: fault undone.';

/** Line widths of the writers. The first line is broad, so that it remains visible beneath the second. */
export const WIDTHS = Object.freeze([3.5, 1.5]);

const BANDS = Object.freeze({
  silent: { name: 'no write acked', color: '$unavailable' },
  split: { name: 'split brain', color: '$splitBrain' },
});
export const LOST = Object.freeze({ name: 'acked, later lost', color: '$lost' });
const EMPTY = Object.freeze({ type: 'line', data: [], silent: true, emphasis: { disabled: true } });

/** A gap counts from this many expected acknowledgements. Fewer may be missing by chance. */
const TELLING = 5;
/** Width of a letter above its line, as a share of the trial's length. */
const LETTER_ROOM = 0.015;

/**
 * @param {TrialResult} trial
 * @returns {number} milliseconds since the writers began: when the first fault began; 0 without a fault
 */
export function zeroOf(trial) {
  return faultOf(trial)?.from ?? 0;
}

/**
 * @param {TrialResult} trial
 * @returns {Span[]} whole steps after the fault without an acknowledgement for any writer, where at least five were
 *   due at the pace before the fault
 */
export function silentSpans(trial) {
  const { stepMs, writers } = trial;
  const steps = stepsOf(trial);
  const acked = Array.from({ length: steps }, (_, step) =>
    writers.reduce((sum, writer) => sum + (writer.acked[step] ?? 0), 0),
  );
  const begun = zeroOf(trial);
  const before = acked.slice(0, Math.floor(begun / stepMs));
  const pace =
    before.length === 0 ? Math.max(0, ...acked) : before.reduce((sum, each) => sum + each, 0) / before.length;
  /** @type {Span[]} */
  const spans = [];
  for (let from = before.length; from < steps; from++) {
    if (acked[from] > 0) continue;
    let to = from + 1;
    while (to < steps && acked[to] === 0) to++;
    // The load ended within the last step, so that step alone proves nothing.
    if (from < steps - 1 && (to - from) * pace >= TELLING) spans.push([Math.max(begun, from * stepMs), to * stepMs]);
    from = to;
  }
  return spans;
}

/** @param {TrialResult} trial @returns {Span | null} null: there was none, or its beginning is unknown */
export function splitBrainSpan({ events, windows }) {
  const firsts = events.filter(({ kind }) => kind === 'first-accepted').map(({ at }) => at);
  if (windows.splitBrainMs === 0 || firsts.length === 0) return null;
  const from = Math.min(...firsts);
  return [from, from + windows.splitBrainMs];
}

/**
 * @param {TrialResult} trial
 * @returns {MarkLine[]} by time; of marks of one kind that are less than a hundredth of the trial apart the first
 */
function linesOf(trial) {
  const near = (stepsOf(trial) * trial.stepMs) / 100;
  /** @type {MarkLine[]} */
  const lines = [];
  for (const { event } of turnsOf(trial)) {
    const drawn = MARKS[/** @type {keyof typeof MARKS} */ (event.kind)];
    // Without Sentinels the harness itself finds the primary down and promotes.
    if (drawn === undefined || ('sentinel' in drawn && event.by === HARNESS)) continue;
    const same = lines.findLast(({ letter }) => letter === drawn.letter);
    if (!same || event.at - same.afterMs >= near) lines.push({ afterMs: event.at, ...drawn });
  }
  return lines;
}

/**
 * @param {TrialResult} trial
 * @param {{most: number, lost: ReadonlyMap<string, readonly number[]>}} options most: bins, > 0; lost: by writer, how many writes
 *   acknowledged in each step were lost later
 * @returns {{stepsABin: number, binMs: number, times: number[], writers: Bins[]}} times: the middle of each bin, in seconds since the
 *   fault. Leaves out the last step, in which the load ended
 */
export function binsOf(trial, { most, lost }) {
  const { stepMs } = trial;
  // Keeps a single step, because there is no other.
  const steps = Math.max(1, stepsOf(trial) - 1);
  const stepsABin = Math.ceil(steps / most);
  const starts = Array.from({ length: Math.ceil(steps / stepsABin) }, (_, bin) => bin * stepsABin);
  const ends = starts.map((start) => Math.min(steps, start + stepsABin));
  const zero = zeroOf(trial);
  const perSecond = MS_A_SECOND / stepMs;
  const each = (/** @type {readonly number[]} */ counts, /** @type {(part: number[]) => number} */ fold) =>
    starts.map((start, bin) => {
      const part = counts.slice(start, ends[bin]);
      return part.length === 0 ? null : fold(part) * perSecond;
    });
  return {
    stepsABin,
    binMs: stepsABin * stepMs,
    times: starts.map((start, bin) => round((((start + ends[bin]) / 2) * stepMs - zero) / MS_A_SECOND)),
    writers: trial.writers.map(({ writer, acked }) => ({
      writer,
      ackedMean: each(acked, mean),
      ackedLow: each(acked, (part) => Math.min(...part)),
      lost: lost.has(writer) ? each(lost.get(writer) ?? [], mean) : null,
    })),
  };
}

/** @param {readonly number[]} values at least one */
function mean(values) {
  return round(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** @param {number} value to be rounded to a thousandth, which keeps the page small */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

/**
 * Bands and marks of a panel, in one series, because each series takes time to draw.
 * @param {TrialResult} trial
 * @param {number} panel the index of its axes
 * @returns {Record<string, any>} a series
 */
export function backdrop(trial, panel) {
  const zero = zeroOf(trial);
  const at = (/** @type {number} */ ms) => round((ms - zero) / MS_A_SECOND);
  const room = LETTER_ROOM * stepsOf(trial) * trial.stepMs;
  const lines = linesOf(trial);
  const split = splitBrainSpan(trial);
  const band = (/** @type {Span} */ [from, to], /** @type {string} */ color) => [
    { xAxis: at(from), itemStyle: { color } },
    { xAxis: at(to) },
  ];
  return {
    ...EMPTY,
    xAxisIndex: panel,
    yAxisIndex: panel,
    markArea: {
      silent: true,
      data: [
        ...silentSpans(trial).map((span) => band(span, BANDS.silent.color)),
        ...(split ? [band(split, BANDS.split.color)] : []),
      ],
    },
    markLine: {
      silent: true,
      symbol: 'none',
      lineStyle: { color: '$muted', width: 1 },
      label: { show: true, color: '$ink', fontSize: 11, position: 'end', distance: 1, fontWeight: 600 },
      data: lines.map(({ afterMs, dash }, i) => ({
        xAxis: at(afterMs),
        lineStyle: { type: dash },
        label: { formatter: lettersAt(lines, i, room) },
      })),
    },
  };
}

/**
 * Joins letters that would overlap at the first of them.
 * @param {readonly MarkLine[]} lines by time
 * @param {number} index
 * @param {number} room milliseconds that a letter takes
 * @returns {string} empty: joined to an earlier letter
 */
function lettersAt(lines, index, room) {
  const isNear = (/** @type {number} */ i) => i > 0 && lines[i].afterMs - lines[i - 1].afterMs < room;
  if (isNear(index)) return '';
  let end = index + 1;
  while (end < lines.length && isNear(end)) end++;
  return lines
    .slice(index, end)
    .map(({ letter }) => letter)
    .join('');
}

/**
 * The area below a writer's line that stands for writes which were acknowledged and later lost.
 * @param {{x: string, y: string, panel: number}} area x, y: columns; panel: the index of its axes
 * @returns {Record<string, any>} a series
 */
export function lostArea({ x, y, panel }) {
  return {
    type: 'line',
    name: LOST.name,
    xAxisIndex: panel,
    yAxisIndex: panel,
    encode: { x, y },
    showSymbol: false,
    symbol: 'none',
    step: 'middle',
    silent: true,
    itemStyle: { color: LOST.color },
    lineStyle: { width: 0 },
    areaStyle: { color: LOST.color, opacity: 1 },
    tooltip: { valueFormatter: '@rate' },
    emphasis: { disabled: true },
    z: 1,
  };
}

/**
 * Legend of the bands and of lost writes.
 * @param {readonly TrialResult[]} trials
 * @param {boolean} losing a writer lost acknowledged writes
 * @returns {{legend: Record<string, any>[], series: Record<string, any>[]}} of the used bands; series: without data, because legends show
 *   series only
 */
export function bandLegend(trials, losing) {
  const bands = [
    ...(trials.some((trial) => silentSpans(trial).length > 0) ? [BANDS.silent] : []),
    ...(trials.some((trial) => splitBrainSpan(trial) !== null) ? [BANDS.split] : []),
  ];
  return {
    legend: [...(losing ? [LOST] : []), ...bands].map(({ name }) => ({ name, icon: 'rect' })),
    series: bands.map(({ name, color }) => ({ ...EMPTY, name, itemStyle: { color } })),
  };
}

/**
 * @param {readonly TrialResult[]} trials
 * @param {boolean} losing a writer lost acknowledged writes
 * @returns {string} what the shading means; empty without a loss
 */
export function lostNote(trials, losing) {
  if (!losing) return '';
  const when =
    'Estimated, because this result has no times of lost writes: the last ones that the former primary accepted.';
  return [
    'Shaded to the bottom: writes that were acknowledged and later lost.',
    ...(isPlaced(trials) ? [when] : []),
  ].join(' ');
}

/**
 * @param {readonly TrialResult[]} trials
 * @param {Titles} titles
 * @returns {string} which writer has which line; empty with one writer
 */
export function widthsNote(trials, { writer: titleOf }) {
  const pair = trials.find(({ writers }) => writers.length > 1)?.writers;
  return pair ? `Broad line: ${titleOf(pair[0].writer)}; narrow: ${titleOf(pair[1].writer)}.` : '';
}

/**
 * The time axis that all panels of a timeline share.
 * @param {{panel: number, last: boolean, from: number, to: number}} axis last: it has labels; from, to:
 *   seconds since the fault began
 * @returns {Record<string, any>}
 */
export function timeAxis({ panel, last, from, to }) {
  return {
    type: 'value',
    gridIndex: panel,
    min: from,
    max: to,
    name: last ? 'since the fault began' : '',
    nameLocation: 'middle',
    nameGap: 26,
    nameTextStyle: { color: '$muted' },
    axisLine: { show: true, onZero: false, lineStyle: { color: '$line' } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: { show: last, color: '$muted', formatter: '@seconds', showMinLabel: false, showMaxLabel: false },
    axisPointer: { label: { show: false } },
  };
}
