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
import { MODES, modeTitle } from '../modes.js';
import { SOURCES } from '../workloads/company.js';
import { WORKLOADS } from '../workloads/index.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { SECONDS, SUITE } from './scenarios.js';

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
const HEALTHY = `${SUITE}-healthy`;
/** Half of the clients stay, as without any care; in the other every client moves. */
const [USUAL, CAREFUL] = NATIVE_SOURCES;

/**
 * @typedef {Object} HarmRow
 * @property {string} workload
 * @property {string} metric
 * @property {string} words
 * @property {string} title of its row
 *
 * @typedef {{n: number, trials: number, worst: number}} Harmed trials, those with the harm, and the most in one
 */

/** One for each harm of each workload. @type {readonly HarmRow[]} */
const HARMS = WORKLOADS.flatMap(({ name, title, harms }) =>
  Object.entries(harms).map(([field, words]) => {
    const alike = WORKLOADS.filter((each) => Object.values(each.harms).includes(words)).length > 1;
    const { metric } = metricNamed(field);
    return { workload: name, metric, words, title: alike ? `${words}: ${title}` : words };
  }),
);

/**
 * @param {Result} result
 * @returns {TemplateData}
 */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const modes = Object.keys(MODES).filter((mode) => rows.some((row) => row.mode === mode));
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
      libraries,
    },
  };
}

/** @param {string} name */
const benchmarkNamed = (name) => `${SUITE}-${name}`;

/**
 * @param {readonly CaseFigures[]} rows
 * @param {{harm: HarmRow, names: readonly string[], mode: string, source: string}} which
 * @returns {Harmed | null} null: one of the benchmarks was not measured
 */
function outcomeOf(rows, { harm, names, mode, source }) {
  const writer = `${harm.workload}.${source}`;
  const facts = names.map(
    (name) => where(rows, { experiment: benchmarkNamed(name), mode, writer })[0]?.of[harm.metric],
  );
  const values = facts.flatMap((fact) => fact?.values ?? []);
  if (values.length === 0) return null;
  return { n: values.length, trials: values.filter((value) => value > 0).length, worst: Math.max(...values) };
}

/** @param {Harmed | null} harmed */
function harmText(harmed) {
  if (harmed === null) return NOT_MEASURED;
  const { n, trials, worst } = harmed;
  return trials === 0 ? `0 of ${n}` : `${trials} of ${n}, ${count(worst)}`;
}

/**
 * @param {readonly CaseFigures[]} rows
 * @param {{harm: HarmRow, names: readonly string[], modes: readonly string[]}} which
 * @returns {string} the cheapest mode, and way of clients, without the harm
 */
function remedyText(rows, { harm, names, modes }) {
  const all = modes.flatMap((mode) =>
    [USUAL, CAREFUL].map(({ name: source }) => {
      const [price] = where(rows, { experiment: HEALTHY, mode, writer: `${harm.workload}.${source}` });
      return { mode, source, ms: price ? figure(price, 'median') : null };
    }),
  );
  const measured = all.filter(({ mode, source }) => outcomeOf(rows, { harm, names, mode, source }) !== null);
  if (measured.length === 0) return NOT_MEASURED;
  const safe = measured.filter(({ mode, source }) => outcomeOf(rows, { harm, names, mode, source })?.trials === 0);
  if (safe.length === 0) return 'none of these';
  if (safe[0] === measured[0]) return 'as it is';
  const [{ mode, source, ms }] = safe.sort((a, b) => (a.ms ?? Infinity) - (b.ms ?? Infinity));
  const words = [titleOf(rows, mode), ...(source === CAREFUL.name ? ['all move'] : [])].join(', ');
  return ms === null ? words : `${words} (${FORMATS.ms(ms)})`;
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
    HARMS.filter(({ workload }) => workloads.includes(workload)).map((harm) => [
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
