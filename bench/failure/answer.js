/**
 * The answer of a failure run, in short lines: the mode, what it costs in availability, what each mode lost, the clients, and how sure that is.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { ALL, count, percent, plural, rangeOrOne } from '../../src/report/format.js';
import { groupsOf, isFailureBenchmark, milliseconds } from '../../src/report/trials/figures.js';
import { areMany, riskBound, timeText, trialsText, upToText } from '../../src/report/trials/losses.js';
import { emptiedIn, largestFirst, lossPhrase, saferFirst, testedOf, worstOf } from '../../src/report/trials/rows.js';
import { DEFAULT_WRITERS, EXAMPLE_WRITERS, LIBRARY_WRITERS } from '../experiments/cases.js';
import plannedFailover from '../experiments/planned-failover.js';
import powerLostEverywhere from '../experiments/power-lost-everywhere.js';
import { scenarioRows, scenarioTitle, worstRows } from '../experiments/rows.js';
import staleReplicaPreferred, { EMPTY } from '../experiments/stale-replica-preferred.js';
import { asksAll, isPersistent, modeTitle, refusesAway } from '../modes.js';
import { PUBLISHED } from '../pages/published.js';
import { falselyAcking, worstDefault } from './libraries.js';
import { brokenPromises } from './promises.js';

/** With fewer faults that all modes with a file went through a run names no mode. */
const FAULTS_TO_CHOOSE = 5;
/** Modes that are compared with the chosen one beside the answer. */
const MOST_COMPARED = 2;
const BASELINE = 'async';
/** The mode that people choose first beside it. */
const USUAL_MODE = 'WAIT 1';
/** Modes beyond these are counted. */
const MOST_NAMED = 3;
const KILLED = 'primary-killed';
const MACHINE_LOST = 'primary-machine-lost';
const POWER_LOST = 'primary-power-lost';
const FIVE_NODES = 'topology';

/**
 * @typedef {Object} Choice of a mode
 * @property {string} mode
 * @property {TrialRow[]} modeRows its rows in all faults, of each the worst length
 * @property {number} acked writes in all of them, at every length
 * @property {TrialRow[]} losing those with a loss, the largest first
 * @property {TrialRow[][]} compared rows of further modes with an append-only file that went through many of the same faults, in all of theirs
 * @property {TrialRow[]} baseline rows of async; empty: it was not tried
 * @property {string[]} hopeless titles of faults from which no mode protects; they are in none of the above
 */

/**
 * A restart without an append-only file empties the primary, so only modes with one are chosen. Modes went through different faults, so they are
 * compared in those that all of them went through.
 *
 * @param {readonly BenchmarkResult[]} failures
 * @returns {Choice | null} the mode that lost in the fewest faults; null: none with a file was tried in many faults, or no mode lost a write
 */
export function chosenMode(failures) {
  const { rows, hopeless } = withoutHopeless(worstRows(failures));
  const persistent = rows.filter(({ one }) => isPersistent(one.params));
  const tested = [...new Set(persistent.map(({ mode }) => mode))].map((mode) => testedOf(persistent, mode));
  const most = Math.max(0, ...tested.map((modeRows) => modeRows.length));
  const many = tested.filter((modeRows) => modeRows.length > most / 2);
  const inEach = many.reduce((shared, modeRows) => inFaultsOf(modeRows, shared), many[0] ?? []);
  if (inEach.length < FAULTS_TO_CHOOSE || rows.every(({ loss }) => loss.most === 0)) return null;
  const lostIn = (/** @type {TrialRow[]} */ modeRows) => losingOf(modeRows).length;
  const [chosen, ...others] = many.toSorted((a, b) => {
    const [sharedA, sharedB] = [a, b].map((modeRows) => inFaultsOf(inEach, modeRows));
    return (
      lostIn(sharedA) - lostIn(sharedB) || lostIn(a) - lostIn(b) || b.length - a.length || saferFirst(sharedA, sharedB)
    );
  });
  const [{ mode }] = chosen;
  return {
    mode,
    modeRows: chosen,
    acked: failures
      .filter(({ name }) => chosen.some(({ benchmark }) => benchmark.name === name))
      .flatMap((benchmark) => scenarioRows(benchmark))
      .filter((row) => row.mode === mode && !hopeless.includes(row.fault.title))
      .reduce((sum, { loss }) => sum + loss.acked, 0),
    losing: losingOf(chosen),
    hopeless,
    compared: others.slice(0, MOST_COMPARED),
    baseline: testedOf(rows, BASELINE),
  };
}

/**
 * @param {readonly TrialRow[]} all
 * @returns {{rows: TrialRow[], hopeless: string[]}} hopeless: titles of the faults in which each of several modes with a file lost everything; rows: those of
 *   the other faults
 */
function withoutHopeless(all) {
  const persistent = all.filter(({ one }) => isPersistent(one.params));
  const titles = [...new Set(persistent.map(({ fault }) => fault.title))];
  const hopeless = titles.filter((title) => {
    const there = persistent.filter(({ fault }) => fault.title === title);
    return there.length > 1 && there.every(({ loss }) => loss.everything);
  });
  return { rows: all.filter(({ fault }) => !hopeless.includes(fault.title)), hopeless };
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} the modes that the answer names, the chosen one first; empty: none was chosen
 */
export function namedModes(failures) {
  return namedIn(chosenMode(failures));
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {{mode: string, faults: string[]} | null} the chosen mode, and the faults of this run that it did not go through
 */
export function notTried(failures) {
  const choice = chosenMode(failures);
  if (!choice) return null;
  const tried = new Set(choice.modeRows.map(({ fault }) => fault.title));
  const all = [...new Set(worstRows(failures).map(({ fault }) => fault.title))];
  return {
    mode: choice.mode,
    faults: all.filter((title) => !tried.has(title) && !choice.hopeless.includes(title)),
  };
}

/** @param {Choice | null} choice */
function namedIn(choice) {
  return choice ? [choice.mode, ...choice.compared.map(([{ mode }]) => mode)] : [];
}

/**
 * @param {readonly TrialRow[]} faults
 * @param {readonly TrialRow[]} rows of a mode
 * @returns {TrialRow[]} its rows in these faults
 */
function inFaultsOf(faults, rows) {
  const ids = new Set(faults.map(({ fault }) => fault.id));
  return rows.filter(({ fault }) => ids.has(fault.id));
}

/** @param {readonly TrialRow[]} rows */
function losingOf(rows) {
  return rows.filter(({ loss }) => loss.most > 0).toSorted(largestFirst);
}

/**
 * @param {Result} result
 * @returns {string[]} sentences of at most 160 characters each
 */
export function failureAnswer(result) {
  const failures = result.benchmarks.filter(isFailureBenchmark);
  const rows = worstRows(failures);
  if (rows.length === 0) return [];
  const choice = chosenMode(failures);
  const broken = failures.flatMap((benchmark) => brokenPromises(benchmark, result.stack.server));
  const promises = broken.map(({ text }) => `${text}.`);
  if (!choice)
    return [
      ...plannedLine(rows),
      ...outageLine(rows, choice, result.stack),
      ...otherLosses(failures),
      ...lossLine(rows),
      ...clientLines(failures),
      // It is about the way of a failover, and not about a mode.
      ...(failures.every(({ name }) => name === plannedFailover.id) ? [] : [NO_MODE_LINE]),
      ...promises,
    ];
  return [
    modeLine(choice, result.stack),
    ...outageLine(rows, choice, result.stack),
    ...goesOnLines(choice, result.stack),
    ...hopelessLine(choice),
    PASTE_LINE,
    ...(PUBLISHED[choice.mode] ? [] : [COST_LINE]),
    openLine(choice),
    uncoveredLine(failures, choice, result.stack),
    ...promises,
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} sentences about what a table of seconds does not show: modes that lost everything, and stacks of more replicas
 */
export function otherLosses(failures) {
  return [...emptiedLine(withoutHopeless(worstRows(failures)).rows), ...moreReplicasLine(failures)];
}

const COST_LINE =
  'Cost in throughput and p99: not measured here. Before you apply it, `sentinel-bench run --suite config-sweep` measures it for each mode.';
const PASTE_LINE =
  'To paste: “What to do” has the settings, with an undo, and a client that checks each WAIT. A write without a WAIT of its own stays async.';
const NO_MODE_LINE = `This run recommends no mode: it tried fewer than ${FAULTS_TO_CHOOSE} faults with an append-only file, or lost nothing. \`--profile standard\` tries more.`;

/**
 * @param {Choice} choice
 * @param {Result['stack']} stack
 */
function modeLine({ mode, modeRows, acked, losing, hopeless }, stack) {
  const trials = trialsText(modeRows.map(({ loss }) => loss));
  const tried = plural(modeRows.length + hopeless.length, 'fault');
  const all = hopeless.length === 0 ? tried : `${modeRows.length} of ${tried}`;
  if (losing.length > 0)
    return `No mode kept every write. ${mode} lost in the fewest faults: ${losing.length} of ${all} (${trials} each), at most ${lossPhrase(losing[0])}.`;
  const condition = asksAll(modeRows[0].one.params, stack) ? ' if writes may stop while any node is away' : '';
  // “36 of 37 faults” and “each” together are too long for a line.
  const each = hopeless.length === 0 ? ' each' : '';
  return `Use ${mode}${condition}. It lost 0 of ${count(acked)} acknowledged writes in ${all} (${trials}${each}).`;
}

/**
 * @param {Choice} choice
 * @returns {string[]} one sentence: what no mode protects from; empty: nothing such
 */
function hopelessLine({ hopeless }) {
  if (hopeless.length === 0) return [];
  const advice = hopeless.includes(scenarioTitle(staleReplicaPreferred.id, { setting: EMPTY }))
    ? ': keep `replica-priority` of all replicas equal until a new one has the data'
    : '';
  return [`In ${hopeless.join(', ')} each mode tried lost everything${advice}.`];
}

/**
 * @param {Choice} choice
 * @param {Result['stack']} stack
 * @returns {string[]} sentences: the modes for those whose writes have to go on while a node is away; empty: the chosen mode lets them
 */
function goesOnLines({ modeRows, compared }, stack) {
  if (!refusesAway(modeRows[0].one.params, stack)) return [];
  const paramsOf = (/** @type {TrialRow[]} */ rows) => rows[0].one.params;
  const kept = compared.find((rows) => asksAll(paramsOf(rows), stack) && !refusesAway(paramsOf(rows), stack));
  const confirmed = compared.find((rows) => !asksAll(paramsOf(rows), stack));
  return [
    ...(kept ? [`If writes must go on then, unconfirmed until the node is back: ${lostInText(kept)}.`] : []),
    ...(confirmed ? [`If they must ${kept ? 'even ' : ''}be confirmed then: ${lostInText(confirmed)}.`] : []),
  ];
}

/** @param {readonly TrialRow[]} rows of a mode */
function lostInText(rows) {
  const losing = losingOf(rows);
  const where = losing.length === 0 ? 'nothing' : `in ${losing.length} of ${rows.length} faults`;
  const most = losing.length === 0 ? '' : `, most in ${losing[0].fault.title}`;
  return `${rows[0].mode}, which lost ${where}${most}`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} one sentence: what each WAIT lost with four replicas; empty: not tried
 */
function moreReplicasLine(failures) {
  const rows = failures.filter(({ name }) => name === FIVE_NODES).flatMap((benchmark) => scenarioRows(benchmark));
  const modes = [...new Set(rows.map(({ mode }) => mode))];
  if (modes.length === 0) return [];
  const worsts = modes.slice(0, MOST_NAMED).map((mode) => ({ mode, worst: worstOf(testedOf(rows, mode)) }));
  const parts = worsts.map(
    ({ mode, worst }) => `${mode} ${worst ? milliseconds((worst.loss.seconds ?? 0) * 1000) : 'none'}`,
  );
  // details.md has who was on which side.
  const places = [...new Set(worsts.flatMap(({ worst }) => worst?.fault.title.split(',')[0] ?? []))];
  const where = places.length === 0 ? '' : ` (${places.join('; ')})`;
  return [`WAIT has to ask for every replica. With four replicas, most lost: ${parts.join(', ')}${where}.`];
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
  const where = faults.length > 1 ? `one or more of ${faults.join(', ')}` : faults[0];
  return [`Lost ${ALL}, the whole data set, in ${where}: ${modes.join(', and ')}.`];
}

/**
 * @param {readonly TrialRow[]} rows
 * @returns {string[]} one sentence: the ways of a planned failover that lost nothing; empty: none was tried, or the bare command lost nothing, too
 */
function plannedLine(rows) {
  const planned = rows.filter(({ benchmark }) => benchmark.name === plannedFailover.id);
  const title = scenarioTitle(plannedFailover.id);
  const bare = planned.filter(({ fault }) => fault.title === title);
  const ways = [...new Set(planned.map(({ fault }) => fault.title))].filter(
    (way) => way !== title && planned.every(({ fault, loss }) => fault.title !== way || loss.most === 0),
  );
  if (ways.length === 0 || losingOf(bare).length === 0) return [];
  const safe = planned.filter(({ fault }) => ways.includes(fault.title));
  const acked = safe.reduce((sum, { loss }) => sum + loss.acked, 0);
  const modes = (/** @type {readonly TrialRow[]} */ some) => plural(new Set(some.map(({ mode }) => mode)).size, 'mode');
  return [
    `Plan a ${ways.join(' or a ')}: 0 of ${count(acked)} acknowledged writes lost with ${modes(safe)} (${trialsText(safe.map(({ loss }) => loss))} each). A bare \`${title}\` lost some with ${losingOf(bare).length} of ${modes(bare)}.`,
  ];
}

/**
 * @param {readonly TrialRow[]} rows
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
function outageLine(rows, choice, stack) {
  const all = rows.filter(({ fault }) => fault.title === scenarioTitle(KILLED));
  const killed = all.filter(({ refused }) => refused === null);
  if (killed.length === 0)
    return all.length === 0
      ? []
      : [`Outage after a kill: not measured, because writes were refused for another reason (${all[0].refused}).`];
  const chosen = killed.find(({ mode }) => mode === choice?.mode);
  if (choice && chosen?.untilHealed && asksAll(chosen.one.params, stack)) {
    const stops = refusesAway(chosen.one.params, stack) ? 'all writes stop' : 'no write is confirmed';
    return [
      `Its price: ${stops} while any node is away, also after a failover, until it is back. The outage after a kill (${milliseconds(chosen.outage.medianMs)}) ended only with our restart.`,
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
  const text = times.length === 0 ? [] : [rangeOrOne(low, high, milliseconds)];
  const worst = areMany(rows.map(({ loss }) => loss))
    ? `, worst trial ${milliseconds(Math.max(...rows.map(({ outage }) => outage.highMs)))}`
    : '';
  return `${[...text, ...end].join(' or ')}${worst}`;
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
  const theirs = modesOf(failures, LIBRARY_WRITERS);
  return [
    ...(theirs.length > 0
      ? [
          `The figures above are of the tool’s own client. Libraries and the clients of \`examples/\` were tried with ${theirs.join(' and ')} only (below).`,
        ]
      : []),
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

/** @param {Choice} choice */
function openLine({ modeRows }) {
  const trials = Math.min(...modeRows.map(({ loss }) => loss.trials));
  return `How sure: ${plural(trials, 'trial')} without a loss ${trials === 1 ? 'is' : 'are'} few. Each time one of these faults happens, the risk of a loss may still be ${percent(riskBound(trials))} (95% confidence).`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {Choice} choice
 * @param {Result['stack']} stack
 */
function uncoveredLine(failures, { mode }, { path }) {
  const theirs = modesOf(failures, DEFAULT_WRITERS);
  const tried = modesOf(failures, EXAMPLE_WRITERS);
  const emptied = failures.some(
    ({ name, cases }) => name === staleReplicaPreferred.id && cases.some(({ params }) => params.setting === EMPTY),
  );
  const parts = [
    ...untestedFaults(failures),
    ...(emptied ? [] : ['an empty replica with priority']),
    path === 'loopback' ? 'network delay' : 'a network between machines',
    ...(tried.includes(mode)
      ? []
      : [`${theirs.includes(mode) ? '' : 'client libraries and '}the client to paste in this mode`]),
    ...(tried.includes(mode) && theirs.length > 0 && !theirs.includes(mode)
      ? ['clients other than those of `examples/` in this mode']
      : []),
  ];
  return `Not covered: ${parts.join('; ')}.`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} severe faults that the run does not have
 */
export function untestedFaults(failures) {
  const has = (/** @type {string} */ fault) => failures.some(({ name }) => name === fault);
  return [
    ...(has(POWER_LOST) ? [] : ['power loss']),
    ...(has(MACHINE_LOST) ? [] : ['machine lost']),
    ...(has(POWER_LOST) && !has(powerLostEverywhere.id) ? ['power lost on several nodes at once'] : []),
  ];
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {readonly string[]} writers
 * @returns {string[]} titles of the modes in which any of them wrote
 */
function modesOf(failures, writers) {
  const groups = failures.flatMap((benchmark) => groupsOf(benchmark, { writers }));
  return [...new Set(groups.map(({ case: { params } }) => modeTitle(params)))];
}
