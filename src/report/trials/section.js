/**
 * The section of one benchmark of trials in details.md: what the writers saw, what the nodes hold, the windows, and the timeline of
 * each case.
 */
import { chart, heading, list, markdown, table, text } from '../blocks.js';
import { count, percent } from '../format.js';
import {
  countOrNone,
  groupsOf,
  longestSplitBrain,
  lostCell,
  milliseconds,
  NOT_MEASURED,
  PLAIN_TITLES,
  partOf,
  presentByNode,
  spreadOf,
  staleCell,
  staleReadsOf,
  total,
  totalOrNull,
  trialsOf,
  unavailableCell,
} from './figures.js';
import { timelineBlocks, worstTrial } from './timeline.js';
import { trialChart } from './timeline-chart.js';
import { timelinesChart } from './timelines-chart.js';

/**
 * @import { AuditResult, TrialResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Block } from '../blocks.js'
 * @import { Group } from './figures.js'
 *
 * @typedef {[title: string, cell: (group: Group) => string]} GroupColumn
 */

/** @type {GroupColumn[]} */
const SEEN_BY_WRITERS = [
  ['due', ({ audits }) => count(total(audits, 'due'))],
  ['unsent', ({ audits }) => count(total(audits, 'unsent'))],
  ['attempted', ({ audits }) => count(total(audits, 'attempted'))],
  ['acked', ({ audits }) => count(total(audits, 'acked'))],
  ['underAcked', ({ audits }) => count(total(audits, 'underAcked'))],
  ['rejected', ({ audits }) => count(total(audits, 'rejected'))],
  ['unknown', ({ audits }) => count(total(audits, 'unknown'))],
  ['acked during the fault', ({ audits }) => sharesOf(audits.map(({ acceptedShare }) => acceptedShare))],
];

/** @type {GroupColumn[]} */
const HELD_BY_NODES = [
  ['present', ({ audits }) => presentText(audits)],
  ['acked, lost', ({ audits }) => lostCell(audits, true)],
  ['underAcked, lost', ({ audits }) => partOf(total(audits, 'underAckedLost'), total(audits, 'underAcked'))],
  ['rejected, present', ({ audits }) => partOf(total(audits, 'rejectedPresent'), total(audits, 'rejected'))],
  ['unsent, present', ({ audits }) => partOf(total(audits, 'unsentPresent'), total(audits, 'unsent'))],
  ['unknown, present', ({ audits }) => count(total(audits, 'unknownPresent'))],
  ['unknown, absent', ({ audits }) => count(total(audits, 'unknownAbsent'))],
  ['wrong value', ({ audits }) => count(total(audits, 'wrongValue'))],
  ['surplus keys', ({ audits }) => count(total(audits, 'surplus'))],
  ['applied twice', ({ audits }) => countOrNone(totalOrNull(audits, 'appliedTwice'))],
  ['false acks', ({ audits }) => falseAckText(audits)],
  ['only on the former primary', ({ audits }) => formerText(audits)],
];

const HELD_NOTE =
  'present: values of this writer on each node. “acked, lost” and the columns after it compare with the primary. Wrong values and ' +
  'surplus keys are counted on every node.';
const FORMER_NOTE =
  'only on the former primary: writes that no other node had when it came back. Its demotion discarded them. acked: the writer got ' +
  'an OK. unconfirmed: the writer got an error, too low a count, or no answer.';
const WINDOW_NOTE =
  'detection: from the fault to the first `+odown`. failover: from there (planned: from the command) to the first `+switch-master`. ' +
  'recovery: from the end of the fault to the first acknowledgement. converged: from the end of the load until all nodes agreed. ' +
  'link: round trip between nodes before the fault. Medians over trials; split brain and stale reads: the longest. ' +
  `${NOT_MEASURED}: did not happen, or not measured.`;

/**
 * @param {BenchmarkResult} benchmark
 * @param {{title?: string, titles?: Titles, live?: boolean}} [options] title: default: its name; titles: of its cases and writers;
 *   live: each case has a chart of its timeline
 *   instead of a row of block characters
 * @returns {Block[]} without heading, question, method and checks
 */
export function trialBlocks(benchmark, { title = benchmark.name, titles = PLAIN_TITLES, live = false } = {}) {
  const groups = groupsOf(benchmark);
  const overview = timelinesChart(benchmark, titles);
  const timelines = benchmark.cases.flatMap((one) => caseBlocks(benchmark, one, { title, titles, live }));
  const hasFormer = groups.some(({ audits }) => audits.some(({ formerPrimary }) => formerPrimary !== null));
  return [
    ...(overview ? [chart(overview)] : []),
    ...(groups.length > 0
      ? [
          heading(3, 'What the writers saw'),
          groupTable(groups, SEEN_BY_WRITERS, titles),
          text(seenNote(groups)),
          ...errorBlocks(groups, titles),
          heading(3, 'What the nodes hold after healing'),
          groupTable(groups, HELD_BY_NODES, titles),
          text(HELD_NOTE),
          ...(hasFormer ? [text(FORMER_NOTE)] : []),
        ]
      : []),
    ...((benchmark.timeline ?? []).length > 0
      ? [heading(3, 'Windows'), windowTable(benchmark, groups, titles), text(WINDOW_NOTE)]
      : []),
    ...(timelines.length > 0 ? [heading(3, 'Timelines'), text(timelineNote(benchmark)), ...timelines] : []),
  ];
}

/**
 * @param {Group[]} groups
 * @param {GroupColumn[]} columns
 * @param {Titles} titles
 */
function groupTable(groups, columns, titles) {
  return table(
    ['mode', 'writer', ...columns.map(([title]) => ({ title, align: /** @type {const} */ ('right') }))],
    groups.map((group, i) => [
      groups[i - 1]?.case === group.case ? '' : titles.case(group.case.params),
      titles.writer(group.writer),
      ...columns.map(([, cell]) => cell(group)),
    ]),
  );
}

/** @param {Group[]} groups */
function seenNote(groups) {
  const trials = Math.max(...groups.map(({ audits }) => audits.length));
  const [sums, middle] = trials > 1 ? [`Sums over ${trials} trials. `, ', median of the trials'] : ['', ''];
  return (
    `${sums}due = unsent + attempted; attempted = acked + underAcked + rejected + unknown. acked during the fault: share of ` +
    `the writes due during the fault that were acked, then or later${middle}.`
  );
}

/**
 * @param {Group[]} groups
 * @param {Titles} titles
 * @returns {Block[]}
 */
function errorBlocks(groups, titles) {
  const lines = groups.flatMap(({ case: { params }, writer, audits }) => {
    /** @type {Map<string, number>} */
    const kinds = new Map();
    for (const { errors } of audits)
      for (const [kind, times] of Object.entries(errors)) kinds.set(kind, (kinds.get(kind) ?? 0) + times);
    if (kinds.size === 0) return [];
    const counts = [...kinds].sort((a, b) => b[1] - a[1]).map(([kind, times]) => `${kind} × ${count(times)}`);
    const first = audits.find(({ firstError }) => firstError)?.firstError;
    return `${titles.case(params)}, ${titles.writer(writer)}: ${counts.join(', ')}${first ? `; the first: ${first.text}` : ''}`;
  });
  return lines.length === 0 ? [] : [text('Errors that the writers saw:'), list(lines)];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Group[]} groups
 * @param {Titles} titles
 */
function windowTable(benchmark, groups, titles) {
  const writers = [...new Set(groups.map(({ writer }) => writer))];
  const columns = ['detection', 'failover', ...writers.map((writer) => `unavailable, ${titles.writer(writer)}`)];
  columns.push('split brain', 'recovery', 'converged', 'stale reads', 'longest stale', 'link');
  const rows = benchmark.cases.flatMap((one) => {
    const trials = trialsOf(benchmark, one);
    if (trials.length === 0) return [];
    const spread = (/** @type {(trial: TrialResult) => number | null} */ value) => spreadText(trials.map(value));
    const auditsOf = (/** @type {string} */ writer) =>
      groups.find((group) => group.case === one && group.writer === writer)?.audits ?? [];
    return [
      [
        titles.case(one.params),
        spread(({ windows }) => windows.detectionMs),
        spread(({ windows }) => windows.failoverMs),
        ...writers.map((writer) => unavailableCell(auditsOf(writer), true)),
        milliseconds(longestSplitBrain(trials)),
        spread(({ windows }) => windows.recoveryMs),
        spread(({ converged }) => converged?.afterMs ?? null),
        staleCell(trials),
        longestStale(trials),
        spread(({ linkMs }) => linkMs),
      ],
    ];
  });
  return table(['mode', ...columns.map((title) => ({ title, align: /** @type {const} */ ('right') }))], rows);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {{title: string, titles: Titles, live: boolean}} options
 * @returns {Block[]} the timeline of its worst trial
 */
function caseBlocks(benchmark, one, { title, titles, live }) {
  const worst = worstTrial(benchmark, one);
  if (!worst) return [];
  const { trial, rounds, lost, unavailableMs } = worst;
  const why = `${count(lost)} acknowledged writes lost, at most ${milliseconds(unavailableMs)} without an acknowledgement`;
  const drawn = live ? trialChart(benchmark, one, { trial, title, titles }) : null;
  return [
    heading(4, `${title}: ${titles.case(one.params)}`),
    ...(rounds > 1 ? [text(`Trial ${trial.round}, the worst of ${rounds}: ${why}.`)] : []),
    ...(trial.converged === null ? [markdown('**The nodes did not agree after this trial.**')] : []),
    ...(drawn ? [chart(drawn)] : timelineBlocks(trial, titles)),
  ];
}

/** @param {BenchmarkResult} benchmark */
function timelineNote({ timeline = [] }) {
  const steps = [...new Set(timeline.map(({ stepMs }) => milliseconds(stepMs)))].join(' or ');
  return (
    `Counted in steps of ${steps}; the step with a mark belongs to the phase that the mark begins. highest p99: the highest p99 ` +
    'response time of a step, of writes answered OK. Times count from the first fault.'
  );
}

/** @param {readonly AuditResult[]} audits */
function presentText(audits) {
  const present = Object.entries(presentByNode(audits));
  if (present.length === 0) return NOT_MEASURED;
  const counts = new Set(present.map(([, values]) => values));
  if (counts.size === 1) return `${count(present[0][1])} on each of ${present.length}`;
  return present.map(([id, values]) => `${id} ${count(values)}`).join(', ');
}

/** @param {readonly AuditResult[]} audits */
function falseAckText(audits) {
  const falseAcks = totalOrNull(audits, 'falseAcks');
  if (falseAcks === null || falseAcks === 0) return countOrNone(falseAcks);
  return `${count(falseAcks)} (${countOrNone(totalOrNull(audits, 'falseAcksLost'))} lost)`;
}

/** @param {readonly AuditResult[]} audits */
function formerText(audits) {
  const read = audits.map(({ formerPrimary }) => formerPrimary).filter((former) => former !== null);
  if (read.length === 0) return NOT_MEASURED;
  const sum = (/** @type {'present' | 'extra' | 'extraAcked' | 'extraUntold'} */ field) =>
    read.reduce((all, former) => all + former[field], 0);
  if (sum('extra') === 0) return `0 of ${count(sum('present'))}`;
  return `${count(sum('extra'))} of ${count(sum('present'))}: ${count(sum('extraAcked'))} acked, ${count(sum('extraUntold'))} unconfirmed`;
}

/** @param {readonly (number | null)[]} shares one a trial */
function sharesOf(shares) {
  const spread = spreadOf(shares);
  return spread === null ? NOT_MEASURED : percent(spread.median);
}

/** @param {readonly (number | null)[]} values milliseconds, one a trial */
function spreadText(values) {
  const spread = spreadOf(values);
  if (spread === null) return NOT_MEASURED;
  const parts = [];
  if (spread.low !== spread.high) parts.push(`${milliseconds(spread.low)} … ${milliseconds(spread.high)}`);
  if (spread.missing > 0) parts.push(`in ${values.length - spread.missing} of ${values.length} trials`);
  return `${milliseconds(spread.median)}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** @param {readonly TrialResult[]} trials */
function longestStale(trials) {
  const { answered, longestMs } = staleReadsOf(trials);
  return answered === 0 ? NOT_MEASURED : milliseconds(longestMs);
}
