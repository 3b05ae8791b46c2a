/**
 * The section of one benchmark of trials in details.md: what the writers saw, what the nodes hold, the windows, and the timeline of
 * the worst trial.
 */

import { trialsOf } from '../../audit/of-trials.js';
import { rowsOf } from '../../facts/query.js';
import { NATIVE } from '../../facts/trials.js';
import { count, interval, plural } from '../../format.js';
import { chart, escapeProse, heading, list, markdown, text } from '../blocks.js';
import { FORMATS, tableOf } from '../specs.js';
import { groupsOf, milliseconds, NOT_MEASURED, PLAIN_TITLES } from './figures.js';
import { isWorse, timelineBlocks, worstTrials } from './timeline.js';
import { timelinesChart } from './timelines-chart.js';

/**
 * @import { CaseFigures } from '../../facts/query.js'
 * @import { BenchmarkResult, Result } from '../../result/schema.js'
 * @import { Titles } from '../../run/types.js'
 * @import { Block } from '../blocks.js'
 * @import { ColumnSpec } from '../specs.js'
 * @import { Group } from './figures.js'
 * @import { CaseWorst } from './timeline.js'
 */

/** @param {string} title @param {string} [metric] @returns {ColumnSpec} of all trials together */
const counted = (title, metric = title) => ({ title, metric, show: 'total', format: 'count' });

/** @param {string} title @param {string} [metric] @returns {ColumnSpec} median and range of the trials */
const spread = (title, metric = title) => ({ title, text: (row) => spreadText(row, metric), align: 'right' });

/** @type {readonly ColumnSpec[]} */
const SEEN_BY_WRITERS = [
  counted('due'),
  counted('unsent'),
  counted('attempted'),
  counted('acked'),
  counted('underAcked', 'under-acked'),
  counted('rejected'),
  counted('unknown'),
  { title: 'acked during the fault', metric: 'accepted-during-fault', format: 'percent' },
  { title: 'unavailable', metric: 'outage', format: 'seconds' },
  { title: 'at worst', metric: 'outage', show: 'worst', format: 'seconds' },
  counted('errors'),
];

/** @type {readonly ColumnSpec[]} */
const HELD_BY_NODES = [
  counted('acked, lost', 'lost-writes'),
  { title: 'trials with a loss', metric: 'lost-writes', show: 'trialsWithLoss', format: 'count' },
  counted('underAcked, lost', 'under-acked-lost'),
  counted('rejected, present', 'rejected-present'),
  counted('unsent, present', 'unsent-present'),
  counted('unknown, present', 'unknown-present'),
  counted('unknown, absent', 'unknown-absent'),
  counted('wrong value', 'wrong-value'),
  counted('surplus keys', 'surplus'),
  counted('applied twice', 'applied-twice'),
  counted('false acks', 'false-acks'),
  counted('false acks, lost', 'false-acks-lost'),
  counted('missing on a node', 'missing-on-a-node'),
  counted('only on the former primary', 'former-primary-extra'),
  counted('of these acked', 'former-primary-extra-acked'),
];

/** @type {readonly ColumnSpec[]} */
const WINDOWS = [
  spread('detection'),
  spread('failover'),
  { title: 'split brain', metric: 'split-brain', show: 'worst', format: 'seconds' },
  spread('recovery'),
  spread('converged', 'convergence'),
  counted('stale reads', 'stale-reads'),
  { title: 'longest stale', metric: 'longest-stale-read', show: 'worst', format: 'ms' },
  spread('link', 'link-round-trip'),
];

/**
 * @param {BenchmarkResult} benchmark
 * @param {Result} result of the run
 * @param {{title?: string, titles?: Titles}} [options] title: default: its name; titles: of its cases and writers
 * @returns {Block[]} without heading, question, method and checks
 */
export function trialBlocks(benchmark, result, { title = benchmark.name, titles = PLAIN_TITLES } = {}) {
  const drawn = worstTrials(benchmark, titles.fault);
  const overview = timelinesChart(benchmark, titles, drawn);
  const rows = rowsOf({ ...result, benchmarks: [benchmark] }, { metrics: {} });
  const writers = rows.filter(({ writer }) => writer !== '' && writer !== NATIVE);
  /** @type {ColumnSpec} */
  const mode = { title: 'mode', text: ({ params }) => titles.case(params) };
  /** @type {ColumnSpec} */
  const writer = { title: 'writer', text: (row) => titles.writer(row.writer), kept: true };
  const tables = /** @type {const} */ ([
    ['What the writers saw', [mode, writer, ...SEEN_BY_WRITERS], writers],
    ['What the nodes hold after healing', [mode, writer, ...HELD_BY_NODES], writers],
    ['Windows', [mode, ...WINDOWS], rows.filter((row) => row.writer === '')],
  ]);
  return [
    ...(overview ? [chart(overview)] : []),
    ...tables.flatMap(([name, columns, shown]) =>
      shown.length === 0 ? [] : [heading(3, name), tableOf(columns, shown)],
    ),
    ...firstErrors(groupsOf(benchmark)),
    ...disagreement(benchmark, titles),
    ...worstTimeline(drawn, { title, titles }),
  ];
}

/** @param {CaseFigures} row @param {string} metric a time */
function spreadText({ of }, metric) {
  const fact = of[metric];
  if (fact === undefined) return NOT_MEASURED;
  const read = FORMATS[fact.unit === 'ms' ? 'ms' : 'seconds'];
  const { median, low, high } = fact;
  // Equal as shown: the range would repeat the median.
  return low === null || high === null || read(low) === read(high)
    ? read(median)
    : interval({ median, low, high }, read);
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
 * @param {readonly CaseWorst[]} all in the chart above
 * @param {{title: string, titles: Titles}} options
 * @returns {Block[]} of the worst trial of all; empty: there is no timeline
 */
function worstTimeline(all, { title, titles }) {
  if (all.length === 0) return [];
  const { one, trial, lost, unavailableMs } = all.reduce((worst, each) => (isWorse(each, worst) ? each : worst));
  const what = `${count(lost)} acknowledged writes lost, at most ${milliseconds(unavailableMs)} without an acknowledgement`;
  return [
    heading(3, 'Timeline'),
    text(
      `The worst trial: ${title}, ${titles.case(one.params)}, trial ${trial.round}: ${what}. Counted in steps of ${milliseconds(trial.stepMs)}. ` +
        '`result.json` has every trial.',
    ),
    ...timelineBlocks(trial, titles),
  ];
}
