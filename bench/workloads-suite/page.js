/**
 * What the page shows: which harm each kind of failure did, and the cheapest setting without it.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { TemplateData } from '../../src/report/template.js'
 */
import { metricNamed } from '../../src/facts/metrics.js';
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { count } from '../../src/format.js';
import { table } from '../../src/report/blocks.js';
import { FORMATS } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { SOURCES } from '../workloads/company.js';
import { WORKLOADS } from '../workloads/index.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { SECONDS, SUITE, SUITE_MODES } from './scenarios.js';

/** Kinds of failure, and the benchmarks of each. */
const FAULTS = Object.freeze([
  { title: 'planned failover', names: ['planned'] },
  { title: 'crash', names: ['killed', 'machine-lost'] },
  { title: 'frozen', names: ['frozen'] },
  { title: 'partition', names: ['partition', 'partition-with-replica'] },
  { title: 'fast restart', names: ['restarted'] },
]);
const WAYS = Object.freeze([
  { title: 'by the runbook', names: ['script'] },
  { title: '`COORDINATED`', names: ['coordinated'] },
]);
/** One operation of each tells the price of a setting. */
const PRICED = Object.freeze([
  { title: 'number', workload: 'counter' },
  { title: 'request', workload: 'request' },
  { title: 'job added', workload: 'queue' },
]);
const HEALTHY = `${SUITE}-healthy`;
/** Half of the clients stay, as without any care; in the other every client moves. */
const [USUAL, CAREFUL] = NATIVE_SOURCES;

/** Whatever the queue, so one row tells it. */
const TOLD_ONCE = 'runTwice';
/** Where increments are missing, numbers are issued again sooner or later. */
const NOT_TOLD = 'missing';

/**
 * @typedef {Object} HarmRow of the tables
 * @property {string} title
 * @property {string} words
 * @property {readonly string[]} workloads whose figures are added
 * @property {string} metric
 *
 * @typedef {{n: number, trials: number, worst: number}} Harmed trials, those with the harm, and the most in one
 */

/** @type {readonly HarmRow[]} */
const HARMS = harmRows();

/** @returns {HarmRow[]} */
function harmRows() {
  const all = WORKLOADS.flatMap(({ name, title, harms }) =>
    Object.entries(harms).map(([field, words]) => ({ name, title, field, words })),
  ).filter(({ field }) => field !== NOT_TOLD);
  return all.flatMap(({ name, title, field, words }, index) => {
    const alike = all.filter((each) => each.words === words);
    const { metric } = metricNamed(field);
    if (field !== TOLD_ONCE)
      return [{ title: alike.length > 1 ? `${words}: ${title}` : words, words, workloads: [name], metric }];
    if (all.findIndex((each) => each.field === field) !== index) return [];
    return [{ title: words, words, workloads: alike.map((each) => each.name), metric }];
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
    HARMS.filter((harm) => (outcomeOf(rows, { harm, names, mode, source: USUAL.name })?.trials ?? 0) > 0);
  const harmed = FAULTS.flatMap(({ title: fault, names }) =>
    harmedBy(names).map((harm) => ({
      fault,
      words: harm.words,
      .../** @type {Harmed} */ (outcomeOf(rows, { harm, names, mode, source: USUAL.name })),
    })),
  );
  const isMeasured = ({ names = /** @type {string[]} */ ([]) }) =>
    where(rows, { experiment: names.map(benchmarkNamed) }).length > 0;
  const faults = FAULTS.filter(isMeasured);
  const libraries = librariesTable(rows, faults, mode);
  return {
    libraries: libraries.rows.length > 0,
    defaults: titleOf(rows, mode),
    harmed,
    planned: harmedBy(FAULTS[0].names),
    crash: harmedBy(FAULTS[1].names),
    rows: HARMS.length,
    seconds: SECONDS[result.profile.name] ?? SECONDS.quick,
    others: WAYS.filter(isMeasured).map(({ title, names }) => ({ way: title, harmed: harmedBy(names).length })),
    tables: {
      harms: table(
        ['', ...faults.map(({ title }) => title)],
        HARMS.map((harm) => [
          harm.title,
          ...faults.map(({ names }) => harmText(outcomeOf(rows, { harm, names, mode, source: USUAL.name }))),
        ]),
      ),
      remedies: table(
        ['', ...faults.map(({ title }) => title)],
        HARMS.map((harm) => [harm.title, ...faults.map(({ names }) => remedyText(rows, { harm, names, modes }))]),
      ),
      prices: table(
        ['setting', 'in Redis’s terms', ...PRICED.map(({ title }) => title)],
        modes.map((each) => [
          each,
          titleOf(rows, each),
          ...PRICED.map(({ workload }) => priceText(rows, each, workload)),
        ]),
      ),
      libraries,
    },
  };
}

/** @param {string} name */
const benchmarkNamed = (name) => `${SUITE}-${name}`;

/**
 * @param {readonly CaseFigures[]} rows
 * @param {{harm: HarmRow, names: readonly string[], mode: string, source: string}} which
 * @returns {Harmed | null} null: none of the benchmarks was measured
 */
function outcomeOf(rows, { harm: { workloads, metric }, names, mode, source }) {
  const values = names.flatMap((name) => {
    const each = workloads.flatMap((workload) => {
      const about = { experiment: benchmarkNamed(name), mode, writer: `${workload}.${source}` };
      return [where(rows, about)[0]?.of[metric]?.values ?? []];
    });
    const trials = Math.max(...each.map(({ length }) => length));
    return Array.from({ length: trials }, (_, trial) => each.reduce((sum, own) => sum + (own[trial] ?? 0), 0));
  });
  if (values.length === 0) return null;
  return { n: values.length, trials: values.filter((value) => value > 0).length, worst: Math.max(...values) };
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
    .map((option) => ({ ...option, outcome: outcomeOf(rows, { harm, names, ...option }) }))
    .filter(({ outcome }) => outcome !== null);
  if (measured.length === 0) return NOT_MEASURED;
  const found = measured.find(({ outcome }) => outcome?.trials === 0);
  if (!found) return 'none';
  if (found === measured[0]) return 'as it is';
  return `${found.mode}${found.source === CAREFUL.name ? ', all move' : ''}`;
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 * @param {string} workload
 */
function priceText(rows, mode, workload) {
  const [row] = where(rows, { experiment: HEALTHY, mode, writer: `${workload}.${USUAL.name}` });
  return row ? FORMATS.ms(figure(row, 'median')) : NOT_MEASURED;
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {typeof FAULTS} faults
 * @param {string} mode
 * @returns {import('../../src/report/blocks.js').TableBlock} without rows: no library was measured
 */
function librariesTable(rows, faults, mode) {
  const libraries = SOURCES.filter((source) => !NATIVE_SOURCES.includes(source));
  const lines = libraries.flatMap(({ name: source, title, workloads }) =>
    HARMS.filter((harm) => harm.workloads.some((each) => workloads.includes(each))).map((harm) => [
      title,
      harm.words,
      ...faults.map(({ names }) => harmText(outcomeOf(rows, { harm, names, mode, source }))),
    ]),
  );
  const measured = lines.filter((cells) => cells.slice(2).some((cell) => cell !== NOT_MEASURED));
  return table(['library', 'harm', ...faults.map(({ title }) => title)], measured);
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {string} mode
 */
function titleOf(rows, mode) {
  const [row] = where(rows, { mode });
  return row ? modeTitle(row.params) : mode;
}
