/**
 * What each mode and each library lost in which fault: the first tables of the page.
 *
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { Show } from './grid.js'
 */
import { heading, list, text } from '../../src/report/blocks.js';
import { count, plural } from '../../src/report/format.js';
import {
  ALL,
  ALL_NOTE,
  areMany,
  riskAndLoss,
  timeText,
  trialsText,
  upToText,
  worstLossOrAll,
} from '../../src/report/trials/losses.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { chosenMode, namedModes, otherLosses } from './answer.js';
import { LIBRARY_WRITERS } from './cases.js';
import { faultsByModes, MOST_COLUMNS, mainModes, modesByFaults } from './grid.js';
import { libraryAnswer, libraryLosses, libraryNotes } from './libraries.js';
import { scenarioRows, worstRows } from './scenarios.js';

const EMPTIED_NOTE = 'The primary came back empty, or nearly so, and its replicas copied that';
const MANY_NOTE =
  'Trials with a loss/trials (exact 95% interval of the risk; ≤: its upper bound, as no trial lost a write); then seconds of ' +
  'acknowledged writes lost in the median and in the worst trial.';

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Block[]}
 */
export function lossTables(failures) {
  const libraries = failures.flatMap((benchmark) => scenarioRows(benchmark, { writers: LIBRARY_WRITERS }));
  const rows = worstRows(failures);
  const losses = [...rows, ...libraries].map(({ loss }) => loss);
  if (losses.length === 0) return [];
  const many = areMany(losses);
  const figure = many ? riskAndLoss : lossCell(losses);
  return [
    heading(2, 'Acknowledged writes lost'),
    text(`${many ? MANY_NOTE : worstNote(losses)} ${trialsText(losses)} a cell.`),
    ...modeLosses(rows, failures, ({ loss }) => figure(loss)),
    ...libraryAnswer(failures, { besideTable: true }).map(text),
    ...libraryLosses(failures, figure),
    ...(libraryNotes(failures).length > 0 ? [list(libraryNotes(failures))] : []),
  ];
}

/**
 * @param {TrialRow[]} rows of the native client
 * @param {readonly BenchmarkResult[]} failures
 * @param {Show} show
 * @returns {Block[]}
 */
function modeLosses(rows, failures, show) {
  const inFault = (/** @type {string} */ fault) => rows.filter((row) => row.fault.title === fault);
  const worst = (/** @type {string} */ fault) =>
    Math.max(
      ...inFault(fault).map(({ loss }) => (loss.everything ? Number.POSITIVE_INFINITY : (loss.seconds ?? loss.most))),
    );
  const faults = [...new Set(rows.map(({ fault }) => fault.title))];
  const losing = faults.filter((fault) => worst(fault) > 0).toSorted((a, b) => (worst(b) > worst(a) ? 1 : -1));
  const modes = mainModes(rows, namedModes(failures));
  const inColumns = (/** @type {string} */ fault) =>
    inFault(fault).some(({ mode, loss }) => modes.includes(mode) && loss.most > 0);
  const few = losing.length <= MOST_COLUMNS;
  const shown = few ? losing : losing.filter(inColumns);
  const rest = losing.filter((fault) => !shown.includes(fault));
  const without = faults.filter((fault) => !losing.includes(fault));
  const notes = [
    ...(rows.some(({ loss }) => loss.everything) ? [`${ALL_NOTE}. ${EMPTIED_NOTE}.`] : []),
    ...(chosenMode(failures) ? otherLosses(failures) : []),
    ...(rest.length > 0
      ? [`Lost in further faults: ${rest.map((fault) => `${fault}: ${lossesIn(rows, fault)}`).join('; ')}.`]
      : []),
    ...(without.length > 0
      ? [`With the tool’s own client, no mode that was tried lost a write in: ${without.join('; ')}.`]
      : []),
  ];
  const hidden = few ? 0 : new Set(rows.map(({ mode }) => mode)).size - modes.length;
  return [
    text(
      [
        'Of each trial the client that lost most counts: one keeps its connection until an error (sticky), one moves at `+switch-master` (failover-aware). ' +
          'In a partition of groups there is one on each side, and one reaches all. Of several lengths of a fault the worst counts.',
        ...(hidden > 0 ? [`\`details.md\` has ${plural(hidden, 'further mode')}.`] : []),
        ...lagText(failures),
      ].join(' '),
    ),
    ...(shown.length === 0
      ? []
      : [
          few
            ? modesByFaults(
                rows,
                faults.filter((fault) => shown.includes(fault)),
                show,
              )
            : faultsByModes(rows, shown, modes, show),
        ]),
    list(notes),
  ];
}

/**
 * @param {readonly TrialRow[]} rows
 * @param {string} scenario without a column of its own
 * @returns {string} what each mode lost there, the largest loss first
 */
function lossesIn(rows, scenario) {
  return rows
    .filter(({ fault, loss }) => fault.title === scenario && loss.most > 0)
    .sort(largestFirst)
    .map(
      ({ mode, loss }) =>
        `${mode} ${loss.everything ? ALL : `${loss.trials > 1 ? upToText(loss) : count(loss.most)}${timeText(loss)}`}`,
    )
    .join(', ');
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} a sentence; empty: no mode has a limit for the lag
 */
function lagText(failures) {
  const lags = failures.flatMap(({ cases }) =>
    cases.flatMap(({ params: { settings } }) =>
      (settings?.['min-replicas-to-write'] ?? '0') === '0' ? [] : (settings?.['min-replicas-max-lag'] ?? []),
    ),
  );
  return lags.includes('10') ? ['min-replicas-max-lag is 10 s where a mode does not say “lag”.'] : [];
}

/**
 * @param {readonly TrialRow['loss'][]} losses of all cells
 * @returns {(loss: TrialRow['loss']) => string} where every cell has as many trials, the text above the table says how many had no loss
 */
function lossCell(losses) {
  const alike = new Set(losses.map(({ trials }) => trials)).size === 1;
  return (loss) => (alike && loss.losing === 0 ? '0' : worstLossOrAll(loss));
}

/** @param {readonly TrialRow['loss'][]} losses */
function worstNote(losses) {
  const several = losses.some(({ trials }) => trials > 1);
  return `Acknowledged writes lost in the worst trial (for how many seconds they were acknowledged)${several ? ', and in how many of the trials' : ''}; 0: none in any trial; –: not measured. Acknowledged: OK, and \`WAIT\` counted as many replicas as asked.`;
}
