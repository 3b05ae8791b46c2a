/**
 * The timeline of one trial: its marks, its phases, and both as text.
 */

import { median } from '../../stats/statistics.js';
import { code, fold, list, rightAligned, table, text } from '../blocks.js';
import { compress, count, rate, sparkline } from '../format.js';
import { auditsOf, milliseconds, PLAIN_TITLES, total, trialsOf, unavailableOf } from './figures.js';

/**
 * @import { MarkValue, TrialResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Block } from '../blocks.js'
 */

/**
 * @typedef {Object} Turn a mark that starts a new phase of a trial
 * @property {string} letter
 * @property {MarkValue} mark
 * @property {number} step in which it falls, counted from 0
 *
 * @typedef {Object} Phase from one turn to the next, in whole steps; the step of a turn belongs to the phase that the
 *   turn begins
 * @property {Turn[]} turns at its beginning; several if they fall into one step; empty: the start of the load
 * @property {PhaseFigures[]} writers
 *
 * @typedef {Object} PhaseFigures
 * @property {string} writer
 * @property {number} ackedPerSecond
 * @property {number} underAcked
 * @property {number} rejected
 * @property {number} unknown
 * @property {number} unsent
 * @property {number | null} highestP99Ms of a step; null: no write was answered OK
 *
 * @typedef {Object} Worst
 * @property {TrialResult} trial
 * @property {number} rounds number of trials of the case
 * @property {number} lost acknowledged writes
 * @property {number | null} unavailableMs the longest of its writers; Infinity: to the end; null: no audit
 */

/** @typedef {Worst & {one: CaseResult}} CaseWorst the worst trial of a case */

/** Messages of Sentinels that are a turn: the first one from any Sentinel about a node. */
const TELLING = ['+odown', '+switch-master'];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Columns of a line of the text chart, the name of the writer included. */
const WIDTH = 80;
const LEAST_NAME_WIDTH = 8;
const MOST_NAME_WIDTH = 30;
/** Times shown for a mark; the others are counted. */
const SHOWN_TIMES = 6;
const MINUS = '\u2212';

/**
 * The worst trial of a case: most acknowledged writes lost, then longest unavailable.
 *
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @returns {Worst | null} null: the case has no timeline
 */
export function worstTrial(benchmark, one) {
  const trials = trialsOf(benchmark, one);
  const audits = auditsOf(benchmark, one);
  const judged = trials.map((trial) => {
    const trialAudits = audits.filter(({ round }) => round === trial.round);
    return {
      trial,
      rounds: trials.length,
      lost: total(trialAudits, 'ackedLost'),
      unavailableMs: trialAudits.length === 0 ? null : unavailableOf(trialAudits).highMs,
    };
  });
  const [first, ...others] = judged;
  return first === undefined ? null : others.reduce((worst, each) => (isWorse(each, worst) ? each : worst), first);
}

/**
 * @param {Worst} a
 * @param {Worst} b
 * @returns {boolean} a lost more, or equally much in a longer outage
 */
export function isWorse(a, b) {
  return a.lost > b.lost || (a.lost === b.lost && (a.unavailableMs ?? -1) > (b.unavailableMs ?? -1));
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {(params: CaseResult['params']) => string} [fault] of cases with one text only the worst; default: every case
 * @returns {CaseWorst[]} in the order of the cases; those without a timeline have none
 */
export function worstTrials(benchmark, fault) {
  const all = benchmark.cases.flatMap((one) => {
    const worst = worstTrial(benchmark, one);
    return worst ? [{ one, ...worst }] : [];
  });
  if (!fault) return all;
  /** @type {Map<string, CaseWorst>} */
  const worst = new Map();
  for (const each of all) {
    const known = worst.get(fault(each.one.params));
    if (!known || isWorse(each, known)) worst.set(fault(each.one.params), each);
  }
  return all.filter((each) => worst.get(fault(each.one.params)) === each);
}

/** @param {TrialResult} trial */
export function stepsOf({ writers }) {
  return Math.max(0, ...writers.map(({ acked }) => acked.length));
}

/**
 * @param {TrialResult} trial
 * @returns {Turn[]} while the writers wrote, by time: all marks of the harness, and the first mark of each decision of the Sentinels
 */
export function turnsOf(trial) {
  const { marks, stepMs } = trial;
  const steps = stepsOf(trial);
  const seen = new Set();
  return marks
    .filter(({ who, what, detail }) => {
      if (who === 'harness') return true;
      const key = `${what} ${detail}`;
      if (!TELLING.includes(what) || seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .map((mark) => ({ mark, step: Math.floor(mark.afterMs / stepMs) }))
    .filter(({ step }) => step >= 0 && step < steps)
    .sort((a, b) => a.mark.afterMs - b.mark.afterMs)
    .slice(0, LETTERS.length)
    .map((turn, i) => ({ ...turn, letter: LETTERS[i] }));
}

/**
 * @param {TrialResult} trial
 * @returns {Phase[]} none when there are no steps
 */
export function phasesOf(trial) {
  const { stepMs } = trial;
  const end = stepsOf(trial);
  if (end === 0) return [];
  const turns = turnsOf(trial);
  const starts = [...new Set([0, ...turns.map(({ step }) => step)])];
  return starts.map((start, i) => {
    const next = starts[i + 1] ?? end;
    return {
      turns: turns.filter(({ step }) => step === start),
      writers: trial.writers.map((writer) => figuresOf(writer, start, next, stepMs)),
    };
  });
}

/**
 * @param {TrialResult['writers'][number]} writer
 * @param {number} from step
 * @param {number} to step, not included
 * @param {number} stepMs
 * @returns {PhaseFigures}
 */
function figuresOf({ writer, p99Ms, ...counts }, from, to, stepMs) {
  const sum = (/** @type {number[]} */ steps) => steps.slice(from, to).reduce((all, count) => all + count, 0);
  const p99s = p99Ms.slice(from, to).filter((p99) => p99 !== null);
  return {
    writer,
    ackedPerSecond: sum(counts.acked) / (((to - from) * stepMs) / 1000),
    underAcked: sum(counts.underAcked),
    rejected: sum(counts.rejected),
    unknown: sum(counts.unknown),
    unsent: sum(counts.unsent),
    highestP99Ms: p99s.length === 0 ? null : Math.max(...p99s),
  };
}

/**
 * Groups marks of the same kind about the same node.
 *
 * @param {readonly MarkValue[]} marks
 * @returns {{what: string, detail: string, times: {who: string, afterMs: number}[]}[]} in order of the first mark of each
 */
function groupMarks(marks) {
  /** @type {Map<string, {what: string, detail: string, times: {who: string, afterMs: number}[]}>} */
  const groups = new Map();
  for (const { what, detail, who, afterMs } of [...marks].sort((a, b) => a.afterMs - b.afterMs)) {
    const key = JSON.stringify([what, detail]);
    const group = groups.get(key) ?? { what, detail, times: [] };
    group.times.push({ who, afterMs });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * @param {TrialResult} trial
 * @param {Titles} [titles]
 * @returns {Block[]} a row of block characters for each writer, and folded below it the phases and the marks that begin none; without
 *   steps all marks
 */
export function timelineBlocks(trial, titles = PLAIN_TITLES) {
  if (stepsOf(trial) === 0) return markBlocks(trial, titles);
  const toldMarks = new Set(turnsOf(trial).map(({ mark }) => mark));
  return [
    code(chartOf(trial, titles)),
    fold('in figures', [phaseTable(trial, titles), ...markBlocks(trial, titles, toldMarks)]),
  ];
}

/**
 * @param {TrialResult} trial with steps
 * @param {Titles} [titles]
 * @returns {string} lines of at most 80 columns, except for long details of marks
 */
export function chartOf(trial, titles = PLAIN_TITLES) {
  const { stepMs, writers } = trial;
  const steps = stepsOf(trial);
  // A result from elsewhere may have writers with any name.
  const names = writers.map(({ writer }) => titles.writer(writer).slice(0, MOST_NAME_WIDTH));
  const nameWidth = Math.max(LEAST_NAME_WIDTH, ...names.map((name) => name.length + 1));
  const width = Math.ceil(steps / (WIDTH - nameWidth));
  const rows = writers.map(({ acked }, i) => ({ name: names[i], means: compress(acked, width) }));
  const full = Math.max(0, ...rows.flatMap(({ means }) => means));
  const turns = turnsOf(trial);
  const time = timeSince(trial);
  const indent = ' '.repeat(nameWidth);
  const ends = [time(0), time(steps * stepMs)];
  const gap = Math.max(2, Math.ceil(steps / width) - ends[0].length - ends[1].length);
  return [
    ...rows.map(({ name, means }) => `${name.padEnd(nameWidth)}${sparkline(means, full)}`),
    ...placeLabels(turns.map(({ letter, step }) => ({ text: letter, column: Math.floor(step / width) }))).map(
      (line) => `${indent}${line}`,
    ),
    `${indent}${ends[0]}${' '.repeat(gap)}${ends[1]}`,
    '',
    full === 0
      ? 'no write was acked'
      : `acked writes, a column is ${milliseconds(width * stepMs)}; █ ${rate((full * 1000) / stepMs)}, · none`,
    ...turns.map(({ letter, mark: { afterMs, what, detail, who } }) => {
      const by = who === 'harness' ? '' : `(${who})`;
      return `${letter}  ${time(afterMs)}  ${oneLine(`${what} ${detail} ${by}`)}`;
    }),
  ].join('\n');
}

/** Outcomes of a phase that have a column if they happened in any phase. */
const OTHER_OUTCOMES = /** @type {const} */ (['underAcked', 'rejected', 'unknown', 'unsent']);

/**
 * The chart above it says when each phase begins.
 *
 * @param {TrialResult} trial with steps
 * @param {Titles} titles
 */
function phaseTable(trial, titles) {
  const phases = phasesOf(trial);
  const happened = OTHER_OUTCOMES.filter((outcome) =>
    phases.some(({ writers }) => writers.some((figures) => figures[outcome] > 0)),
  );
  return table(
    ['phase begins with', 'writer', ...rightAligned(['acked', ...happened, 'highest p99'])],
    phases.flatMap(({ turns, writers }) => {
      const begins = turns.map(({ letter, mark }) => `${letter} ${mark.what}`).join(', ') || 'start of the load';
      return writers.map((figures, i) => [
        // Only the first writer's row names the phase.
        i === 0 ? begins : '',
        titles.writer(figures.writer),
        figures.ackedPerSecond === 0 ? '0' : rate(figures.ackedPerSecond),
        ...happened.map((outcome) => count(figures[outcome])),
        milliseconds(figures.highestP99Ms),
      ]);
    }),
  );
}

/**
 * @param {TrialResult} trial
 * @param {Titles} titles
 * @param {ReadonlySet<MarkValue>} [toldMarks] marks that the reader knows already
 * @returns {Block[]} empty without other marks
 */
function markBlocks(trial, titles, toldMarks = new Set()) {
  const time = timeSince(trial);
  const marks = trial.marks.filter((mark) => !toldMarks.has(mark));
  const isWriter = (/** @type {string} */ who) => trial.writers.some(({ writer }) => writer === who);
  const lines = groupMarks(marks).map(({ what, detail, times }) => {
    const shown = times
      .slice(0, SHOWN_TIMES)
      .map(({ who, afterMs }) => `${isWriter(who) ? titles.writer(who) : who} ${time(afterMs)}`);
    const more = times.length - SHOWN_TIMES;
    if (more > 0) shown.push(`and ${more} more until ${time(times[times.length - 1].afterMs)}`);
    return `${detail === '' ? what : `${what}, ${detail}`} (${shown.join(', ')})`;
  });
  if (lines.length === 0) return [];
  const zero = faultOf(trial) === null ? ', by the time since the writers began' : '';
  return [text(`${toldMarks.size === 0 ? 'Marks' : 'Other marks'}${zero}:`), list(lines)];
}

/**
 * @param {TrialResult} trial
 * @returns {(afterMs: number) => string} since the first fault began; without a fault, since the writers began
 */
function timeSince(trial) {
  const zero = faultOf(trial)?.from ?? 0;
  return (afterMs) => {
    const ms = afterMs - zero;
    const seconds = (Math.abs(ms) / 1000).toFixed(3);
    // Milliseconds, because marks are often only a few milliseconds apart.
    return `${ms < 0 && Number(seconds) > 0 ? MINUS : ''}${seconds} s`;
  };
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}

const NOT_ELECTED = '-failover-abort-not-elected';

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {{from: number, to: number, detail: string} | null} from the first fault, with its detail, to the last undoing, in
 *   milliseconds since the writers began; `to` is Infinity if no fault was undone; null: no fault
 */
export function faultOf({ marks }) {
  const begun = marks.find(({ what }) => what === 'fault begun');
  const to = marks.findLast(({ what }) => what === 'fault undone')?.afterMs;
  return begun ? { from: begun.afterMs, to: to ?? Number.POSITIVE_INFINITY, detail: begun.detail } : null;
}

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} true: a Sentinel reported a promotion
 */
export function sawFailover({ marks }) {
  return marks.some(({ what }) => what === '+switch-master');
}

/** A script marks a fault that leaves no side able to promote a replica. Such a trial counts without a promotion, whatever its benchmark needs. */
export const NO_PROMOTION_DUE = 'no promotion is due';

/** Something else than the harness, such as a supervisor, started the primary again before a replica was promoted. Such a trial counts, too. */
export const RESTARTED = 'found restarted by a supervisor';

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} false: its script found that nobody could promote a replica, or the primary was back before
 */
export function isPromotionDue({ marks }) {
  return !marks.some(({ who, what }) => who === 'harness' && (what === NO_PROMOTION_DUE || what === RESTARTED));
}

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} a supervisor restarted the primary, and no replica was promoted
 */
export function wasRestarted(trial) {
  return trial.marks.some(({ what }) => what === RESTARTED) && !sawFailover(trial);
}

/**
 * A trial without a promotion that was due shows neither what a failover loses nor how long it takes.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {BenchmarkResult} with the audits and timelines of the trials that saw a failover, or in which none was due
 */
export function failoversOf(benchmark) {
  const timeline = (benchmark.timeline ?? []).filter((trial) => sawFailover(trial) || !isPromotionDue(trial));
  const audit = (benchmark.audit ?? []).filter((each) =>
    timeline.some((trial) => trial.case === each.case && trial.round === each.round),
  );
  return { ...benchmark, timeline, audit };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {BenchmarkResult} without the audits of trials in which a supervisor restarted the primary
 */
export function withoutRestarted(benchmark) {
  const restarted = (benchmark.timeline ?? []).filter(wasRestarted);
  const audit = (benchmark.audit ?? []).filter(
    (each) => !restarted.some((trial) => trial.case === each.case && trial.round === each.round),
  );
  return { ...benchmark, audit };
}

/**
 * Sentinels that start an election at the same moment can split the votes. Then no one has a majority, and they try again after
 * twice their failover-timeout (`sentinelStartFailoverIfNeeded` in Redis's src/sentinel.c).
 *
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} true: Sentinels tried, but none was elected while the writers wrote
 */
export function electedNobody(trial) {
  return trial.marks.some(({ what }) => what === NOT_ELECTED) && !sawFailover(trial);
}

/**
 * @param {TrialResult} trial
 * @param {'rejected' | 'underAcked' | 'unknown' | 'unsent'} outcome
 * @returns {number | null} milliseconds from the fault to the first step with such a write; null: no such step
 */
export function firstStep(trial, outcome) {
  const fault = faultOf(trial);
  if (!fault) return null;
  const firsts = trial.writers.flatMap((writer) => {
    const index = writer[outcome].findIndex((number, step) => number > 0 && (step + 1) * trial.stepMs > fault.from);
    return index < 0 ? [] : Math.max(0, index * trial.stepMs - fault.from);
  });
  return firsts.length === 0 ? null : Math.min(...firsts);
}

/**
 * @param {readonly TrialResult[]} trials
 * @returns {{before: number | null, during: number | null}} the median, over the steps of all writers and trials, of a step's
 *   p99 response time in milliseconds; null: no such step
 */
export function duringFault(trials) {
  /** @type {number[]} */
  const before = [];
  /** @type {number[]} */
  const during = [];
  for (const trial of trials) {
    const fault = faultOf(trial);
    if (!fault) continue;
    for (const { p99Ms } of trial.writers) {
      p99Ms.forEach((value, step) => {
        const begins = step * trial.stepMs;
        const ends = begins + trial.stepMs;
        if (value === null) return;
        if (ends <= fault.from) before.push(value);
        else if (begins >= fault.from && ends <= fault.to) during.push(value);
      });
    }
  }
  return {
    before: before.length === 0 ? null : median(before),
    during: during.length === 0 ? null : median(during),
  };
}

/**
 * @param {readonly {column: number, text: string}[]} labels one character each; columns ≥ 0
 * @returns {string[]} lines with each label at its column; labels with the same column go to further lines
 */
export function placeLabels(labels) {
  /** @type {string[][]} */
  const lines = [];
  for (const { column, text } of labels) {
    let line = lines.find((cells) => cells[column] === undefined);
    if (!line) {
      line = [];
      lines.push(line);
    }
    line[column] = text;
  }
  return lines.map((cells) => Array.from(cells, (cell) => cell ?? ' ').join(''));
}
