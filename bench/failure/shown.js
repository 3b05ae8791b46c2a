/**
 * Which faults and modes the first page shows, as a picture and as a table.
 *
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { MS_A_SECOND } from '../../src/units.js';
import { LATE_DOWN_AFTER_MS, variationTitle } from '../experiments/cases.js';
import { eachLength, worstOfModes } from '../experiments/rows.js';
import { namedModes } from './answer.js';
import { MOST_COLUMNS, mainModes } from './grid.js';

/**
 * @typedef {Object} Shown
 * @property {TrialRow[]} all one for each mode in each fault
 * @property {TrialRow[]} rows of the table; a length of a fault that only some of its modes went through is a fault of its own
 * @property {string[]} faults titles in `rows`, the largest loss first
 * @property {string[]} modes for the columns, or of the rows
 * @property {boolean} few faults lost something: each has a column, and each mode a row
 * @property {string[]} others faults in which only other modes lost something
 * @property {string[]} safe faults in which nothing was lost
 */

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Shown}
 */
export function shownLosses(failures) {
  const each = eachLength(failures);
  const all = worstOfModes(each);
  const titles = [...new Set(all.map(({ fault }) => fault.title))];
  const inFault = (/** @type {readonly TrialRow[]} */ rows, /** @type {string} */ fault) =>
    rows.filter((row) => row.fault.title === fault);
  const worst = (/** @type {readonly TrialRow[]} */ rows, /** @type {string} */ fault) =>
    Math.max(
      ...inFault(rows, fault).map(({ loss }) =>
        loss.everything ? Number.POSITIVE_INFINITY : (loss.seconds ?? loss.most),
      ),
    );
  const losing = titles.filter((fault) => worst(all, fault) > 0);
  const shownWith = (/** @type {readonly string[]} */ modes) => {
    const rows = comparable(each.filter(({ mode }) => modes.includes(mode)));
    const faults = [...new Set(rows.map(({ fault }) => fault.title))].filter((fault) => worst(rows, fault) > 0);
    return { rows, faults };
  };
  const everyMode = [...new Set(all.map(({ mode }) => mode))];
  const whole = shownWith(everyMode);
  const few = whole.faults.length <= MOST_COLUMNS;
  const modes = few ? everyMode : mainModes(all, namedModes(failures));
  const { rows, faults } = few ? whole : shownWith(modes);
  return {
    all,
    rows,
    // With few, each is a column: they stay in the order in which they ran.
    faults: few ? faults : faults.toSorted((a, b) => (worst(rows, b) > worst(rows, a) ? 1 : -1)),
    modes,
    few,
    others: losing.filter(
      (fault) => !inFault(all, fault).some(({ mode, loss }) => modes.includes(mode) && loss.most > 0),
    ),
    safe: titles.filter((fault) => !losing.includes(fault)),
  };
}

/**
 * Beside each other stand only modes that went through the same lengths of a fault: of those the worst counts.
 *
 * @param {readonly TrialRow[]} each of the modes that are shown, one for each length
 * @returns {TrialRow[]}
 */
function comparable(each) {
  const titles = [...new Set(each.map(({ fault }) => fault.title))];
  return titles.flatMap((title) =>
    groupsOf(each.filter(({ fault }) => fault.title === title)).flatMap((rows, i) => {
      const name = [title, ...(i === 0 ? [] : [lengthsText(rows)]), ...lateText(rows)].join(', ');
      return worstOfModes(rows.map((row) => ({ ...row, fault: { id: name, title: name } })));
    }),
  );
}

/**
 * @param {readonly TrialRow[]} rows of a fault
 * @returns {TrialRow[][]} parts whose lengths the same modes went through; the one with most modes first
 */
function groupsOf(rows) {
  /** @type {Map<string, TrialRow[]>} */
  const groups = new Map();
  for (const length of new Set(rows.map(({ one }) => variationTitle(one.params)))) {
    const part = rows.filter(({ one }) => variationTitle(one.params) === length);
    const key = modesIn(part).join();
    groups.set(key, [...(groups.get(key) ?? []), ...part]);
  }
  return [...groups.values()].toSorted((a, b) => modesIn(b).length - modesIn(a).length);
}

/** @param {readonly TrialRow[]} rows */
function modesIn(rows) {
  return [...new Set(rows.map(({ mode }) => mode))].sort();
}

/** @param {readonly TrialRow[]} rows of a part that is not the first */
function lengthsText(rows) {
  const [length, ...others] = new Set(rows.map(({ one }) => variationTitle(one.params)));
  return length === '' || others.length > 0 ? 'other lengths' : length;
}

/**
 * @param {readonly TrialRow[]} rows
 * @returns {string[]} down-after, if Sentinels with a usual one would have promoted a replica first
 */
function lateText(rows) {
  return rows.some(({ one }) => one.params.downAfterMs === LATE_DOWN_AFTER_MS)
    ? [`down-after ${LATE_DOWN_AFTER_MS / MS_A_SECOND} s`]
    : [];
}
