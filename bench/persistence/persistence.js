/** @import { Where } from './modes.js' */
/** @import { Benchmark, BenchmarkResult, Block, Case, CaseFigures, ColumnSpec, Result } from '../types.js' */

import { rowsOf } from '../../src/facts/query.js';
import { bytes, count, duration } from '../../src/format.js';
import { heading, table, text } from '../../src/report/blocks.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import { figures, tableOf } from '../../src/report/specs.js';
import { right } from '../../src/table.js';
import { readYaml } from '../../src/yaml.js';
import { suiteTerms } from '../facts.js';
import { declaredIn } from '../pages/declared.js';
import { columnsIn } from '../pages/fact-table.js';
import { persistenceChecks } from './checks.js';
import { ARTICLE_KEYS, ARTICLE_REQUESTS, loadTitle, modeTitle, PAYLOAD, persistenceCase, SMALL } from './modes.js';
import { StorageParameters, storageOf } from './options.js';

const { columns, ...DECLARED } = declaredIn(new URL('texts.yaml', import.meta.url)).persistence;
/** Values of the data set that has as many keys as the article's. With its large values it needs 63 GiB. */
const TINY = 100;
const WRITERS = 4;

/** @satisfies {Record<string, Partial<Where>>} */
const LOADS = {
  set: { operation: 'set' },
  get: { operation: 'get' },
  ping: { operation: 'ping' },
  beside: { operation: 'get', backgroundConnections: WRITERS },
};

/** @typedef {'alone' | 'small' | 'many' | 'preloaded' | 'pair' | 'split' | 'further' | 'furtherPreloaded'} LoadPart */

/** Modes by load. @type {Readonly<Record<'quick' | 'whole', Record<LoadPart, Partial<Record<keyof typeof LOADS, string[]>>>>>} */
const CHOICES = readYaml(new URL('choices.yaml', import.meta.url));

/** Of the local disk in the article, what they are compared with, and what it leaves out. @type {readonly string[]} */
const ARTICLE_MODES = [
  'off',
  'thresholds',
  'everysec-thresholds',
  'everysec-thresholds-tuning-1',
  'everysec-thresholds-tuning-2',
  'everysec',
  'always',
];

/** @type {Benchmark} */
export default {
  ...DECLARED,
  needs: ['stop', 'configure', 'stats'],
  kind: 'load',
  parameters: StorageParameters,
  stacks: {
    storage: storageOf,
    settings: {
      'min-replicas-to-write': '0',
      save: '',
      'auto-aof-rewrite-percentage': '0',
      // A replica on the same machine cannot keep up with gigabytes a second. Past the default of 256mb the primary disconnects it,
      // and the round would measure a full resync.
      'client-output-buffer-limit': 'replica 4gb 0 0',
      // The default of 1mb holds six such values.
      'repl-backlog-size': '64mb',
    },
  },
  whyNotCase: async ({ params }, { about: { backend } }) =>
    params.replicaStorage === undefined || backend === 'local'
      ? null
      : 'All containers of a stack keep their files in one place. Measure this case with --backend local.',
  cases: ({ profile, client, storages, parameters }) => {
    const preloadKeys = parameters?.preloadKeys ?? profile.preloadKeys;
    const [first, ...others] = storages;
    const isQuick = profile.name === 'quick';
    const choice = CHOICES[isQuick ? 'quick' : 'whole'];
    /** @type {(part: LoadPart, where?: Partial<Where>, asTheirs?: boolean) => Case[]} asTheirs: those of the article with its number of requests */
    const each = (part, where, asTheirs = false) =>
      Object.entries(choice[part]).flatMap(([load, modes]) =>
        modes.map((mode) => {
          const own = LOADS[/** @type {keyof typeof LOADS} */ (load)];
          const counted = asTheirs && !isQuick && !('backgroundConnections' in own) && ARTICLE_MODES.includes(mode);
          const place = { client, payloadBytes: PAYLOAD, storage: first.label, ...own, ...where };
          return persistenceCase(mode, counted ? { ...place, requests: ARTICLE_REQUESTS } : place);
        }),
      );
    return [
      ...each('alone', {}, true),
      ...each('small', { payloadBytes: SMALL }),
      ...each('many', { payloadBytes: TINY, preloadKeys: ARTICLE_KEYS }),
      ...each('preloaded', { preloadKeys }, true),
      ...each('pair', { replicas: 1 }),
      ...others.flatMap(({ label }) => [
        ...each('split', { replicas: 1, replicaStorage: label }),
        ...each('further', { storage: label }),
        ...each('furtherPreloaded', { storage: label, preloadKeys }),
      ]),
    ];
  },
  table: [],
  details: persistenceDetails,
  checks: (result) => [everyWriteAcked(result), ...persistenceChecks(result)],
};

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  { title: 'persistence', text: ({ params }) => modeTitle(params) },
  { title: 'storage', text: ({ params }) => params.storage ?? '' },
  figures('replicas', ({ params }) => count(params.replicas ?? 0)),
  figures('loaded keys', ({ params }) => count(params.preloadKeys ?? 0)),
  figures('value', ({ params }) => `${count(params.payloadBytes)} B`),
  ...columnsIn(columns),
];

/** @param {BenchmarkResult} benchmark @param {Result} run @returns {Block[]} none when nothing was measured */
function persistenceDetails(benchmark, run) {
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
