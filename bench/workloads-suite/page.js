/** What the page shows: which harm each kind of failure did, and the cheapest setting without it. */
/** @import { CaseFigures, Result, TemplateData } from '../types.js' */
/** @import { Harmed } from './outcomes.js' */
/** @import { Harm, Remedy } from './remedies.js' */
import { metricNamed } from '../../src/facts/metrics.js';
import { rowsOf, where } from '../../src/facts/query.js';
import { plural } from '../../src/format.js';
import { table } from '../../src/report/blocks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { BACKLOG_SECONDS } from '../workloads/driver-source.js';
import { groupBy } from '../workloads/history.js';
import { WORKLOADS } from '../workloads/index.js';
import { longLock } from '../workloads/lock.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { alsoHarmed, librariesTable, notInRun, whyNotMeasured } from './libraries-table.js';
import { FAULTS, harmedText, isMeasured, outcomeOf } from './outcomes.js';
import { priceText, remedyOf, remedyText, SEARCHED, searchedText, worseOf } from './remedies.js';
import { SECONDS, SUITE_MODES } from './scenarios.js';

const OTHERS = Object.freeze([
  { title: 'a failover by the runbook', names: ['script'] },
  { title: '`COORDINATED`', names: ['coordinated'] },
  { title: 'a fast restart', names: ['restarted'] },
]);
/** Half of the clients stay, as without any care. */
const [USUAL] = NATIVE_SOURCES;
/** In details.md only: where increments are missing, numbers are issued again sooner or later; only streams make ids of their own. */
const NOT_TOLD = ['missing', 'idsReused'];

/** The harms of the page. The long lease is a remedy. @type {readonly Harm[]} */
const HARMS = harmsOf();

/** @returns {Harm[]} those with the same words together */
function harmsOf() {
  const all = WORKLOADS.filter((workload) => workload !== longLock).flatMap(({ name, harms }) =>
    Object.entries(harms).map(([field, words]) => ({ name, field, words })),
  );
  const told = all.filter(({ field }) => !NOT_TOLD.includes(field));
  return [...groupBy(told, ({ words }) => words).values()].map((alike) => ({
    words: alike[0].words,
    workloads: alike.map(({ name }) => name),
    metric: metricNamed(alike[0].field).metric,
  }));
}

/** @param {Result} result @returns {TemplateData} */
export function pageData(result) {
  const rows = rowsOf(result, suiteTerms);
  const modes = SUITE_MODES.filter((mode) => rows.some((row) => row.mode === mode));
  const [mode] = modes;
  const outcome = (/** @type {Harm} */ harm, /** @type {readonly string[]} */ names) =>
    outcomeOf(rows, { ...harm, names, mode, source: USUAL.name });
  const harmedBy = (/** @type {readonly string[]} */ names) =>
    HARMS.filter((harm) => (outcome(harm, names)?.trials ?? 0) > 0);
  const faults = FAULTS.filter(({ names }) => isMeasured(rows, names));
  const harmed = faults.flatMap(({ title: fault, names }) =>
    harmedBy(names).map((harm) => ({ fault, words: harm.words, .../** @type {Harmed} */ (outcome(harm, names)) })),
  );
  const remediesOf = (/** @type {Harm} */ harm) => faults.map(({ names }) => remedyOf(rows, harm, { names, modes }));
  const remedied = HARMS.map((harm) => ({ harm, remedies: remediesOf(harm) }));
  const preventable = remedied.filter(({ remedies }) => remedies.some((each) => each));
  const others = OTHERS.filter(({ names }) => isMeasured(rows, names));
  return {
    measured: faults.length > 0,
    notMeasured: whyNotMeasured(result.benchmarks),
    notInRun: notInRun(result.benchmarks, rows),
    also: alsoHarmed(rows, mode),
    backlog: BACKLOG_SECONDS,
    defaults: titleOf(rows, mode) ?? NOT_MEASURED,
    price: priceText(rows, mode),
    searched: SEARCHED,
    harmed,
    planned: harmedBy(FAULTS[0].names),
    crash: isMeasured(rows, FAULTS[1].names) ? harmedBy(FAULTS[1].names).length : null,
    kinds: HARMS.length,
    hopeless: remedied
      .filter(({ remedies }) => remedies.includes(null) && !remedies.some((each) => each))
      .map(({ harm }) => harm.words),
    worse: HARMS.map((harm) => ({
      words: harm.words,
      faults: faults
        .map(({ title, names }) => ({ title, worst: worseOf(rows, harm, { names, modes }) }))
        .filter(({ worst }) => worst > 0),
    })).filter((each) => each.faults.length > 0),
    seconds: SECONDS[result.profile.name] ?? SECONDS.quick,
    others: others.map(({ title, names }) => ({ title, harmed: harmedBy(names).length })),
    tables: {
      harms: harmsTable(
        preventable.map(({ harm }) => ({ harm, outcomes: faults.map(({ names }) => outcome(harm, names)) })),
        faults.map(({ title }) => title),
      ),
      remedies: remediesTable(rows, preventable, faults),
      libraries: librariesTable(rows, mode),
    },
  };
}

/**
 * @param {readonly CaseFigures[]} rows @param {readonly {harm: Harm, remedies: (Remedy | null | undefined)[]}[]} preventable
 * @param {readonly {title: string}[]} faults columns; those in which the defaults did no harm are left out
 */
function remediesTable(rows, preventable, faults) {
  const isDefault = (/** @type {Remedy | null | undefined} */ remedy) => remedy?.changes.length === 0;
  const told = faults.flatMap(({ title }, i) =>
    preventable.every(({ remedies }) => isDefault(remedies[i])) ? [] : [{ title, i }],
  );
  return table(
    ['', ...told.map(({ title }) => title), 'fault search'],
    preventable.map(({ harm, remedies }) => [
      harm.words,
      ...told.map(({ i }) => remedyText(rows, remedies[i])),
      searchedText(harm),
    ]),
  );
}

/** @param {readonly {harm: Harm, outcomes: (Harmed | null)[]}[]} rows @param {readonly string[]} faults its columns */
function harmsTable(rows, faults) {
  const most = faults.map((_, i) => Math.max(0, ...rows.map(({ outcomes }) => outcomes[i]?.n ?? 0)));
  return table(
    ['', ...faults.map((title, i) => `${title}, ${plural(most[i], 'trial')}`)],
    rows.map(({ harm, outcomes }) => [harm.words, ...outcomes.map((outcome, i) => harmedText(outcome, most[i]))]),
  );
}

/** @param {readonly CaseFigures[]} rows @param {string} mode */
function titleOf(rows, mode) {
  const [row] = where(rows, { mode });
  return row ? modeTitle(row.params) : mode;
}
