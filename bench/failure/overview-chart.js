/**
 * Heat maps of scenarios and modes for details.md: outage, and age of stale reads.
 *
 * @import { BenchmarkResult, CaseResult, Result } from '../../src/result/schema.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { Grid, Square } from '../../src/report/charts/grid.js'
 * @import { Group } from '../../src/report/trials/figures.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { auditsOf, isFailureBenchmark, staleReadsOf, trialsOf, unavailableOf } from '../../src/audit/of-trials.js';
import { ALL, count } from '../../src/format.js';
import { writerTitle } from '../../src/registry/writers.js';
import { EVERYTHING } from '../../src/report/charts/chart.js';
import { gridChart, rowOf } from '../../src/report/charts/grid.js';
import { groupsOf, milliseconds } from '../../src/report/trials/figures.js';
import { stepsOf } from '../../src/report/trials/timeline.js';
import { zeroOf } from '../../src/report/trials/timeline-parts.js';
import { MS_A_SECOND } from '../../src/units.js';
import { variationTitle, withoutLength } from '../experiments/cases.js';
import { scenarioRows, scenarioTitle } from '../experiments/rows.js';
import { modeTitle } from '../modes.js';

/** Milliseconds at which an outage has a darker colour. */
const OUTAGE_LIMITS = [100, 1000, 10_000];
/** Of the table: the length of the fault that was worst. */
const LENGTH = 'length of the fault';
const LENGTHS_NOTE = ' Of several lengths of a fault the worst; details.md has each.';
/** In a square, between an outage and the writes lost meanwhile. */
const LOST = '\nlost ';

/**
 * @param {Result} result
 * @returns {Chart[]} outages and stale reads; empty when fewer than two scenarios or modes were measured
 */
export function failureOverview({ benchmarks }) {
  const failures = benchmarks.filter(isFailureBenchmark);
  return [unavailableGrid(failures), staleGrid(failures)].map(gridChart).filter((chart) => chart !== null);
}

/**
 * @param {BenchmarkResult[]} benchmarks
 * @returns {Grid} of the longer of two times: the outage, and the seconds of acknowledged writes lost
 */
function unavailableGrid(benchmarks) {
  const rows = benchmarks.flatMap((benchmark) => scenarioRows(benchmark, { writers: undefined, each: true }));
  const losses = new Map(rows.map((row) => [lossKey(row), row.loss]));
  const all = eachGroup(benchmarks).flatMap(({ benchmark, scenario, group: { case: one, writer, audits } }) => {
    const { medianMs, toTheEnd } = unavailableOf(audits);
    const endless = !Number.isFinite(medianMs);
    // An outage without an end is known to last at least until the writers stopped.
    const outage = endless ? silenceAtTheEnd(benchmark, one, writer) : medianMs;
    if (outage === null) return [];
    const place = { scenario, writer: writerTitle(writer), column: modeTitle(one.params) };
    const loss = losses.get(lossKey({ benchmark, one, writer: place.writer }));
    const lostMs = MS_A_SECOND * (loss?.seconds ?? 0);
    const emptied = loss?.everything ?? false;
    const lost = lostMs === 0 ? '' : `${LOST}${emptied ? ALL : milliseconds(lostMs)}`;
    const text = `${endless ? '>' : ''}${milliseconds(outage)}${lost}`;
    const value = emptied ? EVERYTHING : Math.max(outage, lostMs);
    return [{ ...place, value, text, more: [outage, lostMs, toTheEnd, lengthOf(one)] }];
  });
  const squares = joinWriters(
    worstLengths(all),
    (a, b) => gradeOf(a.value) === gradeOf(b.value) && isEndless(a) === isEndless(b) && !isLosing(a) && !isLosing(b),
  );
  const longest = mostOf(squares.filter((square) => !isLosing(square)));
  const losing = squares.filter(isLosing);
  return {
    id: 'failures.unavailable',
    title: 'Outages, and acknowledged writes lost meanwhile',
    alt:
      `Writes lost meanwhile in ${count(losing.length)} of ${count(squares.length)}.` +
      (longest ? ` Longest outage without a loss: ${longest.text}, in ${rowOf(longest)} with ${longest.column}.` : ''),
    note:
      'First line: the longest time without an acknowledgement after the fault began, median of the trials; >: until the writers stopped. ' +
      'Second line: seconds of acknowledged writes lost in the worst trial. The longer time gives the colour, because a lost write was not acknowledged for good. Empty: not measured. A row ' +
      `without a client: the longest of its clients.${hasLengths(all) ? LENGTHS_NOTE : ''}`,
    value: { name: 'outage or loss', format: 'outageOrLoss' },
    more: [
      { name: 'outage', format: 'milliseconds' },
      { name: 'lost', format: 'milliseconds' },
      { name: 'trials to the end', format: 'count' },
      { name: LENGTH },
    ],
    limits: OUTAGE_LIMITS,
    names: ['none', 'below 100 ms', '100 ms to 1 s', '1 to 10 s', '10 s and more', ALL],
    squares,
  };
}

/** @param {BenchmarkResult[]} benchmarks @returns {Grid} */
function staleGrid(benchmarks) {
  const all = benchmarks.flatMap((benchmark) =>
    benchmark.cases
      .filter(({ params }) => params.client === 'native')
      .flatMap((one) => {
        const { answered, stale, longestMs } = staleReadsOf(trialsOf(benchmark, one));
        if (answered === 0) return [];
        const place = {
          scenario: faultTitle(benchmark, one),
          writer: '',
          column: modeTitle(one.params),
        };
        return [{ ...place, value: longestMs, text: milliseconds(longestMs), more: [stale, answered, lengthOf(one)] }];
      }),
  );
  const squares = worstLengths(all);
  const longest = mostOf(squares);
  return {
    id: 'failures.stale',
    title: 'Oldest acknowledged write that a replica did not show, by scenario and mode',
    alt: longest ? `At most ${longest.text}, in ${rowOf(longest)} with ${longest.column}.` : '',
    note: `Reads on a replica right after an acknowledgement: the longest time until an answer without the write, of all trials. Empty: not measured.${hasLengths(all) ? LENGTHS_NOTE : ''}`,
    value: { name: 'longest stale', format: 'milliseconds' },
    more: [{ name: 'stale reads', format: 'count' }, { name: 'reads answered', format: 'count' }, { name: LENGTH }],
    limits: [10, 100, 1000],
    names: ['none', 'below 10 ms', '10 to 100 ms', '100 ms to 1 s', '1 s and more'],
    squares,
  };
}

/** @param {BenchmarkResult[]} benchmarks @returns {{benchmark: BenchmarkResult, scenario: string, group: Group}[]} */
function eachGroup(benchmarks) {
  return benchmarks.flatMap((benchmark) =>
    groupsOf(benchmark).map((group) => ({
      benchmark,
      scenario: faultTitle(benchmark, group.case),
      group,
    })),
  );
}

/** @param {Pick<TrialRow, 'benchmark' | 'one' | 'writer'>} row */
function lossKey({ benchmark, one, writer }) {
  return JSON.stringify([benchmark.name, one.id, writer]);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {string} the same for every length of the fault
 */
function faultTitle({ name }, { params }) {
  return scenarioTitle(name, withoutLength(params));
}

/** @param {CaseResult} one @returns {string | null} of its fault; null: the fault was tried at one length */
function lengthOf({ params }) {
  const title = variationTitle(params);
  return title === '' || variationTitle(withoutLength(params)) !== '' ? null : title;
}

/** @param {readonly Square[]} squares that end with a length */
function hasLengths(squares) {
  return squares.some(({ more }) => more[more.length - 1] !== null);
}

/**
 * @param {readonly Square[]} squares one for each length of a fault
 * @returns {Square[]} of each place the one with the largest value
 */
function worstLengths(squares) {
  /** @type {Map<string, Square>} */
  const worst = new Map();
  for (const square of squares) {
    const key = JSON.stringify([square.scenario, square.writer, square.column]);
    if (square.value > (worst.get(key)?.value ?? -1)) worst.set(key, square);
  }
  return [...worst.values()];
}

/**
 * A scenario whose clients fared alike has one row.
 * @param {Square[]} squares
 * @param {(a: Square, b: Square) => boolean} alike
 * @returns {Square[]} by scenario, then by client; of clients alike the larger value
 */
function joinWriters(squares, alike) {
  const scenarios = [...new Set(squares.map(({ scenario }) => scenario))];
  return scenarios.flatMap((name) => {
    const scenarioSquares = squares.filter(({ scenario }) => scenario === name);
    const modes = [...new Set(scenarioSquares.map(({ column }) => column))].map((mode) =>
      scenarioSquares.filter(({ column }) => column === mode),
    );
    if (modes.every((each) => each.every((other) => alike(each[0], other))))
      return modes.map((each) => ({ .../** @type {Square} */ (mostOf(each)), writer: '' }));
    const writers = [...new Set(scenarioSquares.map(({ writer }) => writer))];
    return writers.flatMap((writer) => scenarioSquares.filter((square) => square.writer === writer));
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {string} name of a writer
 * @returns {number | null} milliseconds from its last acknowledgement, or from the fault, to the end of the load; the shortest of the
 *   trials without an end that have steps; null: none has
 */
function silenceAtTheEnd(benchmark, one, name) {
  const rounds = auditsOf(benchmark, one).filter(
    ({ writer, unavailableMs }) => writer === name && unavailableMs === null,
  );
  const times = trialsOf(benchmark, one)
    .filter((trial) => stepsOf(trial) > 0 && rounds.some(({ round }) => round === trial.round))
    .map((trial) => {
      const acked = trial.writers.find(({ writer }) => writer === name)?.acked ?? [];
      const last = acked.findLastIndex((number) => number > 0);
      return Math.max(0, stepsOf(trial) * trial.stepMs - Math.max(zeroOf(trial), (last + 1) * trial.stepMs));
    });
  return times.length === 0 ? null : Math.min(...times);
}

/** @param {readonly Square[]} squares @returns {Square | undefined} with the largest value */
function mostOf(squares) {
  return squares.toSorted((a, b) => b.value - a.value)[0];
}

/** @param {Square} square of a time */
function isEndless({ text }) {
  return text.startsWith('>');
}

/** @param {Square} square of a time */
function isLosing({ text }) {
  return text.includes(LOST);
}

/** @param {number} ms */
function gradeOf(ms) {
  return OUTAGE_LIMITS.filter((limit) => ms >= limit).length;
}
