/**
 * What each mode and each library lost in which fault: the first tables of the page.
 *
 * @import { Block, TableBlock } from '../../src/report/blocks.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { Show } from './grid.js'
 * @import { Shown } from './shown.js'
 */
import { heading, list, text } from '../../src/report/blocks.js';
import { ALL, count, plural } from '../../src/report/format.js';
import {
  ALL_NOTE,
  areMany,
  riskAndLoss,
  timeText,
  trialsText,
  upToText,
  worstLossOrAll,
} from '../../src/report/trials/losses.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { LIBRARY_WRITERS } from '../experiments/cases.js';
import { scenarioRows } from '../experiments/rows.js';
import { chosenMode, otherLosses } from './answer.js';
import { faultsByModes, modesByFaults } from './grid.js';
import { libraryAnswer, libraryLosses, libraryNotes } from './libraries.js';
import { shownLosses } from './shown.js';

/** More names than these are not read. */
const MOST_SAFE = 10;
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
  const shown = shownLosses(failures);
  const losses = [...shown.all, ...libraries].map(({ loss }) => loss);
  if (losses.length === 0) return [];
  const many = areMany(losses);
  const figure = many ? riskAndLoss : lossCell(losses);
  return [
    heading(2, 'Acknowledged writes lost'),
    text(`${many ? MANY_NOTE : worstNote(losses)} ${trialsText(losses)} a cell.`),
    ...modeLosses(shown, failures, ({ loss }) => figure(loss)),
    ...libraryAnswer(failures, { besideTable: true }).map(text),
    ...libraryLosses(failures, figure),
    ...(libraryNotes(failures).length > 0 ? [list(libraryNotes(failures))] : []),
  ];
}

/**
 * @param {Shown} shown of the native client
 * @param {readonly BenchmarkResult[]} failures
 * @param {Show} show
 * @returns {Block[]}
 */
function modeLosses({ all, rows, faults, modes, few, others, safe }, failures, show) {
  const notes = [
    ...(all.some(({ loss }) => loss.everything) ? [`${ALL_NOTE}. ${EMPTIED_NOTE}.`] : []),
    ...(chosenMode(failures) ? otherLosses(failures) : []),
    ...(others.length > 0
      ? [`Lost in further faults: ${others.map((fault) => `${fault}: ${lossesIn(all, fault)}`).join('; ')}.`]
      : []),
    ...safeText(safe),
  ];
  const hidden = new Set(all.map(({ mode }) => mode)).size - modes.length;
  return [
    text(
      [
        'Of each trial the client that lost most counts: one keeps its connection until an error, one moves at `+switch-master`, and in a partition one is on each side. Of several lengths of a fault the worst counts; one that only some of these modes went through has a row of its own.',
        ...(hidden > 0 ? [`\`details.md\` has ${plural(hidden, 'further mode')}.`] : []),
        ...lagText(failures),
      ].join(' '),
    ),
    ...(faults.length === 0
      ? []
      : [few ? modesByFaults(rows, faults, show) : faultsByModes(rows, faults, modes, show)]),
    list(notes),
  ];
}

/**
 * @param {readonly string[]} safe titles of faults
 * @returns {string[]} one sentence; empty: there are none
 */
function safeText(safe) {
  if (safe.length === 0) return [];
  const where = safe.length > MOST_SAFE ? `${safe.length} more (\`details.md\`)` : safe.join('; ');
  return [`With the tool’s own client, no mode that was tried lost a write in: ${where}.`];
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
