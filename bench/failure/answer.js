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
import { modeTitle } from './modes.js';
import { brokenPromises } from './primary-power-lost.js';
import { scenarioRows, scenarioTitle } from './scenarios.js';

/** With fewer faults that all modes went through a run names no mode. */
const FAULTS_TO_CHOOSE = 5;
/** A server that comes back from it has nothing but its files. */
const EMPTIED = 'primary-restarted-empty';
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
 * @typedef {Object} FileChoice the append-only file for a mode without one
 * @property {Record<string, string>} settings
 * @property {string} title such as `AOF always`
 * @property {TrialRow[]} rows its rows in the faults that empty servers without a file
 * @property {{title: string, losing: TrialRow[]}[]} others modes with a file that lost writes there
 */

/**
 * A restart without an append-only file empties the primary, so nobody gets a configuration without one.
 *
 * @param {readonly BenchmarkResult[]} failures
 * @param {Choice} choice
 * @returns {FileChoice | null} the file with the fewest losses; null: the mode has one, lost nothing without it, or no file kept everything in a restart
 */
export function fileChoice(failures, { modeRows, losing }) {
  const [{ one }] = modeRows;
  if (isPersistent(one.params) || losing.every(({ loss }) => !loss.everything)) return null;
  const rows = failures.flatMap((benchmark) => scenarioRows(benchmark));
  const emptying = new Set(rows.filter(({ loss }) => loss.everything).map(({ fault }) => fault.title));
  const alone = rows.filter(({ one: { params } }) => isPersistent(params) && params.wait === 0 && !params.waitLocal);
  const judged = [...new Set(alone.map(({ mode }) => mode))].flatMap((title) => {
    const modeRows = testedOf(alone, title).filter(({ fault }) => emptying.has(fault.title));
    const settings = modeRows[0]?.one.params.settings ?? {};
    const kept = modeRows.some(({ fault, loss }) => fault.title === scenarioTitle(EMPTIED) && loss.most === 0);
    const file = { appendonly: settings.appendonly, appendfsync: settings.appendfsync };
    return kept && Object.keys(settings).every((name) => name in file || name === 'min-replicas-to-write')
      ? [{ title, settings: file, rows: modeRows, losing: modeRows.filter(({ loss }) => loss.most > 0) }]
      : [];
  });
  // Among equal modes the first wins: it costs less.
  const [best, ...others] = judged.toSorted((a, b) => a.losing.length - b.losing.length);
  if (!best) return null;
  return {
    settings: best.settings,
    title: best.title,
    rows: best.rows,
    others: others.filter(({ losing: lost }) => lost.length > 0),
  };
}

/** @param {TrialRow['one']['params']} params */
function isPersistent({ settings }) {
  return settings?.appendonly === 'yes';
}

/**
 * @param {Choice} choice
 * @param {FileChoice | null} file
 * @returns {string} the mode with the file, in the words of other pages: `WAIT 2 + AOF always`
 */
export function recommendedTitle({ mode, modeRows }, file) {
  const [{ one }] = modeRows;
  return file ? modeTitle({ ...one.params, settings: { ...one.params.settings, ...file.settings } }) : mode;
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
  const file = choice && fileChoice(failures, choice);
  return [
    ...(choice ? [modeLine(choice, file)] : []),
    lossLine(rows),
    ...outageLine(rows, choice),
    pasteLine(failures),
    ...(choice ? [openLine(choice, file, rows)] : []),
    ...failures.flatMap((benchmark) => brokenPromises(benchmark, result.stack.server)).map(({ text }) => `${text}.`),
  ];
}

/**
 * @param {Choice} choice
 * @param {FileChoice | null} file
 */
function modeLine(choice, file) {
  const { mode, modeRows, modes, equal, shared, losing } = choice;
  const trials = trialsText(modeRows.map(({ loss }) => loss));
  const lost = losing.map(({ loss, fault }) => `${fault.title}${loss.everything ? ' (ALL)' : timeText(loss)}`);
  const only = lost.length === 0 ? '' : `, only in: ${lost.join('; ')}`;
  const also = equal.length === 0 ? '' : `, like ${equal.join(', ')}`;
  const there = file
    ? ` ${file.title} lost ${file.rows.every(({ loss }) => loss.most === 0) ? 'none' : 'less'} there.`
    : '';
  const tested = `Of ${plural(modes.length, 'mode')} in the same ${shared.length} faults (${trials} each)`;
  return `Mode: ${recommendedTitle(choice, file)}. ${tested} ${file ? mode : 'it'} lost in ${lost.length === 0 ? 'none' : 'the fewest'}${also}${only}.${there}`;
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
 * @returns {string} how long it lasted, and what ended it if the system did not
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
 * @param {FileChoice | null} file
 * @param {readonly TrialRow[]} rows
 */
function openLine({ mode, modeRows }, file, rows) {
  const faults = [...new Set(rows.filter(({ loss }) => loss.most > 0).map(({ fault }) => fault.title))];
  const untested = faults.filter((title) => modeRows.every(({ fault }) => fault.title !== title));
  const trials = Math.min(...modeRows.map(({ loss }) => loss.trials));
  const parts = [...(file ? [file.title] : []), ...untested, 'faults of several nodes'];
  return `Not tested with ${mode}: ${parts.join('; ')}. ${plural(trials, 'trial')} without a loss: a risk of up to ${percent(riskBound(trials))}.`;
}
