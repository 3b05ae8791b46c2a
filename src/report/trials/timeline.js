/**
 * The timeline of one trial, and which trial is the worst.
 * @import { EventKind } from '../../result/events.js' @import { TrialEvent, TrialResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js' @import { Titles } from '../../run/types.js'
 * @typedef {ReturnType<typeof worstTrials>[number]} CaseWorst the worst trial of a case
 */

import { faultOf, isPromotionDue, sawFailover, wasRestarted } from '../../audit/judgement.js';
import { auditsOf, total, trialsOf, unavailableOf } from '../../audit/of-trials.js';
import { compress, rate, sparkline } from '../../format.js';
import { eventSubject, eventText, eventTitle, HARNESS } from '../../result/events.js';
import { milliseconds, PLAIN_TITLES } from './figures.js';

/** Events of Sentinels that are a turn: the first one from any Sentinel about a node. @type {readonly EventKind[]} */
const TELLING = ['down', 'promoted'];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Columns of a line of the text chart, the name of the writer included. */
const WIDTH = 80;
const LEAST_NAME_WIDTH = 8;
const MOST_NAME_WIDTH = 30;
const SHOWN_TIMES = 6;
const MINUS = '\u2212';

/** @param {BenchmarkResult} benchmark @param {CaseResult} one @returns its worst trial; null: the case has no timeline */
export function worstTrial(benchmark, one) {
  const trials = trialsOf(benchmark, one);
  const audits = auditsOf(benchmark, one);
  const judged = trials.map((trial) => {
    const trialAudits = audits.filter(({ round }) => round === trial.round);
    // Of the writer that waited longest; Infinity: to the end; null: no audit.
    const unavailableMs = trialAudits.length === 0 ? null : unavailableOf(trialAudits).highMs;
    return { trial, rounds: trials.length, lost: total(trialAudits, 'ackedLost'), unavailableMs };
  });
  return judged.sort(worstFirst)[0] ?? null;
}

/** For sorting: most acknowledged writes lost, then longest unavailable. @type {(a: {lost: number, unavailableMs: number | null}, b: typeof a) => number} */
export function worstFirst(a, b) {
  return b.lost - a.lost || (b.unavailableMs ?? -1) - (a.unavailableMs ?? -1);
}

/** In the order of the cases. @param {BenchmarkResult} benchmark @param {(params: CaseResult['params']) => string} [fault] of cases with one text only the worst */
export function worstTrials(benchmark, fault) {
  const all = benchmark.cases.flatMap((one) => {
    const worst = worstTrial(benchmark, one);
    return worst ? [{ one, ...worst }] : [];
  });
  if (!fault) return all;
  const sorted = all.toSorted(worstFirst);
  const worstOf = (/** @type {string} */ text) => sorted.find(({ one }) => fault(one.params) === text);
  return all.filter((each) => worstOf(fault(each.one.params)) === each);
}

/** @param {TrialResult} trial */
export const stepsOf = ({ writers }) => Math.max(0, ...writers.map(({ acked }) => acked.length));

/** @param {TrialResult} trial @returns events while the writers wrote: all of the harness, the first of each decision of Sentinels; step: from 0 */
export function turnsOf(trial) {
  const { events, stepMs } = trial;
  const steps = stepsOf(trial);
  const seen = new Set();
  return events
    .filter(({ by, kind, node }) => {
      if (by === HARNESS) return true;
      const key = `${kind} ${node}`;
      if (!TELLING.includes(kind) || seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .map((event) => ({ event, step: Math.floor(event.at / stepMs) }))
    .filter(({ step }) => step >= 0 && step < steps)
    .sort((a, b) => a.event.at - b.event.at)
    .slice(0, LETTERS.length)
    .map((turn, i) => ({ ...turn, letter: LETTERS[i] }));
}

/** @param {readonly TrialEvent[]} events @returns {TrialEvent[][]} those of the same kind about the same node, in order of the first of each */
function groupEvents(events) {
  /** @type {Map<string, TrialEvent[]>} */
  const groups = new Map();
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    const { at: _, by: __, ...same } = event;
    const key = JSON.stringify([eventTitle(event), same]);
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  return [...groups.values()];
}

/**
 * @param {TrialResult} trial @param {Titles} [titles]
 * @returns chart: null: without steps; marks: the events that it does not name, grouped; more: further times; last: of the group
 */
export function timelineOf(trial, titles = PLAIN_TITLES) {
  const chart = stepsOf(trial) === 0 ? null : chartOf(trial, titles);
  const told = new Set(chart === null ? [] : turnsOf(trial).map(({ event }) => event));
  const time = timeSince(trial);
  const isWriter = (/** @type {string} */ by) => trial.writers.some(({ writer }) => writer === by);
  const marks = groupEvents(trial.events.filter((event) => !told.has(event))).map((group) => ({
    what: [eventTitle(group[0]), eventSubject(group[0])].filter(Boolean).join(', '),
    times: group.slice(0, SHOWN_TIMES).map(({ by, at }) => `${isWriter(by) ? titles.writer(by) : by} ${time(at)}`),
    more: group.length - SHOWN_TIMES,
    last: time(group[group.length - 1].at),
  }));
  return { chart, hasFault: faultOf(trial) !== null, marks };
}

/** @param {TrialResult} trial with steps @param {Titles} [titles] @returns {string} lines of at most 80 columns, except for long details of events */
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
    ...turns.map(({ letter, event }) => {
      const by = event.by === HARNESS ? '' : `(${event.by})`;
      return `${letter}  ${time(event.at)}  ${`${eventText(event)} ${by}`.replace(/\s+/g, ' ').trim()}`;
    }),
  ].join('\n');
}

/** @param {TrialResult} trial @returns {number} milliseconds since the writers began: when the first fault began; 0 without a fault */
export const zeroOf = (trial) => faultOf(trial)?.from ?? 0;

/** @param {TrialResult} trial @returns {(afterMs: number) => string} since {@link zeroOf} */
function timeSince(trial) {
  const zero = zeroOf(trial);
  return (afterMs) => {
    const ms = afterMs - zero;
    const seconds = (Math.abs(ms) / 1000).toFixed(3);
    // Milliseconds, because events are often only a few milliseconds apart.
    return `${ms < 0 && Number(seconds) > 0 ? MINUS : ''}${seconds} s`;
  };
}

/** Without the trials in which a promotion was due and did not happen: they show nothing. @param {BenchmarkResult} benchmark @returns {BenchmarkResult} */
export function failoversOf(benchmark) {
  const timeline = (benchmark.timeline ?? []).filter((trial) => sawFailover(trial) || !isPromotionDue(trial));
  return { ...benchmark, timeline, audit: (benchmark.audit ?? []).filter(isIn(timeline)) };
}

/** @param {readonly TrialResult[]} trials @returns {(audit: {case: string, round: number}) => boolean} */
function isIn(trials) {
  return (audit) => trials.some((trial) => trial.case === audit.case && trial.round === audit.round);
}

/** @param {BenchmarkResult} benchmark @returns {BenchmarkResult} without the audits of trials in which a supervisor restarted the primary */
export function withoutRestarted(benchmark) {
  const isRestarted = isIn((benchmark.timeline ?? []).filter(wasRestarted));
  return { ...benchmark, audit: (benchmark.audit ?? []).filter((each) => !isRestarted(each)) };
}

/** Labels with the same column go to further lines. @param {readonly {column: number, text: string}[]} labels one character each; columns ≥ 0 */
function placeLabels(labels) {
  /** @type {string[][]} */
  const lines = [];
  for (const { column, text } of labels) {
    if (lines.every((cells) => cells[column] !== undefined)) lines.push([]);
    const line = /** @type {string[]} */ (lines.find((cells) => cells[column] === undefined));
    line[column] = text;
  }
  return lines.map((cells) => Array.from(cells, (cell) => cell ?? ' ').join(''));
}
