/**
 * Heat maps of scenarios and modes: losses for the page; outages and the age of stale reads for details.md. texts.yaml has their specifications.
 *
 * @import { BenchmarkResult, CaseResult, Result } from '../../src/result/schema.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { Square } from '../../src/report/charts/grid.js'
 * @import { Group } from '../../src/report/trials/figures.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { ModeLoss } from './queries.js'
 */

import { auditsOf, isFailureBenchmark, staleReadsOf, trialsOf, unavailableOf } from '../../src/audit/of-trials.js';
import { ALL, count } from '../../src/format.js';
import { writerTitle } from '../../src/registry/writers.js';
import { EVERYTHING } from '../../src/report/charts/chart.js';
import { gridChart, rowOf } from '../../src/report/charts/grid.js';
import { FORMATS } from '../../src/report/specs.js';
import { groupsOf, milliseconds } from '../../src/report/trials/figures.js';
import { stepsOf, zeroOf } from '../../src/report/trials/timeline.js';
import { filled } from '../../src/sentences.js';
import { MS_A_SECOND } from '../../src/units.js';
import { variationTitle, withoutLength } from '../experiments/cases.js';
import { scenarioRows, scenarioTitle } from '../experiments/rows.js';
import { modeTitle } from '../modes.js';
import { WORDS } from './words.js';

const { lost: LOSSES, unavailable: OUTAGES, stale: STALE } = WORDS.charts;
/** In a square, between an outage and the writes lost meanwhile. */
const LOST = '\nlost ';

/**
 * @param {readonly ModeLoss[]} losses
 * @param {{modes: readonly string[], faults: readonly string[], id?: string}} shown
 * @returns {Chart | null} null: fewer than two faults or modes, or no loss
 */
export function lossChart(losses, { modes, faults, id = 'failures.lost' }) {
  const squares = faults.flatMap((scenario) =>
    losses
      .filter(({ fault, title, seconds }) => fault === scenario && modes.includes(title) && seconds !== null)
      .map(({ title, all, seconds, writes, losing, trials }) => ({
        ...{ scenario, writer: '', column: title },
        value: all ? EVERYTHING : Number(seconds),
        text: all ? ALL : FORMATS.seconds(seconds),
        more: [writes, losing, trials],
      })),
  );
  const losing = squares.filter(({ value }) => value > 0).length;
  if (losing === 0) return null;
  return gridChart({ ...LOSSES, id, alt: filled(LOSSES.alt, { losing, all: squares.length }), squares, order: modes });
}

/**
 * @param {Result} result
 * @returns {Chart[]} outages and stale reads; empty when fewer than two scenarios or modes were measured
 */
export function failureOverview({ benchmarks }) {
  const failures = benchmarks.filter(isFailureBenchmark);
  return [outageChart(outages(failures)), staleChart(staleReads(failures))].filter((chart) => chart !== null);
}

/** @param {Square[]} all */
function outageChart(all) {
  const squares = joinWriters(
    worstLengths(all),
    (a, b) => gradeOf(a.value) === gradeOf(b.value) && isEndless(a) === isEndless(b) && !isLosing(a) && !isLosing(b),
  );
  const losing = squares.filter(isLosing).length;
  const longest = mostText(
    OUTAGES.longest,
    squares.filter((square) => !isLosing(square)),
  );
  const alt = filled(OUTAGES.alt, { losing: count(losing), all: count(squares.length), longest });
  return gridChart({ ...OUTAGES, alt, note: noted(OUTAGES.note, all), squares });
}

/** @param {Square[]} all */
function staleChart(all) {
  const squares = worstLengths(all);
  return gridChart({ ...STALE, alt: mostText(STALE.longest, squares), note: noted(STALE.note, all), squares });
}

/** @param {string} note @param {readonly Square[]} squares that end with the length of the fault @returns {string} says so if there are several */
function noted(note, squares) {
  return filled(note, { lengths: squares.some(({ more }) => more.at(-1) !== null) ? WORDS.lengths : '' });
}

/** @param {string} words @param {readonly Square[]} squares @returns {string} about the largest */
function mostText(words, squares) {
  const most = mostOf(squares);
  return most ? filled(words, { text: most.text, row: rowOf(most), column: most.column }) : '';
}

/** @param {BenchmarkResult[]} benchmarks @returns {Square[]} the longer of two times: the outage, and the seconds of acknowledged writes lost */
function outages(benchmarks) {
  const rows = benchmarks.flatMap((benchmark) => scenarioRows(benchmark, { writers: undefined, each: true }));
  const losses = new Map(rows.map((row) => [lossKey(row), row.loss]));
  return eachGroup(benchmarks).flatMap(({ benchmark, scenario, group: { case: one, writer, audits } }) => {
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
}

/** @param {BenchmarkResult[]} benchmarks @returns {Square[]} */
function staleReads(benchmarks) {
  return benchmarks.flatMap((benchmark) =>
    benchmark.cases
      .filter(({ params }) => params.client === 'native')
      .flatMap((one) => {
        const { answered, stale, longestMs } = staleReadsOf(trialsOf(benchmark, one));
        const place = { scenario: faultTitle(benchmark, one), writer: '', column: modeTitle(one.params) };
        const more = [stale, answered, lengthOf(one)];
        return answered === 0 ? [] : [{ ...place, value: longestMs, text: milliseconds(longestMs), more }];
      }),
  );
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

/** @param {BenchmarkResult} benchmark @param {CaseResult} one @returns {string} the same for every length of the fault */
function faultTitle({ name }, { params }) {
  return scenarioTitle(name, withoutLength(params));
}

/** @param {CaseResult} one @returns {string | null} of its fault; null: the fault was tried at one length */
function lengthOf({ params }) {
  const title = variationTitle(params);
  return title === '' || variationTitle(withoutLength(params)) !== '' ? null : title;
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
  return OUTAGES.limits.filter((/** @type {number} */ limit) => ms >= limit).length;
}
