/**
 * The persistence benchmark's section: its questions answered, an article's claims, the storage, and a table for each kind of load.
 */
import { markdownTable } from 'markdown-table';
import { ENOUGH_BEYOND, TOO_FEW } from './columns.js';
import { intervalName } from './findings.js';
import { bytes, count, duration } from './format.js';
import { aboutOthers } from './markdown-resources.js';
import { escapeProse, escapeText, list } from './markdown-text.js';
import { persistenceAnswers } from './persistence.js';
import { seedClaims } from './persistence-claims.js';
import { measuredColumns, PLACE_COLUMNS } from './persistence-columns.js';
import { evidenceOf } from './persistence-figures.js';
import { dataSetTitle, loadTitle, scaleText, thresholdSeconds } from './persistence-words.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').StorageInfo} StorageInfo
 * @typedef {import('../run/types.js').Column} Column
 */

/** The level of its headings, below that of the benchmark. */
const HEADING = '###';

/**
 * @param {BenchmarkResult} benchmark of the persistence benchmark
 * @param {Object} [known] of the run
 * @param {readonly StorageInfo[]} [known.storages] what its cases name
 * @param {string} [known.notMeasured] why there is no emulated storage among them, and the remedy
 * @param {number} [known.cores] of the machine
 * @returns {string} Markdown without the benchmark's own heading, question, method and checks; empty when nothing was measured
 */
export function renderPersistence(benchmark, { storages = [], notMeasured, cores } = {}) {
  const { cases, pace } = benchmark;
  if (cases.length === 0) return '';
  const answers = persistenceAnswers(benchmark, storages).map(({ question, short, main, more }) => {
    const reasons = [...main, ...more].map(({ text }) => escapeProse(text));
    return `**${escapeProse(question)}** ${escapeProse(short)}${reasons.length === 0 ? '.' : `:\n\n${list(reasons)}`}`;
  });
  const scale = scaleText(cases);
  const loads = [...new Set(cases.map(({ params }) => loadTitle(params)))];
  return [
    ...(cores === undefined ? [] : aboutOthers(withoutHelpers(cases, storages), cores)),
    `${HEADING} Answers`,
    escapeProse(scale === '' ? '' : `${scale}.`),
    ...answers,
    `${HEADING} Claims examined`,
    list(seedClaims(benchmark, storages).map(({ text }) => escapeProse(text))),
    `${HEADING} Storage`,
    renderStorage(storages),
    notMeasured === undefined ? '' : escapeProse(`Emulated slow storage was not measured: ${notMeasured}`),
    ...loads.flatMap((load) => [
      `${HEADING} ${escapeText(load)}`,
      renderLoad(
        benchmark,
        cases.filter(({ params }) => loadTitle(params) === load),
      ),
    ]),
    list(notes(cases, pace?.seconds).map(escapeProse)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * A child of the server, and what makes storage slow, work for a case without being a node or the load.
 *
 * @param {CaseResult[]} cases
 * @param {readonly StorageInfo[]} storages
 */
function withoutHelpers(cases, storages) {
  const emulated = storages.filter((storage) => storage.emulated).map(({ label }) => label);
  return cases.filter(({ params: { during, settings, storage } }) => {
    return during === undefined && !settings?.save && !emulated.includes(storage ?? '');
  });
}

/** @param {readonly StorageInfo[]} storages */
function renderStorage(storages) {
  if (storages.length === 0) return 'What the storage is was not recorded.';
  const header = ['storage', 'what it is', 'file system', 'free before', 'sync p50', 'sync p99', 'longest'];
  const rows = storages.map(({ label, emulated, how, filesystem, freeBytes, fsyncNs }) => [
    label,
    emulated && !/emulated/i.test(how) ? `emulated: ${how}` : how,
    filesystem,
    bytes(freeBytes),
    duration(fsyncNs.p50),
    duration(fsyncNs.p99),
    duration(fsyncNs.max),
  ]);
  const align = ['left', 'left', 'left', 'right', 'right', 'right', 'right'];
  const table = markdownTable(
    [header, ...rows].map((row) => row.map(escapeText)),
    { align },
  );
  const samples = storages.map(({ fsyncNs }) => count(fsyncNs.samples)).join(', ');
  return `${table}\n\nA sync is a write of 4 KiB and its \`fdatasync\`, one after the other, before anything else ran (${samples} of them). Whether what was synced would outlive a loss of power is not tested.`;
}

/**
 * What all rows have in common is said once, above them.
 *
 * @param {BenchmarkResult} benchmark
 * @param {CaseResult[]} cases of one kind of load
 */
function renderLoad(benchmark, cases) {
  const varies = (/** @type {Column} */ { cell }) => new Set(cases.map(cell)).size > 1;
  const common = PLACE_COLUMNS.filter((column) => !varies(column)).map(
    ({ title, cell }) => `${title}: ${escapeText(cell(cases[0]))}`,
  );
  const columns = [
    ...PLACE_COLUMNS.filter(varies),
    // A column that nothing fills in this table only makes it wider.
    ...measuredColumns(benchmark).filter(({ cell }) => cases.some((one) => cell(one) !== '')),
  ];
  const rows = cases.map((one) => columns.map(({ cell }) => escapeText(cell(one))));
  const table = markdownTable([columns.map(({ title }) => escapeText(title)), ...rows], {
    align: columns.map(({ align }) => align),
  });
  const few = rows.flat().includes(TOO_FEW)
    ? `${TOO_FEW} : too few values to tell; of a percentile, fewer than ${ENOUGH_BEYOND} independent ones beyond it.`
    : '';
  return [common.length === 0 ? '' : `In every row ${common.join(', ')}.`, table, few]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * @param {CaseResult[]} cases
 * @param {number | undefined} seconds of a round
 * @returns {string[]}
 */
function notes(cases, seconds) {
  const small = dataSetTitle({});
  const rounds = Math.max(...cases.map((one) => one.rounds.length));
  const told = [
    '× none: relative to the same load on the same nodes, data set and storage without persistence, paired by round: the median of the rounds’ ratios, and not the ratio of the figures beside it.',
    `In brackets: the ${intervalName(rounds)}.`,
  ];
  if (seconds !== undefined && cases.some(({ params }) => thresholdSeconds(params.replicaSettings) > seconds)) {
    told.push(
      'The thresholds of the replica’s snapshots are not reached within a round: what such a snapshot costs is not in it.',
    );
  }
  if (cases.some(({ params }) => dataSetTitle(params) === small)) {
    told.push(
      `Data set ${small}: nothing is there but the keys that the load itself draws from, each written once before, so that a GET finds a value.`,
    );
  }
  const preloaded = Math.max(0, ...cases.map(({ params }) => params.preloadKeys ?? 0));
  if (preloaded > 0)
    told.push(`${count(preloaded)} keys were preloaded, of the size of the values; the load draws from all of them.`);
  told.push(
    'Delayed fsyncs, longest event (of 10 ms and more) and fork are the primary’s own `aof_delayed_fsync`, LATENCY LATEST and `latest_fork_usec`, of all rounds.',
  );
  if (cases.some((one) => evidenceOf(one).fork?.before)) {
    told.push(
      'A fork “before” began the work before a round was timed, and none came meanwhile: no latency here holds it.',
    );
  }
  if (seconds !== undefined) {
    told.push(
      `With everysec Redis puts a write off for up to 2 s while a sync is under way, and counts it as delayed only then; a round takes ${seconds} s.`,
      `A round of ${seconds} s shows a burst of writes: the system may still hold part of it in memory. For how long the storage keeps up is not measured here.`,
    );
  }
  return told;
}
