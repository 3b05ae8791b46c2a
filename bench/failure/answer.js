/**
 * The answer of a failure run, in short lines: the mode, what it costs in availability, what each mode lost, the clients, and how sure that is.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { count, percent, plural, range } from '../../src/report/format.js';
import { isFailureBenchmark, milliseconds } from '../../src/report/trials/figures.js';
import { ALL, areMany, riskBound, timeText, trialsText, upToText } from '../../src/report/trials/losses.js';
import { emptiedIn, largestFirst, lossPhrase, saferFirst, testedOf, worstOf } from '../../src/report/trials/rows.js';
import { falselyAcking, worstDefault } from './libraries.js';
import { MODES, modeTitle } from './modes.js';
import { brokenPromises } from './primary-power-lost.js';
import { scenarioRows, scenarioTitle } from './scenarios.js';

/** With fewer faults that all modes went through a run names no mode. */
const FAULTS_TO_CHOOSE = 5;
/** A server that comes back from it has nothing but its files. */
const EMPTIED = 'primary-restarted-empty';
/** The mode that people choose first beside async. */
const USUAL_MODE = 'WAIT 1';
/** Modes beyond these are counted. */
const MOST_NAMED = 3;
const KILLED = 'primary-killed';
const PLANNED = 'planned-failover';

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
 * @typedef {Object} Recommended mode with its file
 * @property {string} title in the words of other pages: `WAIT 2 + min-replicas 2 + AOF always`
 * @property {Readonly<Record<string, string>>} settings
 * @property {boolean} inSweep the suite config-sweep tests it whole
 */

/**
 * No run of this suite tests a mode with its file, but the sweep does, for most: then the mode is that of the sweep, so that both pages say the same.
 *
 * @param {Choice} choice
 * @param {FileChoice | null} file
 * @returns {Recommended}
 */
export function recommendedMode({ modeRows }, file) {
  const [{ one }] = modeRows;
  const { params } = one;
  const settings = { ...params.settings, ...file?.settings };
  const swept = Object.values(MODES).find(
    (mode) =>
      file !== null &&
      mode.wait === params.wait &&
      !('waitLocal' in mode) &&
      mode.settings['min-replicas-to-write'] === String(params.wait) &&
      Object.entries(file.settings).every(
        ([name, value]) => /** @type {Record<string, string>} */ (mode.settings)[name] === value,
      ),
  );
  if (swept) return { title: modeTitle(swept), settings: swept.settings, inSweep: true };
  return { title: modeTitle({ ...params, settings }), settings, inSweep: file === null };
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
    ...outageLine(rows, choice, result.stack),
    ...(choice ? [triedLine(choice, file)] : []),
    ...emptiedLine(rows),
    ...lossLine(rows),
    ...rivalLine(rows, choice),
    ...clientLines(failures),
    ...(choice ? [openLine(choice, file)] : []),
    ...failures.flatMap((benchmark) => brokenPromises(benchmark, result.stack.server)).map(({ text }) => `${text}.`),
  ];
}

/**
 * @param {Choice} choice
 * @param {FileChoice | null} file
 */
function modeLine(choice, file) {
  const { title, inSweep } = recommendedMode(choice, file);
  if (!file)
    return `Use ${title}. Its cost is not measured here: \`config-sweep\` has the throughput and p99 of each mode.`;
  if (!inSweep)
    return `Use ${title}: its parts were tried one by one here, never together. \`config-sweep\` has the costs of similar modes.`;
  return `Use ${title}. \`config-sweep\` tests it whole and has its cost (throughput, p99); here ${choice.mode} and ${file.title} were tried, each alone.`;
}

/**
 * @param {Choice} choice
 * @param {FileChoice | null} file
 */
function triedLine({ mode, modeRows, modes, equal, shared, losing }, file) {
  const trials = trialsText(modeRows.map(({ loss }) => loss));
  const lost = losing.map(({ loss, fault }) => `${fault.title}${loss.everything ? ` (${ALL})` : timeText(loss)}`);
  const where = lost.length === 0 ? 'none' : 'the fewest';
  const only = lost.length === 0 ? '' : `: ${lost.join('; ')}`;
  const also = equal.length === 0 ? '' : ` (like ${equal.join(', ')})`;
  const kept = (file?.rows ?? []).filter(({ loss }) => loss.most === 0).map(({ fault }) => fault.title);
  const there = file && kept.length > 0 ? ` ${file.title} lost none in: ${kept.join(', ')}.` : '';
  return `Tried: of ${plural(modes.length, 'mode')} in the same ${shared.length} faults (${trials} each), ${mode}${also} lost in ${where}${only}.${there}`;
}

/**
 * @param {readonly TrialRow[]} rows
 * @returns {string[]} one sentence: where the whole data set was gone; empty: nowhere
 */
function emptiedLine(rows) {
  const faults = [...new Set(emptiedIn([...rows]).map(({ title }) => title))];
  if (faults.length === 0) return [];
  const there = rows.filter(({ fault, one }) => faults.includes(fault.title) && !isPersistent(one.params));
  const withFile = [
    ...new Set(rows.filter(({ loss, one }) => loss.everything && isPersistent(one.params)).map(({ mode }) => mode)),
  ];
  const emptied = there.filter(({ loss }) => loss.everything);
  const names = [...new Set(emptied.map(({ mode }) => mode))];
  const without =
    emptied.length === there.length
      ? 'each mode tried without AOF'
      : names.length > MOST_NAMED
        ? `${names.length} modes without AOF`
        : names.join(', ');
  const modes = [...(emptied.length > 0 ? [without] : []), ...withFile];
  return [`Lost ${ALL}, the whole data set, in ${faults.join(', ')}: ${modes.join(', and ')}.`];
}

/**
 * @param {readonly TrialRow[]} rows at least one
 * @returns {string[]} one sentence: the largest loss of a mode, and that of the usual one; empty: none, beside losses of everything
 */
function lossLine(rows) {
  const modes = [...new Set(rows.map(({ mode }) => mode))].flatMap((mode) => {
    const worst = worstOf(testedOf(rows, mode));
    return worst ? [worst] : [];
  });
  const [most, ...others] = modes.toSorted(largestFirst);
  const emptied = emptiedIn([...rows]).length > 0;
  if (!most) {
    const acked = rows.reduce((sum, { loss }) => sum + loss.acked, 0);
    return emptied ? [] : [`Lost: 0 of ${count(acked)} acknowledged writes, in any mode.`];
  }
  const first = `${most.mode} ${most.loss.trials > 1 ? 'up to ' : ''}${lossPhrase(most)}`;
  const usual = others
    .filter(({ mode }) => mode === USUAL_MODE)
    .map(
      ({ mode, loss, fault }) =>
        `${mode} ${loss.trials > 1 ? upToText(loss) : count(loss.most)}${timeText(loss, fault.title)}`,
    );
  return [`Lost${emptied ? ' in other faults' : ''}: ${[first, ...usual].join('; ')}.`];
}

/**
 * @param {readonly TrialRow[]} rows
 * @param {Choice | null} choice
 * @param {Result['stack']} stack
 * @returns {string[]} what the mode costs in availability; empty: no primary was killed
 */
function outageLine(rows, choice, { nodes }) {
  const killed = rows.filter(({ fault }) => fault.title === scenarioTitle(KILLED));
  if (killed.length === 0) return [];
  const chosen = killed.find(({ mode }) => mode === choice?.mode);
  const others = killed.filter((row) => row !== chosen);
  const data = nodes.filter(({ kind }) => kind === 'redis').length;
  if (chosen?.untilHealed && chosen.one.params.wait >= data - 1) {
    const rest = others.length === 0 ? '' : `; other modes ${outagesText(others)}`;
    return [
      `Its price: ${chosen.mode} needs every node. While any one is away, nothing is confirmed: after a kill until we restarted it (${milliseconds(chosen.outage.medianMs)}${rest}).`,
    ];
  }
  return [`Outage after a kill: ${outagesText(killed)}.`];
}

/**
 * @param {readonly TrialRow[]} rows at least one
 * @returns {string} such as `6.29–6.33 s`, `1.20 s or to the end`
 */
function outagesText(rows) {
  const times = rows.map(({ outage }) => outage.medianMs).filter(Number.isFinite);
  const end = times.length < rows.length ? ['to the end'] : [];
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const text =
    times.length === 0
      ? []
      : [milliseconds(low) === milliseconds(high) ? milliseconds(low) : range(low, high, milliseconds)];
  const worst = areMany(rows.map(({ loss }) => loss))
    ? `, worst trial ${milliseconds(Math.max(...rows.map(({ outage }) => outage.highMs)))}`
    : '';
  return `${[...text, ...end].join(' or ')}${worst}`;
}

/**
 * @param {readonly TrialRow[]} rows
 * @param {Choice | null} choice
 * @returns {string[]} one sentence if a mode that asks for less lost only in a bare failover, for which there is a runbook, beside losses of everything
 */
function rivalLine(rows, choice) {
  const rival = testedOf(rows, USUAL_MODE);
  const losing = rival.filter(({ loss }) => loss.most > 0 && !loss.everything);
  const byRunbook = rows.filter(({ fault }) => fault.title === scenarioTitle(PLANNED, { variant: 'by-hand' }));
  const isRival =
    choice !== null &&
    choice.mode !== USUAL_MODE &&
    losing.length > 0 &&
    losing.every(({ fault }) => fault.title === scenarioTitle(PLANNED)) &&
    byRunbook.length > 0 &&
    byRunbook.every(({ loss }) => loss.most === 0);
  return isRival
    ? [
        `Rival: ${USUAL_MODE} with AOF and the runbook: one replica may be away. Not tested here: a partition that takes the confirming replica along (\`config-sweep\`).`,
      ]
    : [];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]}
 */
function clientLines(failures) {
  const worst = worstDefault(failures);
  const falsely = falselyAcking(failures);
  const lost =
    worst && worst.loss.most > 0
      ? `\`${worst.writer}\` lost ${upToText(worst.loss)}${timeText(worst.loss, worst.fault.title)}`
      : null;
  return [
    'Clients: a write without a WAIT of its own stays async. Copy a client of `examples/`, and set timeouts: a lost machine closes no connection.',
    ...(falsely.length > 0
      ? [
          `Clients as they come: ${falsely.map((name) => `\`${name}\``).join(', ')} had false acknowledgements (WAIT on another connection).${lost ? ` ${lost}.` : ''}`,
        ]
      : lost
        ? [`Clients as they come: ${lost}.`]
        : []),
  ];
}

/**
 * @param {Choice} choice
 * @param {FileChoice | null} file
 */
function openLine({ mode, modeRows }, file) {
  const trials = Math.min(...modeRows.map(({ loss }) => loss.trials));
  const parts = [...(file ? [`${mode} and ${file.title} together`] : []), 'faults of several data nodes'];
  return `How sure: ${plural(trials, 'trial')} without a loss: up to ${percent(riskBound(trials))} of such failures may still lose writes. Not tested: ${parts.join('; ')}.`;
}
