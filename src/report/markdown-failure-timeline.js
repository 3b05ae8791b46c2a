/**
 * The timeline of one trial in Markdown: a chart, its phases in figures, and the marks.
 */
import { markdownTable } from 'markdown-table';
import { faultOf } from './failure-steps.js';
import { groupMarks, phasesOf, stepsOf, turnsOf } from './failure-timeline.js';
import { milliseconds } from './failure-words.js';
import { count, rate } from './format.js';
import { codeBlock, escapeText, list } from './markdown-text.js';
import { compress, placeLabels, sparkline } from './sparkline.js';

/** @typedef {import('./failure-schema.js').TrialResult} TrialResult */

/** Columns of a line, name of the writer included. */
const WIDTH = 100;
const NAME_WIDTH = 8;
/** Times that are shown of a mark; the rest is counted. */
const SHOWN_TIMES = 6;
const MINUS = '\u2212';

/**
 * @param {TrialResult} trial
 * @returns {string} Markdown
 */
export function renderTimeline(trial) {
  const parts = [renderMarks(trial)];
  if (stepsOf(trial) > 0) parts.unshift(renderPhases(trial));
  const figures = parts.filter((part) => part !== '').join('\n\n');
  if (stepsOf(trial) === 0 || figures === '') return figures;
  // Folded: a suite has dozens of them.
  return `${codeBlock(chartOf(trial))}\n\n<details><summary>in figures</summary>\n\n${figures}\n\n</details>`;
}

/**
 * @param {TrialResult} trial with steps
 * @returns {string} lines of at most 100 columns, but for long details of marks
 */
export function chartOf(trial) {
  const { stepMs, writers } = trial;
  const steps = stepsOf(trial);
  const width = Math.ceil(steps / (WIDTH - NAME_WIDTH));
  const rows = writers.map(({ writer, acked }) => ({ writer, means: compress(acked, width) }));
  const full = Math.max(0, ...rows.flatMap(({ means }) => means));
  const turns = turnsOf(trial);
  const time = timeSince(trial);
  const indent = ' '.repeat(NAME_WIDTH);
  const ends = [time(0), time(steps * stepMs)];
  const gap = Math.max(2, Math.ceil(steps / width) - ends[0].length - ends[1].length);
  return [
    ...rows.map(({ writer, means }) => `${writer.padEnd(NAME_WIDTH)}${sparkline(means, full)}`),
    ...placeLabels(turns.map(({ letter, step }) => ({ text: letter, column: Math.floor(step / width) }))).map(
      (line) => `${indent}${line}`,
    ),
    `${indent}${ends[0]}${' '.repeat(gap)}${ends[1]}`,
    '',
    full === 0
      ? 'nothing was acked at any time'
      : `acked writes, a column is ${milliseconds(width * stepMs)}; █ ${rate((full * 1000) / stepMs)}, · none`,
    ...turns.map(({ letter, mark }) => `${letter}  ${time(mark.afterMs)}  ${oneLine(`${mark.what} ${mark.detail}`)}`),
  ].join('\n');
}

/** @param {TrialResult} trial */
function renderPhases(trial) {
  const time = timeSince(trial);
  const rows = phasesOf(trial).flatMap(({ turns, fromMs, toMs, writers }) => {
    const begins = turns.map(({ letter, mark }) => `${letter} ${mark.what}`).join(', ') || 'start of the load';
    return writers.map((figures, i) => [
      // Named once; the writers of a phase stand below each other.
      ...(i === 0 ? [escapeText(begins), time(fromMs), time(toMs)] : ['', '', '']),
      escapeText(figures.writer),
      figures.ackedPerSecond === 0 ? '0' : rate(figures.ackedPerSecond),
      ...[figures.underAcked, figures.rejected, figures.unknown, figures.unsent].map(count),
      milliseconds(figures.highestP99Ms),
    ]);
  });
  if (rows.length === 0) return '';
  const header = ['phase begins with', 'from', 'to', 'writer', 'acked'];
  header.push('underAcked', 'rejected', 'unknown', 'unsent', 'highest p99');
  const align = header.map((title) => (title === 'writer' || title === header[0] ? 'left' : 'right'));
  return markdownTable([header, ...rows], { align });
}

/** @param {TrialResult} trial */
function renderMarks(trial) {
  const time = timeSince(trial);
  const lines = groupMarks(trial).map(({ what, detail, times }) => {
    const shown = times.slice(0, SHOWN_TIMES).map(({ who, afterMs }) => `${who} ${time(afterMs)}`);
    const more = times.length - SHOWN_TIMES;
    if (more > 0) shown.push(`and ${more} more until ${time(times[times.length - 1].afterMs)}`);
    const about = detail === '' ? what : `${what}, ${detail}`;
    return escapeText(`${about} (${shown.join(', ')})`);
  });
  if (lines.length === 0) return '';
  const since = faultOf(trial) === null ? 'since the writers began' : 'since the fault began';
  return `Marks, by the time ${since}:\n\n${list(lines)}`;
}

/**
 * @param {TrialResult} trial
 * @returns {(afterMs: number) => string} since the fault began (with several: the first of them); when none did, since the
 *   writers began
 */
function timeSince(trial) {
  const zero = faultOf(trial)?.from ?? 0;
  return (afterMs) => {
    const ms = afterMs - zero;
    const seconds = (Math.abs(ms) / 1000).toFixed(3);
    // All to the millisecond: what happens within a few of them is what is looked for.
    return `${ms < 0 && Number(seconds) > 0 ? MINUS : ''}${seconds} s`;
  };
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}
