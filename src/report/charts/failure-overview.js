/**
 * What each scenario makes of each durability level, as grids: what was lost, for how long nobody could write, for how long replicas
 * did not show what had been acknowledged.
 */
import { SWEEP } from '../decision.js';
import { stepsOf } from '../failure-timeline.js';
import { auditsOf, groupsOf, isFailureBenchmark, total, trialsOf, unavailableOf } from '../failure-totals.js';
import { levelTitle, milliseconds } from '../failure-words.js';
import { count, percent, plural } from '../format.js';
import { zeroOf } from './failure-windows.js';
import { gridChart, rowOf } from './grid.js';

/**
 * @typedef {import('../schema.js').Result} Result
 * @typedef {import('../schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {import('../failure-totals.js').Group} Group
 * @typedef {import('./types.js').Chart} Chart
 * @typedef {import('./grid.js').Square} Square
 * @typedef {import('./grid.js').Grid} Grid
 */

/** Milliseconds, at which a time without an acknowledgement is told as longer. */
const LONG_MS = [100, 1000, 10_000];
/**
 * @param {Result} result
 * @returns {Chart[]} none when fewer than two scenarios with levels were measured; a sweep has a table of its own
 */
export function failureOverview({ benchmarks }) {
  const failures = benchmarks.filter((each) => isFailureBenchmark(each) && !SWEEP.includes(each.name));
  const grids = [lostGrid(failures), unavailableGrid(failures), staleGrid(failures)];
  return grids.map(gridChart).filter((chart) => chart !== null);
}

/**
 * @param {BenchmarkResult[]} benchmarks
 * @returns {Grid}
 */
function lostGrid(benchmarks) {
  const squares = eachGroup(benchmarks).flatMap(({ scenario, group: { case: one, writer, audits } }) => {
    const [acked, lost] = [total(audits, 'acked'), total(audits, 'ackedLost')];
    if (acked === 0) return [];
    const text = lost === 0 ? '0' : percent(lost / acked);
    return [{ scenario, writer, column: levelTitle(one.params), value: lost / acked, text, more: [lost, acked] }];
  });
  const losing = squares.filter(({ value }) => value > 0);
  const worst = [...losing].sort((a, b) => b.value - a.value)[0];
  return {
    id: 'failures.lost',
    title: 'Acknowledged writes lost, by scenario and level',
    alt:
      `Writes were lost in ${count(losing.length)} of ${plural(squares.length, 'combination')} of scenario, writer and level` +
      (worst ? `; the most, ${worst.text}, in ${rowOf(worst)} with ${worst.column}.` : '.') +
      neverText(squares),
    note: 'Share of the acknowledged writes that are not on the primary after healing. 0: measured, and none was lost. Empty: not measured, or nothing was acknowledged. A row without a writer: every writer lost none.',
    value: { name: 'lost', format: 'percent' },
    more: [
      { name: 'writes lost', format: 'count' },
      { name: 'writes acked', format: 'count' },
    ],
    limits: [0.001, 0.01, 0.1],
    names: ['none', 'below 0.1 %', '0.1 to 1 %', '1 to 10 %', '10 % and more'],
    squares: joinWriters(squares, {
      alike: (a, b) => a.value === 0 && b.value === 0,
      both: (a, b) => ({ ...a, more: a.more.map((figure, i) => Number(figure) + Number(b.more[i])) }),
    }),
  };
}

/**
 * @param {BenchmarkResult[]} benchmarks
 * @returns {Grid}
 */
function unavailableGrid(benchmarks) {
  const each = eachGroup(benchmarks).flatMap(({ benchmark, scenario, group: { case: one, writer, audits } }) => {
    const { medianMs, toTheEnd } = unavailableOf(audits);
    const endless = !Number.isFinite(medianMs);
    // It had no end: of it no more is known than for how long nothing was acked before the writers stopped.
    const value = endless ? silenceAtTheEnd(benchmark, one, writer) : medianMs;
    if (value === null) return [];
    const text = endless ? `>${milliseconds(value)}` : milliseconds(value);
    return [{ scenario, writer, column: levelTitle(one.params), value, text, more: [toTheEnd] }];
  });
  const squares = joinWriters(each, {
    alike: (a, b) => gradeOf(a.value) === gradeOf(b.value) && isEndless(a) === isEndless(b),
    both: (a, b) => ({ ...(b.value > a.value ? b : a), more: [Math.max(Number(a.more[0]), Number(b.more[0]))] }),
  });
  const longest = [...squares].sort((a, b) => b.value - a.value)[0];
  const endless = squares.filter(isEndless);
  return {
    id: 'failures.unavailable',
    title: 'Longest time without an acknowledgement, by scenario and level',
    alt: longest
      ? `From ${milliseconds(Math.min(...squares.map(({ value }) => value)))} to ${longest.text}, in ${rowOf(longest)} with ${longest.column}.` +
        (endless.length === 0
          ? ''
          : ` It lasted until the writers stopped in ${count(endless.length)} of ${plural(squares.length, 'combination')}.`)
      : '',
    note: 'After the fault began; the median of the rounds. With > it lasted until the writers stopped. Empty: not measured. A row without a writer: the longest of its writers, which have the same colour.',
    value: { name: 'unavailable', format: 'milliseconds' },
    more: [{ name: 'rounds to the end', format: 'count' }],
    limits: LONG_MS,
    names: ['none', 'below 100 ms', '100 ms to 1 s', '1 to 10 s', '10 s and more'],
    squares,
  };
}

/**
 * @param {BenchmarkResult[]} benchmarks
 * @returns {Grid}
 */
function staleGrid(benchmarks) {
  const squares = benchmarks.flatMap((benchmark) =>
    benchmark.cases
      .filter(({ params }) => params.client === 'native')
      .flatMap((one) => {
        const scenario = scenarioOf(benchmark, one);
        const trials = trialsOf(benchmark, one);
        const answered = trials.reduce((sum, { reads }) => sum + reads.reads - reads.failed, 0);
        if (answered === 0) return [];
        const stale = trials.reduce((sum, { reads }) => sum + reads.stale, 0);
        const value = Math.max(...trials.map(({ reads }) => reads.longestMs));
        const text = milliseconds(value);
        return [{ scenario, writer: '', column: levelTitle(one.params), value, text, more: [stale, answered] }];
      }),
  );
  const longest = [...squares].sort((a, b) => b.value - a.value)[0];
  return {
    id: 'failures.stale',
    title: 'Oldest acknowledged write that a replica did not show, by scenario and level',
    alt: longest ? `At most ${longest.text}, in ${rowOf(longest)} with ${longest.column}.${neverText(squares)}` : '',
    note:
      'A read on another node than the one that acknowledged the write, right after it: the longest time from the acknowledgement to an ' +
      'answer without the write, of all rounds. 0: no read was stale. Empty: not measured.',
    value: { name: 'longest stale', format: 'milliseconds' },
    more: [
      { name: 'stale reads', format: 'count' },
      { name: 'reads answered', format: 'count' },
    ],
    limits: [10, 100, 1000],
    names: ['none', 'below 10 ms', '10 to 100 ms', '100 ms to 1 s', '1 s and more'],
    squares,
  };
}

/**
 * @param {BenchmarkResult[]} benchmarks
 * @returns {{benchmark: BenchmarkResult, scenario: string, group: Group}[]}
 */
function eachGroup(benchmarks) {
  return benchmarks.flatMap((benchmark) =>
    groupsOf(benchmark).map((group) => ({ benchmark, scenario: scenarioOf(benchmark, group.case), group })),
  );
}

/**
 * A scenario whose writers fared alike has one row: half as many are read twice as fast.
 *
 * @param {Square[]} squares
 * @param {{alike: (a: Square, b: Square) => boolean, both: (a: Square, b: Square) => Square}} how both: two that are alike as one
 * @returns {Square[]} by scenario, then by writer
 */
function joinWriters(squares, { alike, both }) {
  const scenarios = [...new Set(squares.map(({ scenario }) => scenario))];
  return scenarios.flatMap((name) => {
    const own = squares.filter(({ scenario }) => scenario === name);
    const levels = [...new Set(own.map(({ column }) => column))].map((level) =>
      own.filter(({ column }) => column === level),
    );
    if (levels.every((each) => each.every((other) => alike(each[0], other))))
      return levels.map((level) => ({ ...level.reduce(both), writer: '' }));
    const writers = [...new Set(own.map(({ writer }) => writer))];
    return writers.flatMap((writer) => own.filter((square) => square.writer === writer));
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 */
function scenarioOf({ name }, { params: { variant, linkLatencyMs = 0 } }) {
  const link = linkLatencyMs === 0 ? '' : `, link ${milliseconds(linkLatencyMs)}`;
  return `${name}${variant === undefined ? '' : `, ${variant}`}${link}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {string} name of a writer
 * @returns {number | null} milliseconds from its last acknowledgement, or from the fault, to the end of the load; of those rounds in which
 *   it never got one again the shortest; null: there is no timeline
 */
function silenceAtTheEnd(benchmark, one, name) {
  const rounds = auditsOf(benchmark, one).filter(
    ({ writer, unavailableMs }) => writer === name && unavailableMs === null,
  );
  const times = trialsOf(benchmark, one)
    .filter((trial) => rounds.some(({ round }) => round === trial.round))
    .map((trial) => {
      const acked = trial.writers.find(({ writer }) => writer === name)?.acked ?? [];
      const last = acked.findLastIndex((count) => count > 0);
      return Math.max(0, stepsOf(trial) * trial.stepMs - Math.max(zeroOf(trial), (last + 1) * trial.stepMs));
    });
  return times.length === 0 ? null : Math.min(...times);
}

/** @param {Square} square of a time */
function isEndless({ text }) {
  return text.startsWith('>');
}

/** @param {number} ms */
function gradeOf(ms) {
  return LONG_MS.filter((limit) => ms >= limit).length;
}

/** @param {Square[]} squares */
function neverText(squares) {
  const levels = [...new Set(squares.map(({ column }) => column))];
  const never = levels.filter((level) => squares.every(({ column, value }) => column !== level || value === 0));
  return never.length === 0 ? '' : ` None with ${never.join(', ')}.`;
}
