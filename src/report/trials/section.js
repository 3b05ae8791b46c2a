/**
 * The section of one benchmark of trials in details.md: what the writers were told, what the nodes hold, the windows, and the
 * timeline of each case.
 *
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { AuditResult, TrialResult } from '../../result/failure-schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Figures } from '../document.js'
 * @import { Group } from './figures.js'
 */
import { markdownTable } from 'markdown-table';
import { escapeText } from '../blocks.js';
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
import { renderTimeline, worstTrial } from './timeline.js';
import { trialChart } from './timeline-chart.js';
import { timelinesChart } from './timelines-chart.js';

/** @typedef {[title: string, cell: (group: Group) => string]} GroupColumn */

/** @type {GroupColumn[]} */
const TOLD = [
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
const FOUND = [
  ['present', ({ audits }) => presentText(audits)],
  ['acked, lost', ({ audits }) => lostCell(audits, true)],
  ['underAcked, lost', ({ audits }) => partOf(total(audits, 'underAckedLost'), total(audits, 'underAcked'))],
  ['rejected, present', ({ audits }) => partOf(total(audits, 'rejectedPresent'), total(audits, 'rejected'))],
  ['unsent, present', ({ audits }) => partOf(total(audits, 'unsentPresent'), total(audits, 'unsent'))],
  ['unknown: present', ({ audits }) => count(total(audits, 'unknownPresent'))],
  ['absent', ({ audits }) => count(total(audits, 'unknownAbsent'))],
  ['wrong value', ({ audits }) => count(total(audits, 'wrongValue'))],
  ['surplus keys', ({ audits }) => count(total(audits, 'surplus'))],
  ['applied twice', ({ audits }) => countOrNone(totalOrNull(audits, 'appliedTwice'))],
  ['false acks', ({ audits }) => falseAckText(audits)],
  ['only on the former primary', ({ audits }) => formerText(audits)],
];

/**
 * @param {BenchmarkResult} benchmark
 * @param {Figures} figures
 * @param {Titles} [titles] of its cases and writers
 * @returns {string} Markdown; without heading, question, method and checks
 */
export function renderTrials(benchmark, figures, titles = PLAIN_TITLES) {
  const groups = groupsOf(benchmark);
  const timelines = timelinesChart(benchmark, titles);
  const parts = timelines ? [figures.figure(timelines)] : [];
  if (groups.length > 0) {
    parts.push(
      '### What the writers were told',
      renderGroups(groups, TOLD, titles),
      toldNote(groups),
      errorsText(groups, titles),
    );
    parts.push('### What the nodes hold after healing', renderGroups(groups, FOUND, titles), foundNotes(groups));
  }
  if ((benchmark.timeline ?? []).length > 0) parts.push('### Windows', renderWindows(benchmark, titles));
  const cases = benchmark.cases
    .map((one) => renderCase(benchmark, one, { figures, titles }))
    .filter((text) => text !== '');
  if (cases.length > 0) parts.push('### Timelines', timelineNote(benchmark), ...cases);
  return parts.filter((part) => part !== '').join('\n\n');
}

/**
 * @param {Group[]} groups
 * @param {GroupColumn[]} columns
 * @param {Titles} titles
 */
function renderGroups(groups, columns, titles) {
  const rows = groups.map((group, i) => [
    groups[i - 1]?.case === group.case ? '' : escapeText(titles.case(group.case.params)),
    escapeText(titles.writer(group.writer)),
    ...columns.map(([, cell]) => escapeText(cell(group))),
  ]);
  const header = ['mode', 'writer', ...columns.map(([title]) => title)];
  return markdownTable([header, ...rows], { align: header.map((_, i) => (i < 2 ? 'left' : 'right')) });
}

/** @param {Group[]} groups */
function toldNote(groups) {
  const trials = Math.max(...groups.map(({ audits }) => audits.length));
  const sums = trials > 1 ? `Sums over ${trials} trials. ` : '';
  const middle = trials > 1 ? ', median of the trials' : '';
  return (
    `${sums}due = unsent + attempted; attempted = acked + underAcked + rejected + unknown. acked during the fault: share of ` +
    `the writes that were due during the fault and were acked then or later${middle}.`
  );
}

/**
 * @param {Group[]} groups
 * @param {Titles} titles
 */
function errorsText(groups, titles) {
  const lines = groups.flatMap(({ case: { params }, writer, audits }) => {
    /** @type {Map<string, number>} */
    const kinds = new Map();
    for (const { errors } of audits)
      for (const [kind, times] of Object.entries(errors)) kinds.set(kind, (kinds.get(kind) ?? 0) + times);
    if (kinds.size === 0) return [];
    const told = [...kinds].sort((a, b) => b[1] - a[1]).map(([kind, times]) => `${kind} × ${count(times)}`);
    const [first] = audits.flatMap(({ firstError }) => (firstError ? [firstError.text] : []));
    const words = first === undefined ? '' : `; the first: ${first}`;
    return `- ${escapeText(`${titles.case(params)}, ${titles.writer(writer)}: ${told.join(', ')}${words}`)}`;
  });
  return lines.length === 0 ? '' : `Errors that the writers saw:\n\n${lines.join('\n')}`;
}

/** @param {Group[]} groups */
function foundNotes(groups) {
  const notes = [
    'present: values of this writer on each node. “acked, lost” and the columns after it compare with the primary; wrong values and surplus keys are counted on every node.',
  ];
  if (groups.some(({ audits }) => audits.some(({ formerPrimary }) => formerPrimary !== null))) {
    notes.push(
      'only on the former primary: writes that only this node held when it was back, before its demotion discarded them. acked: the writer was told OK. untold: the writer was told an error, too low a count, or nothing.',
    );
  }
  return notes.join('\n\n');
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Titles} titles
 */
function renderWindows(benchmark, titles) {
  const cases = benchmark.cases.filter((one) => trialsOf(benchmark, one).length > 0);
  const groups = groupsOf(benchmark);
  const writers = [...new Set(groups.map(({ writer }) => writer))];
  const rows = cases.map((one) => {
    const trials = trialsOf(benchmark, one);
    const spread = (/** @type {(trial: typeof trials[number]) => number | null} */ value) =>
      spreadText(trials.map(value));
    return [
      escapeText(titles.case(one.params)),
      spread(({ windows }) => windows.detectionMs),
      spread(({ windows }) => windows.failoverMs),
      ...writers.map((writer) =>
        unavailableCell(groups.find((group) => group.case === one && group.writer === writer)?.audits ?? [], true),
      ),
      milliseconds(longestSplitBrain(trials)),
      spread(({ windows }) => windows.recoveryMs),
      spread(({ converged }) => converged?.afterMs ?? null),
      staleCell(trials),
      longestStale(trials),
      spread(({ linkMs }) => linkMs),
    ];
  });
  const header = ['mode', 'detection', 'failover'];
  header.push(...writers.map((writer) => `unavailable, ${escapeText(titles.writer(writer))}`));
  header.push('split brain', 'recovery', 'converged', 'stale reads', 'longest stale', 'link');
  const table = markdownTable([header, ...rows], { align: header.map((_, i) => (i === 0 ? 'left' : 'right')) });
  return `${table}\n\n${WINDOW_NOTE}`;
}

const WINDOW_NOTE =
  'detection: from the fault to the first `+odown`. failover: from there (planned: from the command) to the first `+switch-master`. ' +
  'recovery: from the undoing of the fault to the first acknowledgement. converged: from the end of the load until every node agreed. ' +
  'link: round trip between nodes before the fault. Medians over trials; of split brain and stale reads the longest. ' +
  `${NOT_MEASURED} : did not happen, or was not measured.`;

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult} one
 * @param {{figures: Figures, titles: Titles}} how
 */
function renderCase(benchmark, one, { figures, titles }) {
  const worst = worstTrial(benchmark, one);
  if (!worst) return '';
  const { trial, rounds, lost, unavailableMs } = worst;
  const parts = [`#### ${escapeText(`${benchmark.name}: ${titles.case(one.params)}`)}`];
  if (rounds > 1) {
    const why = `${count(lost)} acknowledged writes lost, at most ${milliseconds(unavailableMs)} without an acknowledgement`;
    parts.push(`The worst of ${rounds} trials, trial ${trial.round}: ${why}.`);
  }
  if (trial.converged === null) parts.push('**The nodes did not agree after this trial.**');
  const chart = figures.live ? trialChart(benchmark, one, { trial, titles }) : null;
  parts.push(chart ? figures.figure(chart) : renderTimeline(trial, titles));
  return parts.join('\n\n');
}

/** @param {BenchmarkResult} benchmark */
function timelineNote({ timeline = [] }) {
  const steps = [...new Set(timeline.map(({ stepMs }) => milliseconds(stepMs)))].join(' or ');
  return (
    `Counted in steps of ${steps}; the step in which a mark falls belongs to the phase that it begins. highest p99: the highest ` +
    'p99 response time of a step, of writes answered OK. Times are since the first fault began.'
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
  return `${count(sum('extra'))} of ${count(sum('present'))}: ${count(sum('extraAcked'))} acked, ${count(sum('extraUntold'))} untold`;
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
