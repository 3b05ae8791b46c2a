/**
 * How long writes stopped, by mode and fault.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { EndlessCause } from '../../src/report/trials/outages.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */
import { heading, list, text } from '../../src/report/blocks.js';
import { longestSplitBrain, milliseconds, trialsOf } from '../../src/report/trials/figures.js';
import { areMany } from '../../src/report/trials/losses.js';
import { HEALED_MARK, HEALED_NOTE } from '../../src/report/trials/outages.js';
import { trialRows } from '../experiments/cases.js';
import { scenarioRows, scenarioTitle } from '../experiments/rows.js';
import { namedModes } from './answer.js';
import { largest, MOST_COLUMNS, mainModes, modesByFaults } from './grid.js';

const MACHINE_LOST = 'primary-machine-lost';
/** The most common failures, and a partition of groups, come first even if the outages of others are longer. */
const USUAL = Object.freeze(['primary-killed', MACHINE_LOST, 'primary-partition', 'partition-with-replica']);
const OUTAGE_MS = 1000;
/** Marks an outage during which acknowledged writes were lost. */
const LOSING_MARK = '†';
/** Marks one that has another reason than the fault. */
const REFUSED_MARK = '‡';

/** Faults with two primaries that are named. */
const MOST_SPLITS = 3;

/**
 * @param {readonly BenchmarkResult[]} failures
 * @param {Result['stack']} stack
 * @returns {Block[]}
 */
export function outageTable(failures, stack) {
  const nativeRows = failures.flatMap((benchmark) => scenarioRows(benchmark));
  const longest = (/** @type {string} */ scenario) =>
    Math.max(...nativeRows.filter(({ fault }) => fault.title === scenario).map(({ outage }) => outage.medianMs));
  const scenarios = [...new Set(nativeRows.map(({ fault }) => fault.title))];
  const usual = USUAL.map((name) => scenarioTitle(name)).filter((scenario) => scenarios.includes(scenario));
  const others = scenarios.filter((scenario) => !usual.includes(scenario));
  const shown = [...usual, ...largest(others, longest, MOST_COLUMNS - usual.length)].filter(
    (scenario) => longest(scenario) >= OUTAGE_MS,
  );
  if (shown.length === 0) return [];
  const inShown = nativeRows.filter(({ fault }) => shown.includes(fault.title));
  // details.md has the modes of a single scenario.
  const several = [...new Set(inShown.map(({ mode }) => mode))].filter(
    (mode) => shown.length === 1 || inShown.filter((row) => row.mode === mode).length > 1,
  );
  const modes = several.length > MOST_COLUMNS ? mainModes(nativeRows, namedModes(failures)) : several;
  const many = areMany(inShown.map(({ loss }) => loss));
  const healed = inShown.some((row) => marksOf(row).includes(HEALED_MARK));
  const times = (/** @type {TrialRow} */ { outage: { medianMs, highMs } }) =>
    many ? `${milliseconds(medianMs)}, ${milliseconds(highMs)}` : milliseconds(medianMs);
  const trials = inShown.some(({ loss }) => loss.trials > 1)
    ? `, median of the trials${many ? ' and worst trial' : ''}`
    : '';
  return [
    heading(2, 'Outage'),
    text(`Longest time without an acknowledgement${trials}, of the client that waited longer.`),
    modesByFaults(
      modes.flatMap((mode) => inShown.filter((row) => row.mode === mode)),
      shown,
      (cell) => `${times(cell)}${marksOf(cell)}`,
    ),
    list([
      ...(inShown.some(({ loss }) => loss.most > 0)
        ? [`${LOSING_MARK}: acknowledged writes were lost meanwhile, so a short outage is not a good sign.`]
        : []),
      ...(healed ? [`${HEALED_NOTE}.`] : []),
      ...refusedText(inShown),
      ...endlessText(inShown.filter(({ mode }) => modes.includes(mode))),
      ...(shown.includes(scenarioTitle(MACHINE_LOST)) ? [machineText(stack)] : []),
      ...splitBrainText(failures),
    ]),
  ];
}

/** Why an outage lasts to the end of the load. @type {Readonly<Record<EndlessCause, string>>} */
const CAUSES = Object.freeze({
  'too few': 'too few replicas were left or in sync for the mode',
  silent: 'nothing told a client that its connection was dead',
});

/**
 * @param {readonly TrialRow[]} rows of the table
 * @returns {string[]} one sentence: what kept which modes waiting in which fault; empty: every outage ended
 */
function endlessText(rows) {
  const endless = rows.filter(
    ({ outage, refused }) => outage.medianMs === Number.POSITIVE_INFINITY && refused === null,
  );
  const causes = /** @type {EndlessCause[]} */ (Object.keys(CAUSES)).flatMap((cause) => {
    const such = endless.filter((row) => row.endless === cause);
    const faults = [...new Set(such.map(({ fault }) => fault.title))].map((title) => {
      const modes = such.filter(({ fault }) => fault.title === title).map(({ mode }) => mode);
      const others = endless.some(({ fault, mode }) => fault.title === title && !modes.includes(mode));
      return others ? `${title} with ${modes.join(', ')}` : title;
    });
    return faults.length === 0 ? [] : [`${CAUSES[cause]} (${faults.join('; ')})`];
  });
  return causes.length === 0 ? [] : [`“to the end”: until the load ended, because ${causes.join(', or ')}.`];
}

/**
 * @param {readonly TrialRow[]} rows of the table
 * @returns {string[]} one sentence; empty: no row had such refusals
 */
function refusedText(rows) {
  const kinds = [...new Set(rows.flatMap(({ refused }) => refused ?? []))];
  if (kinds.length === 0) return [];
  return [
    `${REFUSED_MARK}: writes were refused for another reason than the fault, so this is no outage of a failover (${kinds.join(', ')}).`,
  ];
}

/** @param {TrialRow} row */
function marksOf({ loss, untilHealed, outage, refused }) {
  const marks = [
    ...(loss.most > 0 ? [LOSING_MARK] : []),
    ...(refused === null ? [] : [REFUSED_MARK]),
    ...(untilHealed && outage.medianMs >= OUTAGE_MS ? [HEALED_MARK] : []),
  ];
  return marks.map((mark) => ` ${mark}`).join('');
}

/**
 * A lost machine is the same on every backend. Backends differ in whether clients see their connections closed.
 *
 * @param {Result['stack']} stack
 */
function machineText({ path }) {
  const here =
    path === 'loopback'
      ? 'here the kernel still closes the connections of the killed primary, so clients notice at once; a lost machine closes nothing'
      : 'nothing closes its connections here, as with a real machine; on loopback the kernel does, so the outage is that of a kill';
  return `Machine lost: ${here}. A client without a timeout then waits to the end: set one, such as \`socketTimeout: 3000\` (node-redis, ioredis); those of \`examples/\` give up after 2 to 3 s.`;
}

/**
 * @param {readonly BenchmarkResult[]} failures
 * @returns {string[]} sentences; empty: at no time two primaries accepted writes
 */
function splitBrainText(failures) {
  const longest = failures.flatMap((benchmark) => {
    const times = trialRows(benchmark).map(({ one }) => longestSplitBrain(trialsOf(benchmark, one)) ?? 0);
    const ms = Math.max(0, ...times);
    return ms > 0 ? [{ ms, title: scenarioTitle(benchmark.name) }] : [];
  });
  if (longest.length === 0) return [];
  const parts = longest.sort((a, b) => b.ms - a.ms).map(({ ms, title }) => `${milliseconds(ms)} (${title})`);
  const faults = parts.length > MOST_SPLITS ? ` in ${parts.length} faults, the longest` : '';
  return [`Split brain: two primaries accepted writes${faults} for up to ${parts.slice(0, MOST_SPLITS).join(', ')}.`];
}
