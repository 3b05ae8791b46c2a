/**
 * The columns of the decision tables, with narrow cells for terminals.
 *
 * @import { IntervalValue } from '../../src/result/schema.js'
 * @import { Column } from '../../src/table.js'
 * @import { Batch, DecisionRow, Healthy, Pause } from './decision.js'
 */

import { ALL, count, duration, interval, percent, rate } from '../../src/format.js';
import { costOf } from '../../src/report/charts/against.js';
import { headlineCost } from '../../src/report/findings.js';
import { NOT_MEASURED, TO_THE_END } from '../../src/report/trials/figures.js';

import { emptiedIn, longestOf, worstOf } from '../../src/report/trials/rows.js';
import { left, right } from '../../src/table.js';
import { NS_A_MS } from '../../src/units.js';

/** Before a ratio whose interval includes 100%: there is no room for the interval. */
export const NOISE_MARK = '~';
/** After a throughput that the client limited. */
export const CLIENT_MARK = '*';
/** After a throughput with writes that were not acked as asked. */
export const NOT_ACKED_MARK = '†';

/** Answers other than an acknowledgement: the word for a cell, and what it means. */
const INSTEAD = Object.freeze({
  rejected: { word: 'refused', meaning: '`NOREPLICAS`' },
  underAcked: { word: 'short', meaning: 'too few replicas confirmed, but the primary has the write' },
  unknown: { word: 'no answer', meaning: 'the write may or may not have been applied' },
  unsent: { word: 'not sent', meaning: 'earlier writes were still waiting' },
});

const BASELINE = 'async';
/** Longer titles are broken in two. */
const NARROW_TITLE = 22;

/** @type {Column<DecisionRow>} */
export const MODE_COLUMN = left('mode', ({ title }) => title, { narrow: ({ title }) => brokenTitle(title) });

/** @type {readonly Column<DecisionRow>[]} */
const THROUGHPUT = [
  right(
    'depth 1',
    ({ healthy }) => measuredCell(healthy[1], (each) => `${rate(each.throughput.median)}${marks(each)}`),
    {
      narrow: ({ healthy }) => measuredCell(healthy[1], (each) => `${short(each.throughput.median)}/s${marks(each)}`),
    },
  ),
  right('of async', ({ healthy }) => measuredCell(healthy[1]?.relative, (ratio) => interval(ratio, percent)), {
    short: 'of\nasync',
    narrow: ({ healthy }) => measuredCell(healthy[1]?.relative, shortRatio),
  }),
  p99Column(1),
  right(
    'depth 100, of async',
    ({ healthy }) =>
      measuredCell(
        healthy[100],
        (each) => `${measuredCell(each.relative, (ratio) => interval(ratio, percent))}${marks(each)}`,
      ),
    {
      short: 'depth\n100',
      narrow: ({ healthy }) =>
        measuredCell(healthy[100], (each) => `${measuredCell(each.relative, shortRatio)}${marks(each)}`),
    },
  ),
  p99Column(100),
];

/** @type {readonly Column<DecisionRow>[]} */
const LOSSES = [
  right('worst\nloss', ({ trials }) => worstCell(trials)),
  right('faults\nlossy', ({ trials }) =>
    trials.length === 0 ? NOT_MEASURED : `${trials.filter(({ loss }) => loss.most > 0).length}/${trials.length}`,
  ),
  right('longest\noutage', ({ trials }) => measuredCell(longestOf(trials), ({ outage }) => shortMs(outage.medianMs))),
];

const FROZEN = [frozenColumn('one', 'one-replica-down'), frozenColumn('both', 'both-replicas-down')];

/** What a mode costs. */
export const COST_COLUMNS = Object.freeze([MODE_COLUMN, ...THROUGHPUT, ...FROZEN]);
/** What it costs and saves, for a terminal: at most 110 columns together. */
export const DECISION_COLUMNS = Object.freeze([MODE_COLUMN, ...THROUGHPUT, ...LOSSES, ...FROZEN]);

/**
 * @param {1 | 100} depth
 * @returns {Column<DecisionRow>}
 */
function p99Column(depth) {
  return right('p99', ({ healthy }) => measuredCell(healthy[depth]?.p99Ns, ({ median }) => duration(median)), {
    narrow: ({ healthy }) => measuredCell(healthy[depth]?.p99Ns, ({ median }) => shortTime(median)),
  });
}

/**
 * @param {string} what
 * @param {keyof DecisionRow['down']} survival
 * @returns {Column<DecisionRow>}
 */
function frozenColumn(what, survival) {
  return right(`acked, ${what} frozen`, ({ down }) => measuredCell(down[survival], downCell), {
    short: `${what}\nfrozen`,
    narrow: ({ down }) => measuredCell(down[survival], ({ ackedAtEnd }) => shortShare(ackedAtEnd.median)),
  });
}

/** @param {DecisionRow['trials']} trials */
function worstCell(trials) {
  if (trials.length === 0) return NOT_MEASURED;
  const most = worstOf(trials)?.loss.most ?? 0;
  return emptiedIn(trials).length > 0 ? ALL : shortCount(most);
}

/**
 * @param {DecisionRow} row
 * @param {Batch} [depth]
 * @returns {string} share of the throughput that the mode costs: `31% (26–36)`, `0%` for async
 */
export function costCell({ mode, healthy }, depth = 1) {
  return mode === BASELINE ? '0%' : measuredCell(healthy[depth]?.relative, (ratio) => headlineCost(costOf(ratio)));
}

/** @param {Pause} pause */
export function downCell({ ackedAtEnd, instead }) {
  const { median, low, high } = ackedAtEnd;
  const share = low === high ? percent(median) : interval(ackedAtEnd, percent);
  // Beside 100%, what happened to the rest of one trial would read as a contradiction.
  return `${share}${instead === null || percent(median) === percent(1) ? '' : `, ${INSTEAD[instead].word}`}`;
}

/**
 * @param {readonly string[]} cells from {@link downCell}
 * @returns {string} what their words mean, such as `refused: …; not sent: …`; empty: they have none
 */
export function downWords(cells) {
  return Object.values(INSTEAD)
    .filter(({ word }) => cells.some((cell) => cell.includes(word)))
    .map(({ word, meaning }) => `${word}: ${meaning}`)
    .join('; ');
}

/** @param {Healthy} healthy */
export function marks({ limitedBy, notAcked }) {
  return `${limitedBy === 'client' ? CLIENT_MARK : ''}${notAcked > 0 ? NOT_ACKED_MARK : ''}`;
}

/**
 * @template T
 * @param {T | null | undefined} value
 * @param {(value: T) => string} cell
 * @returns {string}
 */
export function measuredCell(value, cell) {
  return value === null || value === undefined ? NOT_MEASURED : cell(value);
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
 * @returns {boolean} nothing tells them apart
 */
export function isNoise({ low, high }) {
  return low < high && low <= 1 && high >= 1;
}

/**
 * @param {IntervalValue} ratio to async
 * @returns {string} such as `54%`, `~106%`
 */
function shortRatio(ratio) {
  return `${isNoise(ratio) ? NOISE_MARK : ''}${shortShare(ratio.median)}`;
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
