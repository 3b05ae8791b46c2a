/** What details.md has of the persistence benchmark: the storage, and a table for each kind of load. */
/** @import { BenchmarkResult, Block, CaseFigures, ColumnSpec, Result } from '../types.js' */
import { rowsOf } from '../../src/facts/query.js';
import { bytes, count, duration } from '../../src/format.js';
import { heading, table, text } from '../../src/report/blocks.js';
import { figures, tableOf } from '../../src/report/specs.js';
import { right } from '../../src/table.js';
import { suiteTerms } from '../facts.js';
import { loadTitle, modeTitle } from './modes.js';

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  { title: 'persistence', text: ({ params }) => modeTitle(params) },
  { title: 'storage', text: ({ params }) => params.storage ?? '' },
  figures('replicas', ({ params }) => count(params.replicas ?? 0)),
  figures('loaded keys', ({ params }) => count(params.preloadKeys ?? 0)),
  figures('value', ({ params }) => `${count(params.payloadBytes)} B`),
  { title: 'answered', metric: 'throughput', format: 'rate' },
  { title: '× none', metric: 'throughput-ratio', format: 'times' },
  { title: 'from', metric: 'throughput-ratio', show: 'low', format: 'times' },
  { title: 'to', metric: 'throughput-ratio', show: 'high', format: 'times' },
  { title: 'mean', metric: 'mean-service-time', format: 'ms' },
  { title: 'p50', metric: 'p50-service-time', format: 'ms' },
  { title: 'p99', metric: 'p99-service-time', format: 'ms' },
  { title: 'longest', metric: 'longest-service-time', show: 'high', format: 'ms' },
  { title: 'delayed fsyncs', metric: 'primary-delayed-fsyncs', format: 'count' },
  { title: 'latest fork', metric: 'primary-latest-fork', show: 'high', format: 'ms' },
  { title: 'sent to the replica', metric: 'primary-replication-out', format: 'bytes' },
];

/** @param {BenchmarkResult} benchmark @param {Result} run @returns {Block[]} none when nothing was measured */
export function persistenceDetails(benchmark, run) {
  const rows = rowsOf({ ...run, benchmarks: [benchmark] }, suiteTerms);
  if (rows.length === 0) return [];
  const loadOf = (/** @type {CaseFigures} */ { params }) => loadTitle(params);
  return [
    ...storageBlocks(run.storage ?? []),
    ...[...new Set(rows.map(loadOf))].flatMap((load) => [
      heading(3, load),
      tableOf(
        COLUMNS,
        rows.filter((row) => loadOf(row) === load),
      ),
    ]),
    text(
      '× none: against the same load, nodes, data and storage without persistence, paired by round, with its 95% interval. Delayed fsyncs and latest fork: ' +
        '`aof_delayed_fsync` and `latest_fork_usec` of the primary; a fork may be older than the round.',
    ),
  ];
}

/** @param {NonNullable<Result['storage']>} storages */
function storageBlocks(storages) {
  if (storages.length === 0) return [];
  const times = ['free before', 'sync p50', 'sync p99', 'longest'].map((title) => right(title));
  return [
    heading(3, 'Storage'),
    table(
      ['storage', 'description', 'file system', ...times],
      storages.map(({ label, how, filesystem, freeBytes, fsyncNs: { p50, p99, max } }) => [
        ...[label, how, filesystem, bytes(freeBytes)],
        ...[p50, p99, max].map(duration),
      ]),
    ),
    text('A sync writes 4 KiB and calls `fdatasync`, before the benchmark. Power loss is not tested.'),
  ];
}
