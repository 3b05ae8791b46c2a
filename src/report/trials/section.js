/**
 * The section of one benchmark of trials in details.md: what the writers saw, what the nodes hold, the windows, and the timeline of
 * each case.
 */

import {
  clockBoundMs,
  longestSplitBrain,
  presentByNode,
  spreadOf,
  staleReadsOf,
  total,
  totalOrNull,
  trialsOf,
} from '../../audit/of-trials.js';
import { count, interval, percent, plural } from '../../format.js';
import { left, right } from '../../table.js';
import { chart, escapeProse, heading, list, markdown, table, text } from '../blocks.js';
import {
  countOrNone,
  errorsText,
  groupsOf,
  lostCell,
  milliseconds,
  NOT_MEASURED,
  PLAIN_TITLES,
  partOf,
  staleCell,
  unavailableCell,
} from './figures.js';
import { isWorse, timelineBlocks, worstTrials } from './timeline.js';
import { trialChart } from './timeline-chart.js';
import { BANDS_NOTE } from './timeline-parts.js';
import { timelinesChart } from './timelines-chart.js';

/**
 * @import { AuditResult, TrialResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../result/schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Block } from '../blocks.js'
 * @import { Group } from './figures.js'
 * @import { CaseWorst } from './timeline.js'
 * @import { Column } from '../../table.js'
 *
 * @typedef {{one: CaseResult, trials: TrialResult[]}} CaseTrials
 */

/** @type {Column<Group>[]} */
const SEEN_BY_WRITERS = [
  right('due', ({ audits }) => count(total(audits, 'due'))),
  right('unsent', ({ audits }) => count(total(audits, 'unsent'))),
  right('attempted', ({ audits }) => count(total(audits, 'attempted'))),
  right('acked', ({ audits }) => count(total(audits, 'acked'))),
  right('underAcked', ({ audits }) => count(total(audits, 'underAcked'))),
  right('rejected', ({ audits }) => count(total(audits, 'rejected'))),
  right('unknown', ({ audits }) => count(total(audits, 'unknown'))),
  right('acked during the fault', ({ audits }) => sharesOf(audits.map(({ acceptedShare }) => acceptedShare))),
  right('unavailable', ({ audits }) => unavailableCell(audits, true)),
  left('errors', ({ audits }) => errorsText(audits)),
];

/** @type {Column<Group>[]} */
const HELD_BY_NODES = [
  right('present', ({ audits }) => presentText(audits)),
  right('acked, lost', ({ audits }) => lostCell(audits, true)),
  right('underAcked, lost', ({ audits }) => partOf(total(audits, 'underAckedLost'), total(audits, 'underAcked'))),
  right('rejected, present', ({ audits }) => partOf(total(audits, 'rejectedPresent'), total(audits, 'rejected'))),
  right('unsent, present', ({ audits }) => partOf(total(audits, 'unsentPresent'), total(audits, 'unsent'))),
  right('unknown, present', ({ audits }) => count(total(audits, 'unknownPresent'))),
  right('unknown, absent', ({ audits }) => count(total(audits, 'unknownAbsent'))),
  right('wrong value', ({ audits }) => count(total(audits, 'wrongValue'))),
  right('surplus keys', ({ audits }) => count(total(audits, 'surplus'))),
  right('applied twice', ({ audits }) => countOrNone(totalOrNull(audits, 'appliedTwice'))),
  right('false acks', ({ audits }) => falseAckText(audits)),
  right('only on the former primary', ({ audits }) => formerText(audits)),
];

/** What the tables and charts of every benchmark of trials mean. It stands once in a report, because there are a dozen of them. */
export const READING_TRIALS = Object.freeze([
  'A write is acked when Redis answered OK and WAIT reached the count that was asked for. It is underAcked when the count was lower, ' +
    'rejected when an error says that it was not applied, unknown when no answer came: then it may or may not have been applied.',
  'Writes are due at a constant rate. A write that no connection could take in time is unsent: it was not attempted. due = unsent + ' +
    'attempted; attempted = acked + underAcked + rejected + unknown. Of several trials, counts are sums and times are medians.',
  'acked during the fault: share of the writes due during the fault that were acked, then or later. unavailable: longest time without ' +
    'an acknowledgement after the fault began.',
  'present: values of this writer on each node. “acked, lost” and the columns after it compare with the primary. Wrong values and ' +
    'surplus keys are counted on every node.',
  'only on the former primary: writes that no other node had when it came back. Its demotion discarded them. acked: the writer got ' +
    'an OK. unconfirmed: the writer got an error, too low a count, or no answer.',
  'Windows. detection: from the fault to the first `+odown`. failover: from there (planned: from the command) to the first ' +
    '`+switch-master`. recovery: from the end of the fault to the first acknowledgement. converged: from the end of the load until all ' +
    'nodes agreed. link: round trip between nodes before the fault. Medians over trials and their range; split brain and stale reads: ' +
    `the longest. ${NOT_MEASURED}: did not happen, or not measured.`,
  `Timelines. ${BANDS_NOTE} Where they are below each other, rates are rounded to what a panel can show, and the HTML page has the worst length of a fault. Times count from the first fault. The step with a mark belongs to the phase that the mark begins; outcomes ` +
    'without a column did not happen. highest p99: the highest p99 of a step, of writes answered OK.',
  'Response time is the time from when a write was due to its answer, WAIT included. Unknown and unsent writes are shown when due, all ' +
    'others when answered.',
]);

/**
 * @param {BenchmarkResult} benchmark
 * @param {{title?: string, titles?: Titles, live?: boolean}} [options] title: default: its name; titles: of its cases and writers;
 *   live: timelines are charts instead of rows of block characters, and of the lengths of a fault the worst is drawn
 * @returns {Block[]} without heading, question, method and checks
 */
export function trialBlocks(benchmark, { title = benchmark.name, titles = PLAIN_TITLES, live = false } = {}) {
  const groups = groupsOf(benchmark);
  // The page has no room for each length of a fault; the pictures of details.md have them all.
  const drawn = live && titles.fault ? worstTrials(benchmark, titles.fault) : worstTrials(benchmark);
  const overview = timelinesChart(benchmark, titles, drawn);
  const trials = Math.max(0, ...groups.map(({ audits }) => audits.length));
  return [
    ...(overview ? [chart(overview)] : []),
    ...(groups.length > 0
      ? [
          heading(3, 'What the writers saw'),
          ...groupTable(groups, SEEN_BY_WRITERS, titles),
          ...(trials > 1 ? [text(`Sums over ${trials} trials.`)] : []),
          ...firstErrors(groups),
          heading(3, 'What the nodes hold after healing'),
          ...groupTable(groups, HELD_BY_NODES, titles),
        ]
      : []),
    ...((benchmark.timeline ?? []).length > 0
      ? [heading(3, 'Windows'), windowTable(benchmark, titles), ...disagreement(benchmark, titles)]
      : []),
    ...timelines(benchmark, drawn, { title, titles, live }),
  ];
}

/**
 * Most outcomes are rare. A column without one would only hide the others.
 *
 * @param {Group[]} groups
 * @param {Column<Group>[]} columns
 * @param {Titles} titles
 * @returns {Block[]} a table of the columns that tell something, and a sentence about the others
 */
function groupTable(groups, columns, titles) {
  const measured = columns.map((column) => ({ ...column, cells: groups.map(column.cell) }));
  const holds = (/** @type {string[]} */ cells, /** @type {string[]} */ ...values) =>
    cells.every((cell) => values.includes(cell));
  const shown = measured.filter(({ cells }) => !holds(cells, '0', NOT_MEASURED));
  const missing = measured.filter(({ cells }) => holds(cells, NOT_MEASURED));
  const zero = measured.filter((column) => !shown.includes(column) && !missing.includes(column));
  const named = (/** @type {{title: string}[]} */ some) => some.map(({ title }) => `“${title}”`).join(', ');
  const notes = [
    ...(zero.length > 0 ? [`Always 0: ${named(zero)}.`] : []),
    ...(missing.length > 0 ? [`Not applicable or not measured: ${named(missing)}.`] : []),
  ];
  return [
    table(
      [
        left('mode', (/** @type {Group} */ group) =>
          groups[groups.indexOf(group) - 1]?.case === group.case ? '' : titles.case(group.case.params),
        ),
        left('writer', (/** @type {Group} */ { writer }) => titles.writer(writer)),
        ...shown,
      ],
      groups,
    ),
    ...(notes.length > 0 ? [text(notes.join(' '))] : []),
  ];
}

/**
 * @param {Group[]} groups
 * @returns {Block[]} the texts of the first errors, the most frequent first; empty: no writer saw an error with a text
 */
function firstErrors(groups) {
  /** @type {Map<string, number>} */
  const writers = new Map();
  for (const { audits } of groups) {
    const first = audits.find(({ firstError }) => firstError)?.firstError;
    if (first) writers.set(first.text, (writers.get(first.text) ?? 0) + 1);
  }
  if (writers.size === 0) return [];
  const texts = [...writers]
    .sort((a, b) => b[1] - a[1])
    .map(([first, number]) => `${first} (${plural(number, 'writer')})`);
  return [text('The first error that writers saw:'), list(texts)];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Titles} titles
 */
function windowTable(benchmark, titles) {
  const rows = benchmark.cases
    .map((one) => ({ one, trials: trialsOf(benchmark, one) }))
    .filter(({ trials }) => trials.length > 0);
  const spread = (/** @type {string} */ title, /** @type {(trial: TrialResult) => number | null} */ value) =>
    right(title, (/** @type {CaseTrials} */ { trials }) => spreadText(trials.map(value)));
  /** @type {Column<CaseTrials>[]} */
  const columns = [
    left('mode', ({ one }) => titles.case(one.params)),
    spread('detection', ({ windows }) => windows.detectionMs),
    spread('failover', ({ windows }) => windows.failoverMs),
    right('split brain', ({ trials }) => milliseconds(longestSplitBrain(trials))),
    ...(rows.some(({ trials }) => trials.some(({ agents }) => agents))
      ? [right('clocks known within', ({ trials }) => milliseconds(Math.max(...trials.map(clockBoundMs))))]
      : []),
    spread('recovery', ({ windows }) => windows.recoveryMs),
    spread('converged', ({ converged }) => converged?.afterMs ?? null),
    right('stale reads', ({ trials }) => staleCell(trials)),
    right('longest stale', ({ trials }) => longestStale(trials)),
    spread('link', ({ linkMs }) => linkMs),
  ];
  return table(columns, rows);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Titles} titles
 * @returns {Block[]} empty: the nodes agreed after every trial
 */
function disagreement(benchmark, titles) {
  const places = benchmark.cases.flatMap((one) =>
    trialsOf(benchmark, one)
      .filter(({ converged }) => converged === null)
      .map(({ round }) => `${titles.case(one.params)} (trial ${round})`),
  );
  if (places.length === 0) return [];
  return [
    markdown(`**The nodes did not agree after ${plural(places.length, 'trial')}:** ${escapeProse(places.join('; '))}.`),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly CaseWorst[]} all in the chart above
 * @param {{title: string, titles: Titles, live: boolean}} options
 * @returns {Block[]} of a page and of single trials: the worst trial of each case; of several trials in a text: the worst of all
 */
function timelines(benchmark, all, { title, titles, live }) {
  if (all.length === 0) return [];
  const [first, ...others] = all;
  const several = all.some(({ rounds }) => rounds > 1);
  const worst = others.reduce((most, each) => (isWorse(each, most) ? each : most), first);
  const losing = all.filter(({ lost }) => lost > 0);
  // A trial without a loss adds nothing to the chart above, which has the acknowledgements of each case.
  const shown = several || losing.length === 0 ? [worst] : losing;
  const what =
    shown.length === 1
      ? 'The worst trial of all: most acknowledged writes lost, then longest unavailable.'
      : 'The cases with a loss.';
  const where =
    shown.length < all.length
      ? [
          `${what} The chart above shows the worst trial of each case${live && titles.fault ? ', of a fault’s lengths the worst' : ''}, and \`result.json\` has every trial.`,
        ]
      : [];
  return [
    heading(3, 'Timelines'),
    text([...where, `Counted in steps of ${stepsText(benchmark)}.`].join(' ')),
    ...shown.flatMap((each) => caseBlocks(benchmark, each, { title, titles, live })),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseWorst} worst
 * @param {{title: string, titles: Titles, live: boolean}} options
 * @returns {Block[]} the timeline of that trial
 */
function caseBlocks(benchmark, { one, trial, rounds, lost, unavailableMs }, { title, titles, live }) {
  const why = `${count(lost)} acknowledged writes lost, at most ${milliseconds(unavailableMs)} without an acknowledgement`;
  const drawn = live ? trialChart(benchmark, one, { trial, title, titles }) : null;
  return [
    heading(4, `${title}: ${titles.case(one.params)}`),
    ...(rounds > 1 ? [text(`Trial ${trial.round}, the worst of ${rounds}: ${why}.`)] : []),
    ...(drawn ? [chart(drawn)] : timelineBlocks(trial, titles)),
  ];
}

/** @param {BenchmarkResult} benchmark */
function stepsText({ timeline = [] }) {
  return [...new Set(timeline.map(({ stepMs }) => milliseconds(stepMs)))].join(' or ');
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
  const some = spread.missing > 0 ? `, in ${values.length - spread.missing} of ${values.length} trials` : '';
  // Equal as shown: the range would repeat the median.
  const same = milliseconds(spread.low) === milliseconds(spread.high);
  return `${same ? milliseconds(spread.median) : interval(spread, milliseconds)}${some}`;
}

/** @param {readonly TrialResult[]} trials */
function longestStale(trials) {
  const { answered, longestMs } = staleReadsOf(trials);
  return answered === 0 ? NOT_MEASURED : milliseconds(longestMs);
}
