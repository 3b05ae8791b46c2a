/**
 * The answer of a failure run, in five short lines: the mode, the loss, the outage, what to paste, and what is not covered.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { count, percent, plural } from '../../src/report/format.js';
import { isFailureBenchmark, milliseconds, TO_THE_END } from '../../src/report/trials/figures.js';
import { areMany, riskBound, timeText, trialsText, upToText } from '../../src/report/trials/losses.js';
import { emptiedIn, largestFirst, lossPhrase, saferFirst, testedOf, worstOf } from '../../src/report/trials/rows.js';
import { median } from '../../src/stats/statistics.js';
import { worstDefault } from './libraries.js';
import { brokenPromises } from './primary-power-lost.js';
import { scenarioRows, scenarioTitle } from './scenarios.js';

/** With fewer faults that all modes went through a run names no mode. */
const FAULTS_TO_CHOOSE = 5;
/** The mode that people choose first beside async. */
const USUAL_MODE = 'WAIT 1';

/**
 * @typedef {Object} Choice of a mode
 * @property {string} mode
 * @property {TrialRow[]} modeRows its rows in all faults
 * @property {string[]} modes compared, this one included
 * @property {string[]} equal others that lost in as few of these faults
 * @property {string[]} shared faults that each of them went through
 * @property {TrialRow[]} losing its rows with a loss
 */

/**
 * Modes went through different faults, so a count of faults with a loss only compares those that all of them went through.
 *
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Choice | null} the mode that lost in the fewest of the shared faults; null: too few are shared, or no mode lost a write
 */
export function chosenMode(failures) {
  const rows = failures.flatMap((benchmark) => scenarioRows(benchmark));
  const tested = [...new Set(rows.map(({ mode }) => mode))].map((mode) => ({ mode, modeRows: testedOf(rows, mode) }));
  const most = Math.max(0, ...tested.map(({ modeRows }) => modeRows.length));
  const compared = tested.filter(({ modeRows }) => modeRows.length > most / 2);
  const shared = [...new Set(rows.map(({ fault }) => fault.id))].filter((id) =>
    compared.every(({ modeRows }) => modeRows.some(({ fault }) => fault.id === id)),
  );
  if (shared.length < FAULTS_TO_CHOOSE || rows.every(({ loss }) => loss.most === 0)) return null;
  const judged = compared.map(({ mode, modeRows }) => {
    const inShared = modeRows.filter(({ fault }) => shared.includes(fault.id));
    return { mode, modeRows, inShared, lostIn: inShared.filter(({ loss }) => loss.most > 0).length };
  });
  // Among equal modes the first wins: it asks less of the replicas.
  const [best, ...others] = judged.toSorted((a, b) => a.lostIn - b.lostIn || saferFirst(a.inShared, b.inShared));
  const equal = others.filter(({ lostIn }) => lostIn === best.lostIn).map(({ mode }) => mode);
  const losing = best.modeRows.filter(({ loss }) => loss.most > 0).toSorted(largestFirst);
  return { mode: best.mode, modeRows: best.modeRows, modes: compared.map(({ mode }) => mode), equal, shared, losing };
}

/**
 * @param {Result} result
 * @returns {string[]} sentences of at most 160 characters each
 */
export function failureAnswer(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const rows = failures.flatMap((benchmark) => scenarioRows(benchmark));
  if (rows.length === 0) return [];
  const choice = chosenMode(failures);
  return [
    ...(choice ? [modeLine(choice)] : []),
    lossLine(rows),
    ...outageLine(rows, choice),
    pasteLine(failures),
    ...(choice ? [openLine(choice, rows)] : []),
    ...failures.flatMap((benchmark) => brokenPromises(benchmark, result.stack.server)).map(({ text }) => `${text}.`),
  ];
}

/** @param {Choice} choice */
function modeLine({ mode, modeRows, modes, equal, shared, losing }) {
  const trials = trialsText(modeRows.map(({ loss }) => loss));
  const lost = losing.map(({ loss, fault }) => `${fault.title}${loss.everything ? ' (ALL)' : timeText(loss)}`);
  const what = lost.length === 0 ? 'It lost nothing' : `It lost writes only in: ${lost.join('; ')}`;
  return `Mode: ${mode}. Of ${plural(modes.length, 'mode')} in the same ${shared.length} faults (${trials} each) it lost in the fewest${equal.length === 0 ? '' : `, like ${equal.join(', ')}`}. ${what}.`;
}

/** @param {readonly TrialRow[]} rows at least one */
function lossLine(rows) {
  const modes = [...new Set(rows.map(({ mode }) => mode))].flatMap((mode) => {
    const worst = worstOf(testedOf(rows, mode));
    return worst ? [worst] : [];
  });
  const [most, ...others] = modes.toSorted(largestFirst);
  const emptied = [...new Set(emptiedIn([...rows]).map(({ title }) => title))];
  const withoutFile = rows.every(({ loss, one }) => !loss.everything || one.params.settings?.appendonly !== 'yes');
  const all = emptied.length === 0 ? '' : `${withoutFile ? 'without AOF ALL in' : 'ALL in'}: ${emptied.join(', ')}`;
  if (!most) {
    const acked = rows.reduce((sum, { loss }) => sum + loss.acked, 0);
    return all === '' ? `Loss: 0 of ${count(acked)} acknowledged writes, in any mode.` : `Loss: ${all}.`;
  }
  const first = `${most.mode} ${most.loss.trials > 1 ? 'up to ' : ''}${lossPhrase(most)}`;
  const usual = others
    .filter(({ mode }) => mode === USUAL_MODE)
    .map(
      ({ mode, loss, fault }) =>
        `${mode} ${loss.trials > 1 ? upToText(loss) : count(loss.most)}${timeText(loss, fault.title)}`,
    );
  return `Loss: ${[first, ...usual, ...(all === '' ? [] : [all])].join('; ')}.`;
}

/**
 * @param {readonly TrialRow[]} rows
 * @param {Choice | null} choice
 * @returns {string[]} empty: no primary was killed
 */
function outageLine(rows, choice) {
  const killed = rows.filter(({ fault }) => fault.title === scenarioTitle('primary-killed'));
  if (killed.length === 0) return [];
  const times = killed.map(({ outage }) => outage.medianMs).filter(Number.isFinite);
  const usual = times.length === 0 ? Number.POSITIVE_INFINITY : median(times);
  const modeRows = killed.find(({ mode }) => mode === choice?.mode);
  const worst = areMany(killed.map(({ loss }) => loss))
    ? `, worst trial ${milliseconds(Math.max(...killed.map(({ outage }) => outage.highMs)))}`
    : '';
  const modeOutage = modeRows && modeRows.outage.medianMs > 2 * usual ? `; ${modeRows.mode} ${waited(modeRows)}` : '';
  const endless = rows.some(
    ({ fault, outage }) => fault.title === scenarioTitle('primary-machine-lost') && outage.toTheEnd > 0,
  )
    ? `; machine lost: ${TO_THE_END} without a client timeout`
    : '';
  return [`Outage after a kill: ${milliseconds(usual)} (median of the modes${worst})${modeOutage}${endless}.`];
}

/**
 * @param {TrialRow} row
 * @returns {string} how long, and who ended it if the system did not
 */
export function waited({ outage, untilHealed }) {
  return untilHealed ? `until the node was back, here ${milliseconds(outage.medianMs)}` : milliseconds(outage.medianMs);
}

/** @param {readonly BenchmarkResult[]} failures */
function pasteLine(failures) {
  const worst = worstDefault(failures);
  const libraryLoss =
    worst && worst.loss.most > 0
      ? ` \`${worst.writer}\` by default lost ${upToText(worst.loss)}${timeText(worst.loss, worst.fault.title)}.`
      : '';
  return `Paste: the blocks of “What to do”, and a client of \`examples/\`.${libraryLoss}`;
}

/**
 * @param {Choice} choice
 * @param {readonly TrialRow[]} rows
 */
function openLine({ mode, modeRows }, rows) {
  const faults = [...new Set(rows.filter(({ loss }) => loss.most > 0).map(({ fault }) => fault.title))];
  const untested = faults.filter((title) => modeRows.every(({ fault }) => fault.title !== title));
  const trials = Math.min(...modeRows.map(({ loss }) => loss.trials));
  return `Not tested with ${mode}: ${[...untested, 'faults of several nodes'].join('; ')}. ${plural(trials, 'trial')} without a loss ${trials === 1 ? 'allows' : 'allow'} a loss in up to ${percent(riskBound(trials))}.`;
}
