/**
 * @import { Case } from '../../src/run/types.js'
 * @import { ModeName, Where } from './modes.js'
 */
import { count } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import { persistenceCharts } from './chart.js';
import { persistenceChecks } from './checks.js';
import { persistenceDetails } from './details.js';
import { ALONE_MODES, ARTICLE_KEYS, ARTICLE_REQUESTS, PAYLOAD, persistenceCase, SMALL } from './modes.js';
import { StorageParameters, storageOf } from './options.js';

/** @import { Benchmark } from '../../src/run/types.js' */

/** Values of the data set that has as many keys as the article's. With its large values it needs 63 GiB. */
const TINY = 100;
/** Connections that write while others read. */
const WRITERS = 4;

/** @satisfies {Record<string, Partial<Where>>} */
const LOADS = {
  set: { operation: 'set' },
  get: { operation: 'get' },
  ping: { operation: 'ping' },
  beside: { operation: 'get', backgroundConnections: WRITERS },
};

/** With a preloaded data set, whose files take long to write: modes with and without forks. @type {ModeName[]} */
const PRELOADED_MODES = [
  'off',
  'everysec',
  'always',
  'everysec-rewrite',
  'everysec-rewrite-no-fsync',
  'snapshot',
  'everysec-thresholds-tuning-2',
];
/**
 * Rounds of a second are too short for these: the kernel's own writing, a setting that acts only during a rewrite, and a save that
 * thresholds start at most every other second.
 *
 * @type {ModeName[]}
 */
const LONGER_MODES = ['aof-no', 'everysec-no-fsync-on-rewrite', 'rdb'];
/** The article's setting with a large data set. */
const TUNED = 'everysec-thresholds-tuning-2';
/** Of the local disk in the article, what they are compared with, and what it leaves out. @type {ModeName[]} */
const ARTICLE_MODES = [
  'off',
  'thresholds',
  'everysec-thresholds',
  'everysec-thresholds-tuning-1',
  TUNED,
  'everysec',
  'always',
];
/** On the further storages. @type {ModeName[]} */
const REDUCED_MODES = ['off', 'everysec', 'always', 'everysec-rewrite', 'snapshot', 'everysec-thresholds'];
/** With many small keys. @type {ModeName[]} */
const MANY_MODES = ['off', 'everysec-thresholds', 'everysec-rewrite'];
/** With a replica: AOF on both nodes, AOF on the replica only, and the article's split with RDB only. @type {ModeName[]} */
const PAIR_MODES = ['off', 'everysec', 'split', 'split-rdb'];

/** @type {Benchmark} */
export default {
  name: 'persistence',
  question: 'What does keeping data on disk cost, with large values?',
  method:
    `Each of 20 connections sends one command and waits for its answer. Except in profile quick, the article’s cases on the first storage take its ${count(ARTICLE_REQUESTS)} ` +
    'requests a round, others a time. AOF and RDB are turned on and off between the rounds of ' +
    'one stack. A round begins when the append-only file is complete. Automatic rewrites are off unless a case says otherwise. In a ' +
    'case with a running rewrite there is one after the other. Turning AOF off syncs its file first. If two rounds in a row have the same settings, the ' +
    'system may still write data of the first during the second. p99 is the median of the rounds’ p99, with its interval over rounds: ' +
    'a round that stalled is its upper end. A replica’s output buffer may hold 4 GB: at the default of ' +
    '256 MB a slow replica would be disconnected and need a full resync.',
  needs: ['stop', 'configure', 'stats'],
  kind: 'load',
  parameters: StorageParameters,
  stacks: {
    storage: storageOf,
    settings: {
      'min-replicas-to-write': '0',
      save: '',
      'auto-aof-rewrite-percentage': '0',
      // The latency monitor records events of 10 ms and more: they delayed every client.
      'latency-monitor-threshold': '10',
      // A replica on the same machine cannot keep up with gigabytes a second. Past the default of 256mb the primary disconnects it,
      // and the round would measure a full resync.
      'client-output-buffer-limit': 'replica 4gb 0 0',
      // The default of 1mb holds six such values.
      'repl-backlog-size': '64mb',
    },
  },
  pace: ({ name }) => PACES[name],
  cases: ({ profile, client, storages, parameters }) => {
    const preloadKeys = parameters?.preloadKeys ?? profile.preloadKeys;
    const [first, ...further] = storages;
    const choice = profile.name === 'quick' ? quickChoice() : wholeChoice();
    /** @type {(modes: readonly ModeName[], where: Partial<Where>) => Case[]} */
    const each = (modes, where) =>
      modes.map((mode) => persistenceCase(mode, { client, payloadBytes: PAYLOAD, storage: first.label, ...where }));
    /** @type {(modes: readonly ModeName[], where: Partial<Where>) => Case[]} those of the article with its number of requests */
    const asTheirs = (modes, where) => {
      const timed = profile.name === 'quick' || where.backgroundConnections !== undefined;
      return modes.flatMap((mode) =>
        each([mode], !timed && ARTICLE_MODES.includes(mode) ? { ...where, requests: ARTICLE_REQUESTS } : where),
      );
    };
    return [
      ...choice.alone.flatMap(([load, modes]) => asTheirs(modes, LOADS[load])),
      ...choice.small.flatMap(([load, modes]) => each(modes, { ...LOADS[load], payloadBytes: SMALL })),
      ...choice.many.flatMap(([load, modes]) =>
        each(modes, { ...LOADS[load], payloadBytes: TINY, preloadKeys: ARTICLE_KEYS }),
      ),
      ...choice.preloaded.flatMap(([load, modes]) => asTheirs(modes, { ...LOADS[load], preloadKeys })),
      ...choice.pair.flatMap(([load, modes]) => each(modes, { ...LOADS[load], replicas: 1 })),
      ...further.flatMap(({ label }) => [
        ...choice.further.flatMap(([load, modes]) => each(modes, { ...LOADS[load], storage: label })),
        ...choice.furtherPreloaded.flatMap(([load, modes]) =>
          each(modes, { ...LOADS[load], storage: label, preloadKeys }),
        ),
      ]),
    ];
  },
  table: [],
  details: persistenceDetails,
  charts: persistenceCharts,
  findings: () => [],
  checks: (result) => [everyWriteAcked(result), ...persistenceChecks(result)],
};

/** Rounds are longer than a second because everysec syncs once a second. */
const PACES = {
  quick: { rounds: 3, seconds: 1.1, warmUpSeconds: 0.1 },
  standard: { rounds: 5, seconds: 3, warmUpSeconds: 0.3 },
  full: { rounds: 7, seconds: 10, warmUpSeconds: 1 },
};

/**
 * @typedef {[keyof typeof LOADS, readonly ModeName[]][]} Chosen
 * @typedef {{alone: Chosen, small: Chosen, many: Chosen, preloaded: Chosen, pair: Chosen, further: Chosen, furtherPreloaded: Chosen}} Choice
 */

/** @returns {Choice} enough for the questions, in six minutes */
function quickChoice() {
  return {
    alone: [
      ['set', ALONE_MODES.filter((mode) => !LONGER_MODES.includes(mode))],
      ['get', ['off', 'thresholds', 'everysec-thresholds']],
      ['beside', ['off', 'everysec', 'always']],
      ['ping', ['off', 'thresholds', 'everysec-thresholds']],
    ],
    small: [['set', ['off', 'everysec', 'always']]],
    many: [['set', MANY_MODES]],
    preloaded: [
      ['set', ['off', 'everysec-rewrite', 'everysec-thresholds-tuning-2']],
      ['get', ['off', 'everysec-rewrite']],
    ],
    pair: [['set', ['off', 'everysec', 'split-rdb']]],
    further: [
      ['set', ['off', 'everysec', 'always', 'everysec-thresholds']],
      ['get', ['off', 'everysec-thresholds']],
      ['ping', ['off', 'everysec-thresholds']],
    ],
    furtherPreloaded: [],
  };
}

/** @returns {Choice} */
function wholeChoice() {
  return {
    alone: [
      ['set', ALONE_MODES],
      ['get', ALONE_MODES],
      ['beside', ALONE_MODES],
      ['ping', ALONE_MODES],
    ],
    small: [
      ['set', ALONE_MODES],
      ['get', REDUCED_MODES],
    ],
    many: [
      ['set', MANY_MODES],
      ['get', MANY_MODES],
    ],
    preloaded: [
      ['set', PRELOADED_MODES],
      ['get', PRELOADED_MODES],
      ['beside', ['off', 'everysec', 'everysec-rewrite', 'snapshot']],
    ],
    pair: [
      ['set', PAIR_MODES],
      ['get', PAIR_MODES],
    ],
    further: [
      ['set', [...REDUCED_MODES, TUNED]],
      ['get', REDUCED_MODES],
      ['beside', REDUCED_MODES],
      ['ping', REDUCED_MODES],
    ],
    furtherPreloaded: [['set', ['off', TUNED]]],
  };
}
