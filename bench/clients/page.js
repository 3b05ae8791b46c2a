/**
 * What page.md shows: one client for each language, a table of libraries, one chart, and the figures of its sentences.
 * @import { CaseFigures, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js'
 * @import { Choice } from '../choices.js'
 * @import { LibraryCases } from './queries.js'
 */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { plural } from '../../src/format.js';
import { addedText } from '../../src/report/costs.js';
import { FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { CHOICES } from '../choices.js';
import { suiteTerms } from '../facts.js';
import { MODES, USUAL_REPLICAS, WHOLE_MODES } from '../modes.js';
import { choiceTable, unprotectedBy } from '../pages/choices.js';
import { modeRows } from '../pages/mode-rows.js';
import { configureCommand, failoverCommand, pastedName } from '../pages/paste.js';
import { lossMap, lossOf, unseenShare, worstCell, worstOfEach } from '../pages/trials.js';
import { BEST, driverEntry, isToCopy, languageOf, REFERENCE, shortTitle, titleOf, versionsOf } from './names.js';
import * as queries from './queries.js';
import { SCENARIOS } from './scenarios.js';

const { secondsLost, totalOf } = queries;
/** More libraries are not named in a sentence. */
const MOST_NAMED = 4;
const WHOLE_CHOICES = CHOICES.filter(({ modes: [mode] }) => WHOLE_MODES.includes(mode));
/** Languages with a recommended client, and examples to copy. */
const LANGUAGES = Object.freeze(['Python', 'Node.js', 'Go', 'Java']);

/** @param {Result} result @returns {TemplateData & {tables: Record<'choices' | 'recommended' | 'libraries', TableBlock>}} */
export function pageData(result) {
  const all = rowsOf(result, suiteTerms);
  const settings = new Set(all.map(({ setting }) => setting));
  const shown = settings.has('') ? '' : ([...settings][0] ?? '');
  const rows = where(all, { setting: shown });
  const stay = queries.stayOf(rows);
  const writers = [...new Set(rows.map(({ writer }) => writer))].filter(
    (writer) => writer !== '' && writer !== 'native',
  );
  const drivers = queries.librariesOf(rows, writers);
  const libraries = drivers.filter((each) => each.writer !== REFERENCE && !isToCopy(each));
  const versions = versionsOf(result.benchmarks);
  const name = pastedName(result.stack.masterName);
  const recommended = recommendedOf(drivers);
  const trials = Math.max(0, ...libraries.flatMap(({ plain }) => plain.map((row) => lossOf([row]).trials)));
  return {
    libraries,
    options: shown === '' ? 'default options' : shown === BEST ? 'best options' : shown,
    planned: plannedOf(libraries, stay),
    worst: worstOf(libraries),
    elsewhere: titlesOf(libraries, (each) => queries.waitsOnConnection(each) === false),
    twice: titlesOf(libraries, ({ plain, waited }) => totalOf([...plain, ...waited], 'applied-twice') > 0),
    without: languagesWithout(libraries, stay),
    stuck: libraries.flatMap(stuckIn),
    runbook: runbookOf(libraries),
    command: failoverCommand(name),
    configure: configureCommand(name),
    costs: modeRows(all).some(({ here }) => here !== undefined),
    whole: WHOLE_CHOICES.flatMap((choice) => wholeLossOf(libraries, choice) ?? []),
    unprotected: unprotectedBy((mode) => lossesIn(recommended, mode)),
    replicaStop: Math.max(
      ...libraries.flatMap(({ plain }) =>
        where(plain, { experiment: 'clients-replica-killed' }).map((row) => figure(row, 'outage', 'worst') ?? 0),
      ),
    ),
    trials,
    unseen: unseenShare(trials),
    tables: {
      choices: choicesOf(all, recommended),
      recommended: tableOf(recommendedColumns(versions), /** @type {any} */ (recommended)),
      libraries: tableOf(libraryColumns(versions), /** @type {any} */ (libraries)),
    },
    charts: {
      losses: lossMap(
        LOSSES,
        libraries.flatMap(({ plain }) => plain),
        { scenario: (row) => titleOf(row), column: ({ experiment }) => faultTitle(experiment), writes: true },
      ),
    },
  };
}

/** @param {readonly LibraryCases[]} libraries @param {string} mode @returns their cases in it. An append-only file changes nothing for a library */
const casesIn = (libraries, mode) =>
  libraries.flatMap(({ plain, whole }) => (MODES[mode].wait === 0 ? plain : where(whole, { mode })));

/** @param {CaseFigures} a @param {CaseFigures} b @returns {number} for sorting: the larger loss first */
const byLoss = (a, b) => secondsLost([b]) - secondsLost([a]);

/** @param {readonly LibraryCases[]} libraries @param {string} mode @returns {{fault: string, lost: string}[] | null} the worst first; null: not tried */
function lossesIn(libraries, mode) {
  const cases = casesIn(libraries, mode);
  const worst = worstOfEach(cases, ({ experiment }) => experiment, byLoss);
  const told = worst.sort(byLoss).map((row) => ({ fault: faultTitle(row.experiment), lost: worstCell(lossOf([row])) }));
  return cases.length === 0 ? null : told.filter(({ lost }) => lost !== '0');
}

/** @param {readonly CaseFigures[]} all rows @param {readonly LibraryCases[]} recommended */
function choicesOf(all, recommended) {
  const costs = modeRows(all);
  const casesOf = (/** @type {string} */ mode) => casesIn(recommended, mode);
  return choiceTable({
    has: (mode) => casesOf(mode).length > 0,
    columns: [
      {
        title: 'the client sends',
        text: ({ mode }) => (MODES[mode].wait === 0 ? 'nothing' : `\`WAIT ${MODES[mode].wait}\``),
      },
      figures('added to a write', ({ mode }) =>
        addedText(costs.find((each) => each.mode === mode)?.here?.of['added-time']),
      ),
      { title: 'most lost', text: ({ mode }) => mostText(casesOf(mode)) },
    ],
    // With WAIT for every replica nothing is confirmed until the node is back.
    stops: (mode) =>
      MODES[mode].wait === USUAL_REPLICAS ? NOT_MEASURED : longestText(where(casesOf(mode), { experiment: KILLED })),
  });
}

/** @param {readonly LibraryCases[]} libraries @param {(library: LibraryCases) => boolean} is @returns {string[]} */
const titlesOf = (libraries, is) => libraries.filter(is).map(shortTitle);

/** @param {readonly LibraryCases[]} libraries @param {Choice} choice of a whole mode @returns what the worst of them lost; null: not tried */
function wholeLossOf(libraries, { situation, modes: [mode] }) {
  const all = libraries.flatMap(({ whole }) => where(whole, { mode }));
  const most = secondsLost(all);
  const losing = titlesOf(libraries, ({ whole }) => secondsLost(where(whole, { mode })) > 0);
  return all.length === 0 ? null : { situation, most, losing: losing.length < MOST_NAMED ? losing : [] };
}

/** @param {LibraryCases} library @returns {string[]} its title, after how many failures it never wrote again; empty: none */
function stuckIn(library) {
  const stuck = [...library.plain, ...library.waited].filter(
    (row) => figure(row, 'outage', 'worst') === Number.POSITIVE_INFINITY,
  );
  const faults = [...new Set(stuck.map(({ experiment }) => faultTitle(experiment)))];
  return faults.length === 0 ? [] : [`${shortTitle(library)} (after ${plural(faults.length, 'failure')})`];
}

/** @param {readonly LibraryCases[]} libraries @param {number | null} stay @returns {string[]} languages where each library stays with the old primary, or stops */
function languagesWithout(libraries, stay) {
  const follows = libraries.filter(
    (each) => !queries.staysAt(each, stay) && Number.isFinite(queries.longestStop(each)),
  );
  const served = new Set([...LANGUAGES, ...follows.map(languageOf)]);
  return [...new Set(libraries.flatMap((each) => languageOf(each) ?? []))].filter((language) => !served.has(language));
}

/** @param {string} experiment @returns {string} such as `primary killed` */
function faultTitle(experiment) {
  return SCENARIOS.find(({ name }) => name === experiment)?.title ?? experiment;
}

/** @param {readonly LibraryCases[]} drivers @returns {LibraryCases[]} of each language the one to use: the fewest surprises, then the smallest loss, then one to copy */
function recommendedOf(drivers) {
  const surprises = (/** @type {LibraryCases} */ each) =>
    Number(queries.waitsOnConnection(each) === false) +
    Number(totalOf([...each.plain, ...each.waited], 'applied-twice') > 0) +
    Number(!Number.isFinite(queries.longestStop(each)));
  const lost = (/** @type {LibraryCases} */ { plain }) => secondsLost(where(plain, { experiment: queries.FAILOVER }));
  return LANGUAGES.flatMap((language) => {
    const [best] = drivers
      .filter((each) => languageOf(each) === language)
      .sort((a, b) => surprises(a) - surprises(b) || lost(a) - lost(b) || Number(isToCopy(b)) - Number(isToCopy(a)));
    return best ?? [];
  });
}

/** A column of zeros says something. @param {string} title @param {(library: LibraryCases) => string} text */
const right = (title, text) => figures(title, text, { kept: true });

/** @param {string} experiment @returns {ColumnSpec} seconds of confirmed writes lost without WAIT */
const lostIn = (experiment) =>
  right(`no WAIT: ${faultTitle(experiment)}`, ({ plain }) => {
    const rows = where(plain, { experiment });
    return rows.length === 0 ? NOT_MEASURED : worstCell(lossOf(rows));
  });

/** @param {string} title @param {string} experiment @returns {ColumnSpec} the longest time without a confirmed write */
const stopIn = (title, experiment) => right(title, ({ plain }) => longestText(where(plain, { experiment })));

/** @param {readonly CaseFigures[]} rows @returns {string} the longest time without a confirmed write */
function longestText(rows) {
  return FORMATS.seconds(
    rows.length === 0 ? null : Math.max(...rows.map((row) => figure(row, 'outage', 'worst') ?? 0)),
  );
}

const KILLED = 'clients-killed';
const LOST = [lostIn(queries.FAILOVER), lostIn('clients-partition')];
const WHOLE = WHOLE_CHOICES.map(({ situation, modes: [mode] }) =>
  right(`${situation}: most lost`, ({ whole }) => {
    const rows = where(whole, { mode });
    return rows.length === 0 ? NOT_MEASURED : FORMATS.seconds(secondsLost(rows));
  }),
);
const STOP = stopIn('stop: primary killed', KILLED);

/** @param {ReadonlyMap<string, string>} versions @returns {ColumnSpec[]} */
function recommendedColumns(versions) {
  return [
    { title: 'language', text: (each) => languageOf(each) ?? '' },
    {
      title: 'use',
      text: (each) => [shortTitle(each), isToCopy(each) ? '' : versions.get(each.writer)].join(' ').trim(),
    },
    { title: 'set first', text: ({ writer }) => driverEntry(writer)?.setFirst ?? NOT_MEASURED },
    ...LOST,
    ...WHOLE,
  ];
}

/** @param {readonly CaseFigures[]} rows @returns {string} the worst loss and its failure */
function mostText(rows) {
  if (rows.length === 0) return NOT_MEASURED;
  const [worst] = rows.toSorted(byLoss);
  const text = worstCell(lossOf([worst]));
  return text === '0' ? text : `${text}, ${faultTitle(worst.experiment)}`;
}

/** @param {ReadonlyMap<string, string>} versions @returns {ColumnSpec[]} */
function libraryColumns(versions) {
  return [{ title: 'library', text: (each) => titleOf(each, versions.get(each.writer)) }, ...LOST, ...WHOLE, STOP];
}

/** @param {readonly LibraryCases[]} libraries @param {number | null} stay @returns seconds that those that stay lost at most, the others at least */
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

/** @param {readonly LibraryCases[]} libraries @returns {{title: string, fault: string, seconds: number} | null} null: nothing was lost */
function worstOf(libraries) {
  const [row] = libraries.flatMap(({ plain, waited }) => [...plain, ...waited]).sort(byLoss);
  if (row === undefined || secondsLost([row]) === 0) return null;
  return { title: shortTitle(row), fault: faultTitle(row.experiment), seconds: secondsLost([row]) };
}

/** @param {readonly LibraryCases[]} libraries @returns {{lost: number, trials: number} | null} null: not measured */
function runbookOf(libraries) {
  const rows = libraries.flatMap(({ plain, waited }) => where([...plain, ...waited], { experiment: queries.RUNBOOK }));
  if (rows.length === 0) return null;
  return { lost: totalOf(rows, 'lost-writes'), trials: lossOf([rows[0]]).trials };
}

const LOSSES = Object.freeze({
  id: 'clients.losses',
  title: 'Confirmed writes lost by library and failure, without WAIT',
  alt: 'As in the table above.',
});
