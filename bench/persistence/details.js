/**
 * The tables of the persistence benchmark in details.md.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Result, StorageInfo } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Column } from '../../src/run/types.js'
 * @import { Storage } from './figures.js'
 */

import { bytes, count, duration, interval, percent, rate, times } from '../../src/format.js';
import { heading, list, markdown, rightAligned, table, text } from '../../src/report/blocks.js';
import * as column from '../../src/report/columns.js';
import { intervalName } from '../../src/report/findings.js';
import { aboutOthers } from '../../src/report/resources.js';
import { cellsOf } from '../../src/table.js';
import { NS_A_MS, NS_A_US } from '../../src/units.js';
import * as figures from './figures.js';
import * as modes from './modes.js';

/** A replica that is sent a smaller share of the acknowledged bytes falls behind; the rest may still be in buffers. */
const KEEPS_UP = 0.9;

const { casesOn, offOf, ratiosTo } = figures;

/** @param {CaseResult} result */
function p99Cell(result) {
  const p99 = figures.p99Of(result);
  return p99 === null ? column.TOO_FEW : interval(p99, duration);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {CaseResult[]} SET through a primary and its replica, every mode
 */
function pairs(benchmark, storage) {
  return storage ? casesOn(benchmark, storage, { operation: 'set', replicas: 1, preloadKeys: undefined }) : [];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage' | 'storageNotMeasured'> & {environment?: Pick<Result['environment'], 'cores'>}} run
 * @returns {Block[]} storage, a table for each kind of load, architectures and notes; none when nothing was measured
 */
export function persistenceDetails(benchmark, { storage: storages = [], storageNotMeasured, environment }) {
  const { cases } = benchmark;
  if (cases.length === 0) return [];
  const scale = modes.scaleText(cases);
  const loads = [...new Set(cases.map(({ params }) => modes.loadTitle(params)))];
  const architectures = architectureTable(benchmark, figures.storagesOf(benchmark, storages)[0]);
  return [
    ...(environment ? aboutOthers(withoutHelpers(cases, storages), environment.cores).map(markdown) : []),
    heading(3, 'Storage'),
    ...storageBlocks(storages),
    ...(storageNotMeasured === undefined ? [] : [text(`Further storage was not measured: ${storageNotMeasured}`)]),
    ...(scale === '' ? [] : [text(`${scale}.`)]),
    ...loads.flatMap((load) => [
      heading(3, load),
      ...loadBlocks(
        benchmark,
        cases.filter(({ params }) => modes.loadTitle(params) === load),
      ),
    ]),
    ...(architectures.length > 0 ? [heading(3, 'Architectures'), ...architectures] : []),
    list(notes(benchmark)),
  ];
}

/**
 * @param {Storage} storage
 * @returns {boolean} a file system of another program, such as GlusterFS
 */
function isNetwork({ filesystem = '' }) {
  return filesystem.startsWith('fuse.');
}

/**
 * Children of the server and the programs of a volume use CPU for a case, and are neither node nor load.
 *
 * @param {CaseResult[]} cases
 * @param {readonly StorageInfo[]} storages
 */
function withoutHelpers(cases, storages) {
  const served = storages.filter((storage) => storage.emulated || isNetwork(storage)).map(({ label }) => label);
  return cases.filter(
    ({ params: { during, settings, storage } }) =>
      during === undefined && !settings?.save && !served.includes(storage ?? ''),
  );
}

/**
 * @param {readonly StorageInfo[]} storages
 * @returns {Block[]}
 */
function storageBlocks(storages) {
  if (storages.length === 0) return [text('This result does not describe the storage.')];
  const rows = storages.map(({ label, emulated, how, filesystem, freeBytes, fsyncNs }) => [
    label,
    emulated && !/emulated/i.test(how) ? `emulated: ${how}` : how,
    filesystem,
    bytes(freeBytes),
    ...[fsyncNs.p50, fsyncNs.p99, fsyncNs.max].map(duration),
  ]);
  const samples = storages.map(({ fsyncNs }) => count(fsyncNs.samples)).join(', ');
  return [
    table(
      ['storage', 'description', 'file system', ...rightAligned(['free before', 'sync p50', 'sync p99', 'longest'])],
      rows,
    ),
    text(
      `A sync writes 4 KiB and calls \`fdatasync\`, one after the other, before the benchmark (${samples} samples). Power loss is not tested.`,
    ),
  ];
}

/**
 * @param {string} title
 * @param {(params: CaseParams) => string} cell
 * @returns {Column}
 */
const place = (title, cell) => column.left(title, ({ params }) => cell(params));

/** Columns with one value for all rows become a sentence above the table. @type {readonly Column[]} */
const PLACES = Object.freeze([
  place('storage', ({ storage }) => storage ?? ''),
  place('nodes', modes.nodesTitle),
  place('data set', modes.dataSetTitle),
  place('payload', modes.payloadTitle),
]);

/**
 * @param {BenchmarkResult} benchmark the cases without persistence are in it
 * @returns {Column[]}
 */
function measuredColumns(benchmark) {
  /** @type {(cell: (result: CaseResult, ratios: figures.Ratios) => string) => Column['cell']} */
  const compared = (cell) => (result) => {
    const ratios = ratiosTo(result, offOf(benchmark, result));
    return ratios ? cell(result, ratios) : '';
  };
  return [
    place('persistence', modes.modeTitle),
    column.right('answered (interval)', ({ summary }) => interval(summary.throughput, rate)),
    column.right(
      '× none',
      compared((_, { throughput }) => interval(throughput, times)),
    ),
    column.right('mean (over rounds)', (result) => interval(figures.meanOf(result), duration)),
    column.p50,
    column.right('p99 (over rounds)', p99Cell),
    column.right(
      'p99 × none',
      compared((_, { p99 }) => (p99 ? interval(p99, times) : '')),
    ),
    column.right('longest', ({ summary }) => (summary.samples === 0 ? '' : duration(summary.latencyNs.max))),
    column.left('verdict', compared(verdictCell)),
    column.right('other writers', (result) => {
      const beside = figures.besideRate(result);
      return beside === null ? '' : rate(beside);
    }),
    column.right('delayed fsyncs', (result) => {
      const { delayedFsyncs } = figures.evidenceOf(result);
      return delayedFsyncs === null ? '' : count(delayedFsyncs);
    }),
    column.left('longest event', (result) => eventText(figures.evidenceOf(result))),
    column.right('fork', (result) => forkText(figures.evidenceOf(result))),
    column.limitedBy,
  ];
}

/**
 * @param {CaseResult} result
 * @param {figures.Ratios} ratios
 * @returns {string} empty where no question is asked
 */
function verdictCell(result, ratios) {
  const { operation, payloadBytes, replicas, settings } = result.params;
  if (payloadBytes !== modes.PAYLOAD || replicas !== 0) return '';
  if (operation === 'get') return figures.effectOn(ratios);
  return operation === 'set' && settings?.appendonly === 'yes' ? figures.verdictOn(result, ratios) : '';
}

/** @param {figures.Evidence} evidence */
function eventText({ longestEvent }) {
  return longestEvent === null ? '' : `${longestEvent.name} ${duration(longestEvent.ms * NS_A_MS)}`;
}

/** @param {figures.Evidence} evidence */
function forkText({ fork }) {
  return fork === null ? '' : `${duration(fork.us * NS_A_US)}${fork.before ? ', before' : ''}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult[]} cases of one kind of load
 * @returns {Block[]}
 */
function loadBlocks(benchmark, cases) {
  const varies = (/** @type {Column} */ { cell }) => new Set(cases.map(cell)).size > 1;
  const common = PLACES.filter((each) => !varies(each)).map(({ title, cell }) => `${title}: ${cell(cases[0])}`);
  const columns = [
    ...PLACES.filter(varies),
    // An empty column only widens the table.
    ...measuredColumns(benchmark).filter(({ cell }) => cases.some((one) => cell(one) !== '')),
  ];
  const shown = table(columns, cases);
  const few = `${column.TOO_FEW} : fewer than ${column.ENOUGH_BEYOND} independent values lie beyond the percentile.`;
  return [
    ...(common.length === 0 ? [] : [text(`In every row ${common.join(', ')}.`)]),
    shown,
    ...(cellsOf(shown).flat().includes(column.TOO_FEW) ? [text(few)] : []),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage | undefined} storage
 * @returns {Block[]} the arrangements that keep data on a disk, fastest first; none without a pair of nodes
 */
function architectureTable(benchmark, storage) {
  const paired = pairs(benchmark, storage).filter(({ params }) => params.mode !== 'off');
  if (!storage || paired.length === 0) return [];
  const alone = casesOn(benchmark, storage, { operation: 'set', mode: 'everysec', preloadKeys: undefined });
  const sorted = [...alone, ...paired].sort((a, b) => b.summary.throughput.median - a.summary.throughput.median);
  const [best, second] = sorted.map(({ summary }) => summary.throughput);
  const rows = sorted.map((result) => {
    const ratios = ratiosTo(result, offOf(benchmark, result));
    const sent = figures.sentShare(result);
    return [
      modes.nodesTitle(result.params),
      modes.modeTitle(result.params),
      interval(result.summary.throughput, rate),
      ratios ? interval(ratios.throughput, times) : '',
      p99Cell(result),
      sent === null ? '' : interval(sent, percent),
    ];
  });
  return [
    table(['nodes', 'persistence', ...rightAligned(['SETs answered', '× none', 'p99', 'sent to the replica'])], rows),
    ...(second && second.high >= best.low
      ? [text('The order of the first two is undecided: their intervals overlap.')]
      : []),
    text(
      `Sent to the replica: the share of the acknowledged bytes, median and range of rounds. Below ${percent(KEEPS_UP)} the replica falls behind.`,
    ),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {string[]}
 */
function notes({ cases, pace }) {
  const rounds = Math.max(...cases.map((one) => one.rounds.length));
  const preloaded = Math.max(0, ...cases.map(({ params }) => params.preloadKeys ?? 0));
  const thresholds = cases.map(({ params }) => modes.thresholdSeconds(params.replicaSettings));
  return [
    '× none: relative to the same load, nodes, data set and storage without persistence, paired by round; the median of the rounds’ ratios.',
    `In parentheses: the ${intervalName(rounds)}.`,
    `Verdict on SET: good means ${figures.GOOD}, in the whole interval. Verdict on GET: affected means ${figures.READS_AFFECTED}.`,
    ...(pace !== undefined && thresholds.some((seconds) => seconds > pace.seconds)
      ? ['A round is too short for the thresholds of the replica’s snapshots: their cost is not included.']
      : []),
    ...(cases.some(({ params }) => params.preloadKeys === undefined)
      ? [
          'Data set small: only the keys that the load draws from. Each was written once before, so that a GET finds a value.',
        ]
      : []),
    ...(preloaded > 0 ? [`${count(preloaded)} keys were preloaded; the load draws from all of them.`] : []),
    'Delayed fsyncs, longest event (10 ms and more) and fork: `aof_delayed_fsync`, LATENCY LATEST and `latest_fork_usec` of the primary, all rounds.',
    ...(cases.some((one) => figures.evidenceOf(one).fork?.before)
      ? ['A fork marked “before” came before the timed round: no latency includes it.']
      : []),
    ...(pace === undefined
      ? []
      : [
          `With everysec Redis delays a write for up to 2 s while a sync runs, and counts only then a delayed fsync; a round takes ${pace.seconds} s.`,
          `A round of ${pace.seconds} s shows a burst of writes. How long the storage sustains it is not measured.`,
        ]),
  ];
}
