import { persistenceCharts } from '../src/report/charts/persistence.js';
import { persistenceFindings } from '../src/report/persistence.js';
import { persistenceChecks } from '../src/report/persistence-checks.js';
import { PERSISTENCE_COLUMNS } from '../src/report/persistence-columns.js';
import { everyWriteAcked } from '../src/run/checks.js';
import { ALONE_MODES, persistenceCase } from '../src/run/persistence-case.js';

/**
 * @typedef {import('../src/run/types.js').Case} Case
 * @typedef {import('../src/run/persistence-case.js').ModeName} ModeName
 * @typedef {import('../src/run/persistence-case.js').Where} Where
 */

/** The seed's: objects as a cache has them. */
const LARGE = 180_000;
const SMALL = 1024;
/** Connections that write while others read. */
const WRITERS = 4;

/** @satisfies {Record<string, Partial<Where>>} */
const LOADS = {
  set: { operation: 'set' },
  get: { operation: 'get' },
  ping: { operation: 'ping' },
  beside: { operation: 'get', backgroundConnections: WRITERS },
};

/** What forks, and what does not: of data sets whose files take long to write. @type {ModeName[]} */
const PRELOADED_MODES = ['off', 'everysec', 'always', 'everysec-rewrite', 'everysec-rewrite-no-fsync', 'snapshot'];
/**
 * What a round of a second tells little of: the kernel's own writing, a setting that acts only while a rewrite runs, and a save that
 * thresholds bring about at most every other second.
 *
 * @type {ModeName[]}
 */
const LONGER_MODES = ['aof-no', 'everysec-no-fsync-on-rewrite', 'rdb'];
/** On further storage. @type {ModeName[]} */
const REDUCED_MODES = ['off', 'everysec', 'always', 'everysec-rewrite', 'snapshot'];
/** With a replica: the seed's split, and against it both nodes with AOF. @type {ModeName[]} */
const PAIR_MODES = ['off', 'everysec', 'split', 'split-rdb'];

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'persistence',
  suite: 'persistence',
  question: 'What does keeping data on disk cost, with large values?',
  method:
    'Each of 20 connections sends one command and waits for its answer. AOF and RDB are turned on and off between the rounds of ' +
    'one stack, and a round begins when the append-only file is complete. Automatic rewrites are off: a rewrite runs when a ' +
    'case asks for it, and then again and again. Turning AOF off syncs its file first; only where two rounds in a row have the same ' +
    'settings does the system still write during the second what the first one left. A replica’s output buffer may hold 4 GB: with ' +
    'the default of 256 MB a replica that falls behind would be cut off and sent the whole data set again.',
  needs: ['stop', 'configure', 'stats'],
  generator: 'writes',
  ownStacks: true,
  usesStorage: true,
  stackSettings: {
    'min-replicas-to-write': '0',
    save: '',
    'auto-aof-rewrite-percentage': '0',
    // Events of 10 ms and more become evidence: which work held every client up.
    'latency-monitor-threshold': '10',
    // A replica on the same machine takes less than a primary is sent: gigabytes a second of large values. Past the default of
    // 256mb it would be cut off, and what is measured would be its full resync.
    'client-output-buffer-limit': 'replica 4gb 0 0',
    // The default of 1mb is six such values.
    'repl-backlog-size': '64mb',
  },
  pace: ({ name }) => PACES[name],
  cases: ({ profile, client, storages }) => {
    const [first, ...further] = storages;
    const choice = profile.name === 'quick' ? quickChoice() : wholeChoice();
    /** @type {(modes: readonly ModeName[], where: Partial<Where>) => Case[]} */
    const each = (modes, where) =>
      modes.map((mode) => persistenceCase(mode, { client, payloadBytes: LARGE, storage: first.label, ...where }));
    return [
      ...choice.alone.flatMap(([load, modes]) => each(modes, LOADS[load])),
      ...choice.small.flatMap(([load, modes]) => each(modes, { ...LOADS[load], payloadBytes: SMALL })),
      ...choice.preloaded.flatMap(([load, modes]) => each(modes, { ...LOADS[load], preloadKeys: profile.preloadKeys })),
      ...choice.pair.flatMap(([load, modes]) => each(modes, { ...LOADS[load], replicas: 1 })),
      ...further.flatMap(({ label }) =>
        choice.further.flatMap(([load, modes]) => each(modes, { ...LOADS[load], storage: label })),
      ),
    ];
  },
  table: PERSISTENCE_COLUMNS,
  charts: persistenceCharts,
  findings: persistenceFindings,
  checks: (result) => [everyWriteAcked(result), ...persistenceChecks(result)],
};

/** Longer than a second, for everysec syncs once a second. */
const PACES = {
  quick: { rounds: 3, seconds: 1.1, warmUpSeconds: 0.1 },
  standard: { rounds: 5, seconds: 3, warmUpSeconds: 0.3 },
  full: { rounds: 7, seconds: 10, warmUpSeconds: 1 },
};

/**
 * @typedef {[keyof typeof LOADS, readonly ModeName[]][]} Chosen
 * @typedef {{alone: Chosen, small: Chosen, preloaded: Chosen, pair: Chosen, further: Chosen}} Choice
 */

/** @returns {Choice} what the questions need, in four minutes */
function quickChoice() {
  return {
    alone: [
      ['set', ALONE_MODES.filter((mode) => !LONGER_MODES.includes(mode))],
      ['get', ['off', 'everysec']],
      ['beside', ['off', 'everysec', 'always']],
      ['ping', ['off', 'everysec']],
    ],
    small: [['set', ['off', 'everysec', 'always']]],
    preloaded: [
      ['set', ['off', 'everysec', 'everysec-rewrite']],
      ['get', ['off', 'everysec-rewrite']],
    ],
    pair: [['set', ['off', 'everysec', 'split']]],
    further: [
      ['set', ['off', 'everysec', 'always']],
      ['get', ['off', 'everysec']],
      ['beside', ['off', 'everysec']],
    ],
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
      ['set', REDUCED_MODES],
      ['get', REDUCED_MODES],
      ['beside', REDUCED_MODES],
    ],
  };
}
