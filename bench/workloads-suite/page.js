/**
 * What the page shows: which harm each kind of failure did, and the cheapest setting without it.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { TemplateData } from '../../src/report/template.js'
 * @import { Harmed } from './outcomes.js'
 */
import { metricNamed } from '../../src/facts/metrics.js';
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { count } from '../../src/format.js';
import { table } from '../../src/report/blocks.js';
import { FORMATS } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { left } from '../../src/table.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { BACKLOG_SECONDS } from '../workloads/driver-source.js';
import { groupBy } from '../workloads/history.js';
import { WORKLOADS } from '../workloads/index.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { librariesTable, whyNotMeasured } from './libraries-table.js';
import { FAULTS, isMeasured, outcomeOf } from './outcomes.js';
import { SECONDS, SUITE, SUITE_MODES } from './scenarios.js';

/** Told in a line. */
const OTHERS = Object.freeze([
  { title: 'a failover by the runbook', names: ['script'] },
  { title: '`COORDINATED`', names: ['coordinated'] },
  { title: 'a fast restart', names: ['restarted'] },
]);
/** One operation of it tells the price of a setting. */
const PRICED = 'counter';
const HEALTHY = `${SUITE}-healthy`;
/** Half of the clients stay, as without any care; in the other every client moves. */
const [USUAL, CAREFUL] = NATIVE_SOURCES;

/** Whatever the queue, so one row tells it. */
const TOLD_ONCE = 'runTwice';
/** Where increments are missing, numbers are issued again sooner or later. */
const NOT_TOLD = 'missing';

/**
 * @typedef {Object} HarmRow of the tables
 * @property {string} words
 * @property {string} title of the workload, if several have the harm
 * @property {readonly string[]} workloads whose figures are added
 * @property {string} metric
 */

/** @type {readonly HarmRow[]} */
const HARMS = harmRows();

/** @returns {HarmRow[]} those with the same words together */
function harmRows() {
  const all = WORKLOADS.flatMap(({ name, title, harms }) =>
    Object.entries(harms).map(([field, words]) => ({ name, title, field, words })),
  ).filter(({ field }) => field !== NOT_TOLD);
  return [...groupBy(all, ({ words }) => words).values()].flatMap((alike) => {
    const [{ field, words }] = alike;
    const { metric } = metricNamed(field);
    if (field === TOLD_ONCE) return [{ words, title: '', workloads: alike.map(({ name }) => name), metric }];
    return alike.map(({ name, title }) => ({ words, title: alike.length > 1 ? title : '', workloads: [name], metric }));
  });
}

/**
 * @param {Result} result
 * @returns {TemplateData}
 */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const modes = SUITE_MODES.filter((mode) => rows.some((row) => row.mode === mode));
  const [mode] = modes;
  const harmedBy = (/** @type {readonly string[]} */ names) =>
    HARMS.filter((harm) => (outcomeOf(rows, { ...harm, names, mode, source: USUAL.name })?.trials ?? 0) > 0);
  const harmed = FAULTS.flatMap(({ title: fault, names }) =>
    harmedBy(names).map((harm) => ({
      fault,
      words: harm.words,
      .../** @type {Harmed} */ (outcomeOf(rows, { ...harm, names, mode, source: USUAL.name })),
    })),
  );
  const faults = FAULTS.filter(({ names }) => isMeasured(rows, names));
  return {
    measured: faults.length > 0,
    notMeasured: whyNotMeasured(result.benchmarks),
    backlog: BACKLOG_SECONDS,
    defaults: titleOf(rows, mode) ?? NOT_MEASURED,
    harmed,
    planned: harmedBy(FAULTS[0].names),
    crash: isMeasured(rows, FAULTS[1].names) ? harmedBy(FAULTS[1].names).length : null,
    rows: HARMS.length,
    seconds: SECONDS[result.profile.name] ?? SECONDS.quick,
    others: OTHERS.filter(({ names }) => isMeasured(rows, names)).map(({ title, names }) => ({
      title,
      harmed: harmedBy(names).length,
    })),
    tables: {
      harms: harmsTable(faults, (harm, names) =>
        harmText(outcomeOf(rows, { ...harm, names, mode, source: USUAL.name })),
      ),
      remedies: harmsTable(faults, (harm, names) => remedyText(rows, { harm, names, modes })),
      prices: table(
        ['setting', 'a number'],
        modes.flatMap((each) => pricesOf(rows, each)),
      ),
      libraries: librariesTable(rows, mode),
    },
  };
}

/**
 * @param {readonly (typeof FAULTS)[number][]} faults its columns
 * @param {(harm: HarmRow, names: readonly string[]) => string} cellOf
 */
function harmsTable(faults, cellOf) {
  return table(
    [left('', undefined, { group: true }), '', ...faults.map(({ title }) => title)],
    HARMS.map((harm) => [harm.words, harm.title, ...faults.map(({ names }) => cellOf(harm, names))]),
  );
}

/** @param {Harmed | null} harmed */
function harmText(harmed) {
  if (harmed === null) return NOT_MEASURED;
  const { n, trials, worst } = harmed;
  return trials === 0 ? `0/${n}` : `${trials}/${n}, ${count(worst)}`;
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {{harm: HarmRow, names: readonly string[], modes: readonly string[]}} which
 * @returns {string} the first mode and way of clients, from the cheapest on, without the harm
 */
function remedyText(rows, { harm, names, modes }) {
  const measured = modes
    .flatMap((mode) => [USUAL, CAREFUL].map(({ name: source }) => ({ mode, source })))
    .map((option) => ({ ...option, outcome: outcomeOf(rows, { ...harm, names, ...option }) }))
    .filter(({ outcome }) => outcome !== null);
  if (measured.length === 0) return NOT_MEASURED;
  const found = measured.find(({ outcome }) => outcome?.trials === 0);
  if (!found) return 'none';
  const changes = [
    ...(found.mode === modes[0] ? [] : [found.mode]),
    ...(found.source === CAREFUL.name ? ['all move'] : []),
  ];
  return changes.join(', ') || found.mode;
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 * @returns {string[][]} its row; none if it was not measured
 */
function pricesOf(rows, mode) {
  const found = where(rows, { experiment: HEALTHY, mode, writer: `${PRICED}.${USUAL.name}` });
  return found.map((row) => [mode, FORMATS.ms(figure(row, 'median'))]);
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 */
function titleOf(rows, mode) {
  const [row] = where(rows, { mode });
  return row ? modeTitle(row.params) : mode;
}
