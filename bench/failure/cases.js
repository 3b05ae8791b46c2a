/**
 * The cases of failure benchmarks: which modes and writers, and how reports call them.
 *
 * @import { ClientName } from '../../src/clients/types.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case, CaseOptions, Titles, TrialBenchmark } from '../../src/run/types.js'
 * @import { Mode, ModeName, TrialMode } from './modes.js'
 */
import { placedWriter } from '../../src/load/writers/place.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { lengthTitle } from './lengths.js';
import { isPossible, modeTitle, TRIAL_MODES } from './modes.js';

/**
 * Writers with the native client, side by side, each with its own keys: the sticky client and the failover-aware one.
 */
export const OWN_WRITERS = Object.freeze(/** @type {const} */ (['sticky', 'failover-aware']));
/** Clients of a network of groups. */
export const PLACES = Object.freeze({ minority: 'minority', majority: 'majority', everywhere: 'everywhere' });
/** The same clients, each in a group of the network: with the minority, with the majority, and one that reaches both. */
export const PLACED_WRITERS = Object.freeze([
  `sticky@${PLACES.minority}`,
  `failover-aware@${PLACES.majority}`,
  `failover-aware@${PLACES.everywhere}`,
]);
/** All writers with the native client. @type {readonly string[]} */
export const NATIVE_WRITERS = Object.freeze([...OWN_WRITERS, ...PLACED_WRITERS]);
/** By library: its Sentinel client with default options, with other options, and the client of examples/. They write side by side. */
const WRITERS_OF_LIBRARY = Object.freeze({
  redis: /** @type {const} */ (['redis', 'redis-example']),
  ioredis: /** @type {const} */ (['ioredis', 'ioredis-detector', 'ioredis-example']),
});
const LIBRARIES = /** @type {const} */ (['redis', 'ioredis']);
/** Writers that use a library. */
export const LIBRARY_WRITERS = Object.freeze(Object.values(WRITERS_OF_LIBRARY).flat());
/** Those that run the files of examples/. */
export const EXAMPLE_WRITERS = Object.freeze(/** @type {const} */ (['redis-example', 'ioredis-example']));

/** Enough connections that one slow answer does not hold up the rest; few enough that a stall shows at once. */
const CONNECTIONS = 10;
/** Writes that an application has under way at once through a library's one connection. */
const LIBRARY_CONCURRENCY = 10;
/** A write every 5 ms, as an application writes. */
const LIBRARY_RATE = 200;

/** A node that is back within this time was never missed: down-after-milliseconds of Redis's own configuration. */
export const LATE_DOWN_AFTER_MS = 30_000;

/** @type {readonly ModeName[]} */
const USUAL_MODES = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'];

/** Where a title differs from the name in result.json. @type {Readonly<Record<string, string>>} */
const WRITER_TITLES = Object.freeze({
  redis: 'node-redis',
  'redis-example': 'node-redis example',
  'ioredis-detector': 'ioredis detector',
  'ioredis-example': 'ioredis example',
});
/** @type {Readonly<Record<string, string>>} */
const VARIANT_TITLES = Object.freeze({
  'by-hand': 'by runbook',
  coordinated: 'coordinated',
  one: '1 Sentinel lost',
  two: '2 Sentinels lost',
  'in-place': 'restarted in place',
  rewrite: 'restarted during a rewrite',
  promoted: 'replica promoted',
  again: 'again and again',
  'first-only': 'set on the first primary only',
  everywhere: 'set everywhere',
  'by-failover': 'by SENTINEL FAILOVER',
  'by-sigterm': 'by SIGTERM',
  'by-script': 'by planned-failover.sh',
});

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) =>
    params.client === 'native' ? caseTitle(params) : `${caseTitle(params)}, ${writerTitle(params.client)}`,
  writer: writerTitle,
});

/**
 * What every scenario declares. Its figures are in the tables of the suite, so it has neither a table nor a brief of its own.
 *
 * @satisfies {Partial<TrialBenchmark>}
 */
export const SCENARIO = Object.freeze({
  kind: /** @type {const} */ ('trial'),
  table: [],
  titles: TITLES,
  brief: () => [],
});

/**
 * @param {CaseParams} params
 * @returns {string} such as `WAIT 1`, `async (by runbook)`
 */
export function caseTitle(params) {
  return params.variant === undefined ? modeTitle(params) : withNote(modeTitle(params), variantTitle(params.variant));
}

/**
 * @param {string} title of a mode
 * @param {string} note what a case does differently
 * @returns {string} without a comma outside of parentheses, so that titles can be listed: `min-replicas 1 (lag 1; by runbook)`
 */
export function withNote(title, note) {
  return title.endsWith(')') ? `${title.slice(0, -1)}; ${note})` : `${title} (${note})`;
}

/** @param {string} variant */
export function variantTitle(variant) {
  return VARIANT_TITLES[variant] ?? lengthTitle(variant) ?? variant;
}

/** @param {string} writer */
export function writerTitle(writer) {
  const { kind, place } = placedWriter(writer);
  const title = WRITER_TITLES[kind] ?? kind;
  return place === undefined ? title : `${title} (${place})`;
}

/**
 * @param {Pick<CaseOptions, 'profile' | 'client' | 'server'>} options
 * @param {Object} wanted
 * @param {readonly TrialMode[]} wanted.modes of our own writers; without those that the server does not know
 * @param {readonly string[]} [wanted.writers] default: the two with the native client
 * @param {boolean} [wanted.everyMode] the larger profiles add the usual modes; default false
 * @param {readonly ModeName[]} [wanted.libraries] modes in which the libraries write; default: none
 * @param {string} [wanted.variant] name of what these cases do differently
 * @param {Record<string, string>} [wanted.settings] of every Redis node, beside the mode's
 * @param {number} [wanted.connections] of each of our own writers
 * @param {number} [wanted.downAfterMs] of the Sentinels; default: the stack's
 * @returns {Case[]}
 */
export function failureCases(
  { profile, client, server },
  { modes, everyMode = false, libraries = [], writers: native = OWN_WRITERS, ...how },
) {
  const usual = everyMode && profile.name !== 'quick' ? USUAL_MODES : [];
  const own = [...new Set([...modes, ...usual])]
    .filter((mode) => isPossible(mode, server))
    .map((mode) =>
      makeFailureCase(mode, {
        ...how,
        writers: [...native],
        client: 'native',
        rate: profile.writesPerSecond,
      }),
    );
  const theirs = LIBRARIES.flatMap((name) =>
    libraries.map((mode) => {
      const writers = [...WRITERS_OF_LIBRARY[name]];
      return makeFailureCase(mode, { ...how, writers, client: name, rate: LIBRARY_RATE });
    }),
  );
  return [...own, ...theirs].filter(({ params }) => client === undefined || params.client === client);
}

/**
 * @param {TrialMode} name
 * @param {{variant?: string, settings?: Record<string, string>, connections?: number, downAfterMs?: number, writers: string[],
 *   client: ClientName, rate: number}} how
 * @returns {Case}
 */
function makeFailureCase(name, { variant, settings, connections = CONNECTIONS, downAfterMs, writers, client, rate }) {
  /** @type {Mode} */
  const mode = TRIAL_MODES[name];
  const own = client === 'native';
  return {
    id: [name, ...(variant ? [variant] : []), ...(own ? [] : [client])].join('-'),
    params: {
      ...DEFAULT_PARAMS,
      client,
      wait: mode.wait,
      ...(mode.waitLocal !== undefined && { waitLocal: mode.waitLocal }),
      ...(mode.waitTimeoutMs !== undefined && { waitTimeoutMs: mode.waitTimeoutMs }),
      // An application awaits its write before it sends the WAIT.
      waitMode: own ? 'pipelined' : 'sequential',
      connections: own ? connections : LIBRARY_CONCURRENCY,
      rate,
      mode: name,
      ...(variant && { variant }),
      writers,
      settings: { ...mode.settings, ...settings },
      ...(downAfterMs !== undefined && { downAfterMs }),
      ...(mode.replicaSettings && { replicaSettings: { ...mode.replicaSettings } }),
    },
  };
}
