/**
 * The decision table and the recommendation for a terminal.
 *
 * @import { IntervalValue, Result } from '../../src/result/schema.js'
 * @import { DecisionRow } from './decision.js'
 * @import { Recommendation } from './recommend.js'
 * @import { RecommendationBlock } from './recommend-text.js'
 */
import chalk from 'chalk';
import Table from 'cli-table3';
import { count, duration, percent } from '../../src/report/format.js';
import { PLAIN } from '../../src/report/terminal.js';
import { NOT_MEASURED, TO_THE_END } from '../../src/report/trials/figures.js';
import { NS_A_MS } from '../../src/units.js';
import { decisionRows } from './decision.js';
import { CLIENT_MARK, known, marks, NOT_ACKED_MARK, tableNotes } from './details.js';
import { limitsOfTheTable } from './limits.js';
import { emptiedIn, longestOf, testedOf, worstOf } from './losses.js';
import { DEFAULT_OPTIONS, recommend } from './recommend.js';
import { recommendationBlocks } from './recommend-text.js';

/** Columns that terminals, chats and mails show without breaking lines. */
export const WIDTH = 110;
/** Before a ratio whose interval includes 100%: there is no room for the interval. */
const NOISE_MARK = '~';
/** Longer titles are broken in two. */
const NARROW_TITLE = 22;

/**
 * @param {Result} result
 * @returns {string} the table, its notes, and the recommendation with the default limits; empty without a
 *   configuration sweep
 */
export function decisionText(result) {
  const rows = decisionRows(result);
  if (rows.length === 0) return '';
  return [
    chalk.bold('Decision table'),
    tableText(result),
    '',
    ...[...noiseNotes(result), ...tableNotes(result, rows)].map((note) => wrap(note, '- ')),
    '',
    recommendationText(result, recommend(result), `\`${DEFAULT_OPTIONS}\``),
  ].join('\n');
}

/**
 * @param {Result} result
 * @returns {string} at most {@link WIDTH} columns
 */
function tableText(result) {
  const { header, align, rows } = narrowTable(decisionRows(result));
  const table = new Table({
    head: header,
    colAligns: align,
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const cells of rows) table.push(cells);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * @param {Result} result
 * @returns {string[]} what the mark of the narrow table means, where it occurs
 */
function noiseNotes(result) {
  const marked = narrowTable(decisionRows(result))
    .rows.flat()
    .some((cell) => cell.startsWith(NOISE_MARK));
  return marked
    ? [`${NOISE_MARK} no measurable difference from async: the interval includes 100% (see details.md).`]
    : [];
}

/**
 * @param {Result} result
 * @returns {string} the table and its marks; details.md explains the columns
 */
export function markedTableText(result) {
  const notes = tableNotes(result, decisionRows(result));
  const marks = notes.filter((note) => [CLIENT_MARK, NOT_ACKED_MARK].some((mark) => note.startsWith(mark)));
  return [
    tableText(result),
    '',
    ...[...noiseNotes(result), ...marks].map((note) => wrap(note, '')),
    'details.md explains the columns.',
  ].join('\n');
}

/**
 * @param {Result} result that it follows from
 * @param {Recommendation} recommendation
 * @param {string} [asked] as for {@link recommendationBlocks}
 * @returns {string}
 */
export function recommendationText(result, recommendation, asked) {
  const limits = limitsOfTheTable(result, decisionRows(result));
  return [
    ...recommendationBlocks(recommendation, asked).flatMap(blockText),
    ...(limits.length === 0 ? [] : ['What this cannot show:', ...limits.map((text) => wrap(text, '- '))]),
  ].join('\n');
}

/** @param {RecommendationBlock} block */
function blockText({ text, items, ordered }) {
  const lines = items.flatMap(({ name, text: told, details }, i) => [
    // Bold after breaking lines, because its codes have no width.
    wrap(`${name}: ${told}`, ordered ? `${i + 1}. ` : '- ').replace(name, chalk.bold(name)),
    ...details.map((detail) => wrap(detail, '     ')),
  ]);
  return [wrap(text, ''), ...lines, ''];
}

/**
 * @param {string} text
 * @param {string} begin of the first line; the others are indented by its length
 * @returns {string} lines of at most {@link WIDTH} columns
 */
function wrap(text, begin) {
  const [first, ...words] = text.split(' ');
  const lines = [`${begin}${first}`];
  for (const word of words) {
    const last = lines[lines.length - 1];
    if (last.length + 1 + word.length > WIDTH) lines.push(`${' '.repeat(begin.length)}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {{header: string[], align: ('left' | 'right')[], rows: string[][]}} at most 110 columns with two spaces between them; lines of a cell are parted by line breaks
 */
function narrowTable(rows) {
  return {
    header: [
      'mode',
      'depth 1',
      'of\nasync',
      'p99',
      'depth\n100',
      'p99',
      'worst\nloss',
      'faults\nlossy',
      'longest\noutage',
      'one\nfrozen',
      'both\nfrozen',
    ],
    align: alignOf(11),
    rows: rows
      .map((row) => ({
        ...row,
        tested: testedOf(row),
        worst: worstOf(row),
        emptied: emptiedIn(row),
        outage: longestOf(testedOf(row)),
      }))
      .map(({ title, healthy, down, tested, worst, emptied, outage }) => [
        brokenTitle(title),
        known(healthy[1], (each) => `${short(each.throughput.median)}/s${marks(each)}`),
        known(healthy[1]?.relative, shortRatio),
        known(healthy[1]?.p99Ns, ({ median }) => shortTime(median)),
        known(healthy[100], (each) => `${known(each.relative, shortRatio)}${marks(each)}`),
        known(healthy[100]?.p99Ns, ({ median }) => shortTime(median)),
        lossText(tested.length, emptied.length > 0 ? Number.POSITIVE_INFINITY : (worst?.loss.most ?? 0)),
        tested.length === 0 ? NOT_MEASURED : `${tested.filter(({ loss }) => loss.most > 0).length}/${tested.length}`,
        known(outage, ({ loss }) => shortMs(loss.unavailable.medianMs)),
        known(down['one-replica-down'], ({ ackedAtEnd }) => shortShare(ackedAtEnd.median)),
        known(down['both-replicas-down'], ({ ackedAtEnd }) => shortShare(ackedAtEnd.median)),
      ]),
  };
}

/**
 * @param {number} tested faults
 * @param {number} most writes lost; Infinity: everything
 */
function lossText(tested, most) {
  if (tested === 0) return NOT_MEASURED;
  return Number.isFinite(most) ? shortCount(most) : 'all';
}

/** @param {number} columns the first has words, the others figures */
function alignOf(columns) {
  return Array.from({ length: columns }, (_, i) => /** @type {'left' | 'right'} */ (i === 0 ? 'left' : 'right'));
}

/**
 * @param {string} title
 * @returns {string} lines of at most {@link NARROW_TITLE} columns, if its parts are not longer
 */
function brokenTitle(title) {
  const [first, ...parts] = title.split(/ (?=\()|(?= \+ )/);
  const lines = [first];
  for (const part of parts.map((each) => each.trimStart())) {
    const last = lines[lines.length - 1];
    if (last.length + 1 + part.length > NARROW_TITLE) lines.push(`  ${part}`);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines.join('\n');
}

/**
 * @param {IntervalValue} ratio to async
 * @returns {string} such as `54%`, `~106%`
 */
function shortRatio({ median, low, high }) {
  return `${low < high && low <= 1 && high >= 1 ? NOISE_MARK : ''}${shortShare(median)}`;
}

/**
 * @param {number} share ≥ 0
 * @returns {string} as `percent`, without its decimals near everything
 */
function shortShare(share) {
  return share > 0.99 && share < 1 ? '>99%' : percent(share);
}

/**
 * @param {number} number ≥ 0
 * @returns {string} at most three digits: `850`, `10.8k`, `1.2M`
 */
function short(number) {
  if (number < 999.5) return String(Math.round(number));
  const [value, unit] = number < 999_500 ? [number / 1e3, 'k'] : [number / 1e6, 'M'];
  return `${value < 99.95 ? value.toPrecision(value < 9.995 ? 2 : 3) : Math.round(value)}${unit}`;
}

/** @param {number} whole */
function shortCount(whole) {
  return whole < 10_000 ? count(whole) : short(whole);
}

/** @param {number} nanoseconds */
function shortTime(nanoseconds) {
  return duration(Number(nanoseconds.toPrecision(2)))
    .replace(/(\.\d)\d /, '$1 ')
    .replace(/(\d\d)\.\d /, '$1 ');
}

/** @param {number} ms */
function shortMs(ms) {
  if (ms === 0) return '0';
  return Number.isFinite(ms) ? shortTime(ms * NS_A_MS) : TO_THE_END.replace('the ', '');
}
