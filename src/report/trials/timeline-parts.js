/**
 * What a chart of timelines draws: bands, marks, and bins of steps, because a chart cannot show thousands of steps.
 * @import { EventKind } from '../../result/events.js' @import { TrialResult } from '../../result/failure-schema.js'
 * @typedef {[fromMs: number, toMs: number]} Span since the writers began
 * @typedef {{afterMs: number, letter: string, dash: string}} MarkLine afterMs: since the writers began
 */

import { HARNESS } from '../../result/events.js';
import { sum } from '../../stats/statistics.js';
import { MS_A_SECOND } from '../../units.js';
import { stepsOf, turnsOf, zeroOf } from './timeline.js';

/** @type {Readonly<Partial<Record<EventKind, Pick<MarkLine, 'letter' | 'dash'> & {sentinel?: true}>>>} */
const MARKS = Object.freeze({
  'fault-begun': { letter: 'F', dash: 'solid' },
  'fault-undone': { letter: 'U', dash: 'solid' },
  down: { letter: 'D', dash: 'dotted', sentinel: true },
  promoted: { letter: 'S', dash: 'dashed', sentinel: true },
});

/** A gap counts from this many expected acknowledgements. Fewer may be missing by chance. */
const TELLING = 5;
/** Width of a letter above its line, as a share of the trial's length. */
const LETTER_ROOM = 0.015;

/** Whole steps after the fault without an acknowledgement, where at least five were due. @param {TrialResult} trial @returns {Span[]} */
export function silentSpans(trial) {
  const { stepMs, writers } = trial;
  const steps = stepsOf(trial);
  const acked = Array.from({ length: steps }, (_, step) => sum(writers.map((writer) => writer.acked[step] ?? 0)));
  const begun = zeroOf(trial);
  const before = acked.slice(0, Math.floor(begun / stepMs));
  const pace = before.length === 0 ? Math.max(0, ...acked) : sum(before) / before.length;
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

/** @param {TrialResult} trial @returns {MarkLine[]} by time; of marks of one kind that are less than a hundredth of the trial apart the first */
function linesOf(trial) {
  const near = (stepsOf(trial) * trial.stepMs) / 100;
  /** @type {MarkLine[]} */
  const lines = [];
  for (const { event } of turnsOf(trial)) {
    const drawn = MARKS[event.kind];
    // Without Sentinels the harness itself finds the primary down and promotes.
    if (drawn === undefined || (drawn.sentinel && event.by === HARNESS)) continue;
    const same = lines.findLast(({ letter }) => letter === drawn.letter);
    if (!same || event.at - same.afterMs >= near) lines.push({ afterMs: event.at, ...drawn });
  }
  return lines;
}

/**
 * @param {TrialResult} trial
 * @param {{most: number, lost: ReadonlyMap<string, readonly number[]>}} options most: bins, > 0; lost: by writer, how many writes
 *   acknowledged in each step were lost later
 * @returns times: the middle of each bin, in seconds since the fault; ackedMean: acknowledged writes a second; ackedLow: of the step with the
 *   fewest in the bin; lost: those lost later, null: none. Leaves out the last step, in which the load ended
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
    times: starts.map((start, bin) => rounded((((start + ends[bin]) / 2) * stepMs - zero) / MS_A_SECOND)),
    writers: trial.writers.map(({ writer, acked }) => ({
      writer,
      ackedMean: each(acked, mean),
      ackedLow: each(acked, (part) => Math.min(...part)),
      lost: lost.has(writer) ? each(lost.get(writer) ?? [], mean) : null,
    })),
  };
}

/** @param {readonly number[]} values at least one */
const mean = (values) => rounded(sum(values) / values.length);

/** @param {number} value @returns {number} to a thousandth, which keeps the page small */
export const rounded = (value) => Math.round(value * 1000) / 1000;

/** @param {TrialResult} trial @returns {(MarkLine & {label: string})[]} by time; letters that would overlap are joined at the first of them */
export function marksOf(trial) {
  const lines = linesOf(trial);
  const room = LETTER_ROOM * stepsOf(trial) * trial.stepMs;
  const isNear = (/** @type {number} */ i) =>
    i > 0 && i < lines.length && lines[i].afterMs - lines[i - 1].afterMs < room;
  return lines.map((line, i) => {
    if (isNear(i)) return { ...line, label: '' };
    let { letter: label } = line;
    for (let next = i + 1; isNear(next); next++) label += lines[next].letter;
    return { ...line, label };
  });
}
