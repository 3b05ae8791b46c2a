/**
 * The decision table as plain text. Reports and the terminal show the same figures, the terminal with fewer digits.
 */
import { CLIENT_MARK, NOISE_MARK, NOT_ACKED_MARK } from './decision-words.js';
import { milliseconds, NOT_MEASURED, TO_THE_END } from './failure-words.js';
import { count, duration, interval, percent, rate } from './format.js';

/**
 * @typedef {import('./decision.js').DecisionRow} DecisionRow
 * @typedef {import('./decision.js').Healthy} Healthy
 * @typedef {import('./decision.js').Loss} Loss
 * @typedef {import('./decision-pause.js').Pause} Pause
 *
 * @typedef {Object} DecisionTable
 * @property {string[]} header
 * @property {('left' | 'right')[]} align
 * @property {string[][]} rows
 */

const NS_A_MS = 1e6;
/** A title is broken in two where it is longer than this, so that the rest has room in a terminal. */
const NARROW_TITLE = 22;

/** What an answer other than an acknowledgement is called in a cell. */
const INSTEAD = Object.freeze({
  rejected: 'refused',
  underAcked: 'short',
  unknown: 'no answer',
  unsent: 'not sent',
});

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {DecisionTable} for a report
 */
export function wideTable(rows) {
  return {
    header: [
      'configuration',
      'batch 1',
      'of async',
      'p99',
      'batch 100, of async',
      'p99',
      'lost on kill',
      'lost on cut',
      'unavailable (kill; cut)',
      'acked, one down',
      'acked, both down',
    ],
    align: alignOf(11),
    rows: rows.map(({ title, healthy, lost, down }) => [
      title,
      known(healthy[1], (each) => `${rate(each.throughput.median)}${marks(each)}`),
      known(healthy[1]?.relative, (ratio) => interval(ratio, percent)),
      known(healthy[1]?.p99Ns, (p99) => duration(p99.median)),
      known(healthy[100], (each) => `${known(each.relative, (ratio) => interval(ratio, percent))}${marks(each)}`),
      known(healthy[100]?.p99Ns, (p99) => duration(p99.median)),
      known(lost.kill, lostCell),
      known(lost.cut, lostCell),
      `${unavailableCell(lost.kill)}; ${unavailableCell(lost.cut)}`.replace(
        `${NOT_MEASURED}; ${NOT_MEASURED}`,
        NOT_MEASURED,
      ),
      known(down['one-replica-down'], downCell),
      known(down['both-replicas-down'], downCell),
    ]),
  };
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {DecisionTable} at most 110 columns with two spaces between them; lines of a cell are parted by line breaks
 */
export function narrowTable(rows) {
  return {
    header: [
      'configuration',
      'batch 1',
      'of\nasync',
      'p99',
      'batch\n100',
      'p99',
      'lost,\nkill',
      'lost,\ncut',
      'unavail.\nkill',
      'cut',
      'one\ndown',
      'both\ndown',
    ],
    align: alignOf(12),
    rows: rows.map(({ title, healthy, lost, down }) => [
      brokenTitle(title),
      known(healthy[1], (each) => `${short(each.throughput.median)}/s${marks(each)}`),
      known(healthy[1]?.relative, shortRatio),
      known(healthy[1]?.p99Ns, ({ median }) => shortTime(median)),
      known(healthy[100], (each) => `${known(each.relative, shortRatio)}${marks(each)}`),
      known(healthy[100]?.p99Ns, ({ median }) => shortTime(median)),
      known(lost.kill, (loss) => shortCount(loss.lost)),
      known(lost.cut, (loss) => shortCount(loss.lost)),
      known(lost.kill, (loss) => shortMs(loss.unavailable.medianMs)),
      known(lost.cut, (loss) => shortMs(loss.unavailable.medianMs)),
      known(down['one-replica-down'], ({ ackedAtEnd }) => shortShare(ackedAtEnd.median)),
      known(down['both-replicas-down'], ({ ackedAtEnd }) => shortShare(ackedAtEnd.median)),
    ]),
  };
}

/**
 * @param {Loss} loss
 * @returns {string} such as `0 of 16,088`, `18,769 (86 %)`, `190 (0.90 %; 0–120 a trial)`
 */
export function lostCell({ lost, acked, each }) {
  if (lost === 0) return `0 of ${count(acked)}`;
  const losses = each.map((trial) => trial.lost);
  const [low, high] = [Math.min(...losses), Math.max(...losses)];
  const trials = each.length < 2 ? '' : `; ${low === high ? count(low) : `${count(low)}–${count(high)}`} a trial`;
  return `${count(lost)} (${percent(lost / acked)}${trials})`;
}

/** @param {Loss | null} loss */
function unavailableCell(loss) {
  return known(loss, ({ unavailable: { medianMs, lowMs, highMs } }) =>
    lowMs === highMs
      ? milliseconds(medianMs)
      : `${milliseconds(medianMs)} (${milliseconds(lowMs)} … ${milliseconds(highMs)})`,
  );
}

/** @param {Pause} pause */
function downCell({ ackedAtEnd, instead }) {
  const { median, low, high } = ackedAtEnd;
  const spread = low === high ? '' : ` (${percent(low)} … ${percent(high)})`;
  return `${percent(median)}${spread}${instead === null ? '' : `, ${INSTEAD[instead]}`}`;
}

/** @param {Healthy} healthy */
function marks({ limitedBy, notAcked }) {
  return `${limitedBy === 'client' ? CLIENT_MARK : ''}${notAcked > 0 ? NOT_ACKED_MARK : ''}`;
}

/**
 * @template T
 * @param {T | null | undefined} value
 * @param {(value: T) => string} cell
 * @returns {string}
 */
function known(value, cell) {
  return value === null || value === undefined ? NOT_MEASURED : cell(value);
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
  const [first, ...parts] = title.split(/(?<=,) |(?= \+ )/);
  const lines = [first];
  for (const part of parts.map((each) => each.trimStart())) {
    const last = lines[lines.length - 1];
    if (last.length + 1 + part.length > NARROW_TITLE) lines.push(`  ${part}`);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines.join('\n');
}

/**
 * There is no room for the interval.
 *
 * @param {import('./schema.js').IntervalValue} ratio to async
 * @returns {string} such as `54 %`, `~106 %`
 */
function shortRatio({ median, low, high }) {
  return `${low < high && low <= 1 && high >= 1 ? NOISE_MARK : ''}${shortShare(median)}`;
}

/**
 * @param {number} share ≥ 0
 * @returns {string} as `percent`, without its decimals near everything
 */
function shortShare(share) {
  return share > 0.99 && share < 1 ? '>99 %' : percent(share);
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
