/**
 * What page.md shows: a table of libraries and deciding failures, one chart, and the figures of its sentences.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { TemplateData } from '../../src/report/template.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { Library } from './queries.js'
 */

import { driverOf } from '../../src/drivers/writer-name.js';
import { rowsOf, where } from '../../src/facts/query.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { suiteTerms } from '../facts.js';
import { lossMap, lossOf, worstCell } from '../pages/trials.js';
import { BEST, REFERENCE } from './cases.js';
import { driverEntry, isToCopy, shortTitle, titleOf, versionsOf } from './names.js';
import * as queries from './queries.js';
import { SCENARIOS } from './scenarios.js';

const { secondsLost, totalOf } = queries;
/** Columns of failures; details.md has all. */
const MOST_FAULTS = 3;

/** @param {Result} result @returns {TemplateData & {tables: {libraries: TableBlock}}} */
export function pageData(result) {
  const all = rowsOf(result, suiteTerms);
  const settings = new Set(all.map(({ setting }) => setting));
  const shown = settings.has('') ? '' : ([...settings][0] ?? '');
  const rows = where(all, { setting: shown });
  const writers = [...new Set(rows.map(({ writer }) => writer))].filter(
    (writer) => writer !== '' && writer !== 'native',
  );
  const drivers = queries.librariesOf(rows, writers);
  const libraries = drivers.filter((each) => each.writer !== REFERENCE && !isToCopy(each));
  const copied = drivers.filter(isToCopy);
  const best = shown === '' ? where(all, { setting: BEST }) : [];
  const faults = faultsOf(libraries);
  const columns = columnsOf({ faults, best, versions: versionsOf(result.benchmarks) });
  return {
    libraries,
    options: shown === '' ? 'default options' : shown === BEST ? 'best options' : shown,
    best: shown === BEST || best.length > 0,
    planned: plannedOf(libraries, queries.stayOf(rows)),
    worst: worstOf(libraries),
    elsewhere: titlesOf(libraries, (each) => queries.waitsOnConnection(each) === false),
    twice: titlesOf(libraries, ({ plain, waited }) => totalOf([...plain, ...waited], 'applied-twice') > 0),
    stuck: titlesOf(libraries, (each) => queries.longestStop(each) === Number.POSITIVE_INFINITY),
    runbook: runbookOf(libraries),
    copied: copiedOf(copied),
    trials: Math.max(0, ...libraries.flatMap(({ plain }) => plain.map((row) => lossOf([row]).trials))),
    faults: [...new Set(rows.map(({ experiment }) => faultTitle(experiment)))],
    tables: {
      libraries: tableOf(
        columns,
        /** @type {any} */ ([...libraries, ...drivers.filter((each) => !libraries.includes(each))]),
      ),
    },
    charts: { losses: librariesMap(libraries) },
  };
}

/** @param {readonly Library[]} libraries @param {(library: Library) => boolean} is @returns {string[]} */
const titlesOf = (libraries, is) => libraries.filter(is).map(shortTitle);

/** @param {string} experiment @returns {string} such as `primary killed` */
function faultTitle(experiment) {
  return SCENARIOS.find(({ name }) => name === experiment)?.title ?? experiment;
}

/** @param {readonly Library[]} libraries @returns {string[]} failures that decide: the planned one, then those in which most was lost */
function faultsOf(libraries) {
  const rows = libraries.flatMap(({ plain }) => plain);
  const others = [...new Set(rows.map(({ experiment }) => experiment))]
    .filter((experiment) => experiment !== queries.FAILOVER)
    .map((experiment) => ({ experiment, lost: secondsLost(where(rows, { experiment })) }))
    .sort((a, b) => b.lost - a.lost);
  const planned = where(rows, { experiment: queries.FAILOVER }).length > 0 ? [queries.FAILOVER] : [];
  return [...planned, ...others.map(({ experiment }) => experiment)].slice(0, MOST_FAULTS);
}

/**
 * @param {{faults: readonly string[], best: readonly CaseFigures[], versions: ReadonlyMap<string, string>}} table
 * @returns {ColumnSpec[]} of rows that are libraries
 */
function columnsOf({ faults, best, versions }) {
  const lost = (/** @type {readonly CaseFigures[]} */ rows) =>
    rows.length === 0 ? NOT_MEASURED : worstCell(lossOf(rows));
  const withBest = (/** @type {Library} */ { writer }) => {
    const same = best
      .map((row) => row.writer)
      .find((name) => driverOf(name) && driverOf(name)?.driver === driverOf(writer)?.driver);
    return queries.librariesOf(best, same === undefined ? [] : [same])[0] ?? { writer, plain: [], waited: [] };
  };
  return [
    { title: 'library', text: (each) => titleOf(each, isToCopy(each) ? undefined : versions.get(each.writer)) },
    ...faults.map((experiment) => ({
      title: faultTitle(experiment),
      text: (/** @type {Library} */ { plain }) => lost(where(plain, { experiment })),
      align: /** @type {const} */ ('right'),
      kept: /** @type {const} */ (true),
    })),
    { title: 'WAIT 1', text: ({ waited }) => lost(waited), align: 'right', kept: true },
    { title: 'own `WAIT`', text: ownText },
    { title: 'twice', text: ({ plain, waited }) => twiceText([...plain, ...waited]), align: 'right' },
    { title: 'stop', text: (each) => FORMATS.seconds(queries.longestStop(each)), align: 'right' },
    { title: 'best: worst loss', text: (each) => lost(withBest(each).plain), align: 'right' },
    { title: 'best: own `WAIT`', text: (each) => ownText(withBest(each)) },
    { title: 'set first', text: ({ writer }) => driverEntry(writer)?.setFirst ?? NOT_MEASURED },
  ];
}

/** @param {Library} library */
function ownText(library) {
  return { true: 'yes', false: 'no', null: NOT_MEASURED }[String(queries.waitsOnConnection(library))] ?? '';
}

/** @param {readonly CaseFigures[]} rows */
function twiceText(rows) {
  return rows.some(({ of }) => of['applied-twice']) ? FORMATS.count(totalOf(rows, 'applied-twice')) : NOT_MEASURED;
}

/**
 * @param {readonly Library[]} libraries
 * @param {number | null} stay
 * @returns {{staying: number, libraries: number, most: number, least: number | null} | null} seconds that those that stay lost at most, and the others
 *   at least; null: not measured
 */
function plannedOf(libraries, stay) {
  const measured = libraries.filter((each) => queries.staysAt(each, stay) !== null);
  if (measured.length === 0) return null;
  const lostBy = (/** @type {boolean} */ stays) =>
    measured
      .filter((each) => queries.staysAt(each, stay) === stays)
      .map(({ plain }) => secondsLost(where(plain, { experiment: queries.FAILOVER })));
  const [staying, leaving] = [lostBy(true), lostBy(false)];
  return {
    staying: staying.length,
    libraries: measured.length,
    most: Math.max(0, ...staying),
    least: leaving.length === 0 ? null : Math.min(...leaving),
  };
}

/** @param {readonly Library[]} libraries @returns {{title: string, fault: string, seconds: number} | null} null: nothing was lost */
function worstOf(libraries) {
  const [row] = libraries
    .flatMap(({ plain, waited }) => [...plain, ...waited])
    .sort((a, b) => secondsLost([b]) - secondsLost([a]));
  if (row === undefined || secondsLost([row]) === 0) return null;
  return { title: shortTitle(row), fault: faultTitle(row.experiment), seconds: secondsLost([row]) };
}

/** @param {readonly Library[]} libraries @returns {{lost: number, trials: number} | null} null: not measured */
function runbookOf(libraries) {
  const rows = libraries.flatMap(({ plain, waited }) => where([...plain, ...waited], { experiment: queries.RUNBOOK }));
  if (rows.length === 0) return null;
  return { lost: totalOf(rows, 'lost-writes'), trials: lossOf([rows[0]]).trials };
}

/**
 * @param {readonly Library[]} copied
 * @returns {{plain: number, waited: number | null, falseAcks: number} | null} seconds lost in the worst trial; null: not measured
 */
function copiedOf(copied) {
  const plain = copied.flatMap((each) => each.plain);
  const waited = copied.flatMap((each) => each.waited);
  if (plain.length === 0) return null;
  return {
    plain: secondsLost(plain),
    waited: waited.length === 0 ? null : secondsLost(waited),
    falseAcks: totalOf(waited, 'false-acks'),
  };
}

/** @param {readonly Library[]} libraries @returns {Chart | null} seconds lost by library and failure, without WAIT */
function librariesMap(libraries) {
  return lossMap({
    id: 'clients.losses',
    title: 'Confirmed writes lost by library and failure, without WAIT',
    alt: 'The table below has the failures that decide.',
    note: 'Seconds of confirmed writes, worst trial. Empty: not measured.',
    more: 'writes lost',
    squares: libraries.flatMap((library) =>
      library.plain.map((row) => {
        const { writes, trials } = lossOf([row]);
        return {
          scenario: titleOf(library),
          writer: '',
          column: faultTitle(row.experiment),
          value: secondsLost([row]),
          text: writes === 0 ? '0' : FORMATS.seconds(secondsLost([row])),
          more: [writes, trials],
        };
      }),
    ),
  });
}
