/**
 * The persistence modes that the benchmark compares, their cases, and the names of both in reports.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Case } from '../../src/run/types.js'
 */
import { bytes, count } from '../../src/format.js';
import { makeCase } from '../../src/run/case.js';

/**
 * @typedef {Object} Mode
 * @property {Readonly<Record<string, string>>} settings of every Redis node
 * @property {Readonly<Record<string, string>>} [replicaSettings] of the replicas, instead
 * @property {NonNullable<CaseParams['during']>} [during] work that the primary repeats during the round
 */

/** The article's size of a value, which the questions are about. The tables hold the smaller values too. */
export const PAYLOAD = 180_000;
/** Values such as many applications have. */
export const SMALL = 1024;

/** Every mode sets all of these, so none inherits a setting. AOF comes last: it is turned on with its final settings. */
const OFF = {
  'min-replicas-to-write': '0',
  save: '',
  // Only a case that asks for a rewrite has one.
  'auto-aof-rewrite-percentage': '0',
  'no-appendfsync-on-rewrite': 'no',
  appendfsync: 'everysec',
  appendonly: 'no',
};
const EVERYSEC = { ...OFF, appendonly: 'yes' };
const NO_FSYNC_ON_REWRITE = { ...EVERYSEC, 'no-appendfsync-on-rewrite': 'yes' };
/** Much shorter than in practice: a round of a few seconds has to see a save. */
const THRESHOLDS = '1 1';
/** The thresholds that Redis has without a configuration, and its automatic rewrite, as in the article. */
const DEFAULT_THRESHOLDS = '3600 1 300 100 60 10000';
const AS_DEPLOYED = { ...EVERYSEC, save: DEFAULT_THRESHOLDS, 'auto-aof-rewrite-percentage': '100' };
/** The article's generous thresholds. */
const GENEROUS = '3600 1';

/** @satisfies {Record<string, Mode>} */
const modes = {
  off: { settings: OFF },
  'aof-no': { settings: { ...EVERYSEC, appendfsync: 'no' } },
  everysec: { settings: EVERYSEC },
  always: { settings: { ...EVERYSEC, appendfsync: 'always' } },
  'everysec-no-fsync-on-rewrite': {
    settings: NO_FSYNC_ON_REWRITE,
  },
  'everysec-rewrite': { settings: EVERYSEC, during: 'rewrite' },
  'everysec-rewrite-no-fsync': {
    settings: NO_FSYNC_ON_REWRITE,
    during: 'rewrite',
  },
  rdb: { settings: { ...OFF, save: THRESHOLDS } },
  snapshot: { settings: OFF, during: 'snapshot' },
  thresholds: { settings: { ...OFF, save: DEFAULT_THRESHOLDS } },
  'everysec-thresholds': { settings: AS_DEPLOYED },
  // The article does not say what its two tunings set. It names these settings.
  'everysec-thresholds-tuning-1': { settings: { ...AS_DEPLOYED, 'no-appendfsync-on-rewrite': 'yes' } },
  'everysec-thresholds-tuning-2': {
    settings: { ...AS_DEPLOYED, save: GENEROUS, 'no-appendfsync-on-rewrite': 'yes' },
  },
  split: {
    settings: OFF,
    replicaSettings: { ...EVERYSEC, save: '60 1' },
  },
  'split-rdb': {
    settings: { ...OFF, save: GENEROUS },
    replicaSettings: { ...OFF, save: THRESHOLDS },
  },
};

/** @typedef {keyof typeof modes} ModeName */

/** @type {Readonly<Record<ModeName, Mode>>} */
export const MODES = Object.freeze(modes);

/** For the primary alone, in the order of the table. @type {readonly ModeName[]} */
export const ALONE_MODES = Object.freeze([
  'off',
  'aof-no',
  'everysec',
  'always',
  'everysec-no-fsync-on-rewrite',
  'everysec-rewrite',
  'everysec-rewrite-no-fsync',
  'rdb',
  'snapshot',
  'thresholds',
  'everysec-thresholds',
  'everysec-thresholds-tuning-1',
  'everysec-thresholds-tuning-2',
]);

/** As in the article: many clients, each waiting for its answer. */
const CONNECTIONS = 20;

/**
 * @typedef {Pick<CaseParams, 'payloadBytes' | 'storage'> & Partial<Pick<CaseParams,
 *   'client' | 'operation' | 'replicas' | 'preloadKeys' | 'backgroundConnections' | 'requests'>>} Where
 *
 * @param {ModeName} mode
 * @param {Where} where
 * @returns {Case} whose cost is relative to `off` in the same place
 */
export function persistenceCase(mode, { preloadKeys, ...where }) {
  const { settings, replicaSettings, during } = MODES[mode];
  const { id, ...made } = makeCase(
    {
      operation: 'set',
      replicas: 0,
      ...where,
      connections: CONNECTIONS,
      mode,
      settings: { ...settings },
      ...(replicaSettings && { replicaSettings: { ...replicaSettings } }),
      during,
      // The load draws from all preloaded keys.
      ...(preloadKeys !== undefined && { preloadKeys, keyspace: preloadKeys }),
    },
    { mode: 'off', during: undefined },
  );
  return { ...made, id: stableId(id), ...(made.baseline && { baseline: stableId(made.baseline) }) };
}

/** @param {string} id the same in every profile, whatever its number of keys */
function stableId(id) {
  return id.replace(/-preload\d+/, '-preloaded');
}

/** The number of requests of the article's runs. */
export const ARTICLE_REQUESTS = 50_000;
/** The number of keys of the article's data set. */
export const ARTICLE_KEYS = 375_795;
/** File systems in memory: nothing is synced to a disk. */
export const IN_MEMORY = ['tmpfs', 'ramfs'];

/**
 * @param {Pick<CaseParams, 'settings' | 'replicaSettings' | 'during' | 'replicas'>} params
 * @returns {string} such as `AOF everysec, rewrite running`
 */
export function modeTitle({ settings = {}, replicaSettings, during, replicas = 0 }) {
  if (replicaSettings) {
    const primary = settings.save ? `primary ${modeTitle({ settings })}, ` : '';
    return `split: ${primary}replica ${modeTitle({ settings: replicaSettings })}`;
  }
  const parts = [];
  if (settings.appendonly === 'yes') parts.push(`AOF ${settings.appendfsync}`);
  if (settings.save === DEFAULT_THRESHOLDS) parts.push('RDB, default save points');
  else if (settings.save) parts.push(`RDB (save ${settings.save})`);
  if (rewritesItself(settings)) parts.push('automatic rewrite');
  if (during === 'rewrite') parts.push('rewrite running');
  if (during === 'snapshot') parts.push('BGSAVE running');
  if (settings['no-appendfsync-on-rewrite'] === 'yes') parts.push('no-appendfsync-on-rewrite');
  if (parts.length === 0) return 'none';
  return `${parts.join(', ')}${replicas > 0 ? ', on every node' : ''}`;
}

/**
 * @param {Readonly<Record<string, string>> | undefined} settings
 * @returns {boolean} the append-only file is rewritten when it has grown enough
 */
export function rewritesItself(settings = {}) {
  return settings.appendonly === 'yes' && (settings['auto-aof-rewrite-percentage'] ?? '0') !== '0';
}

/** @param {Pick<CaseParams, 'operation' | 'backgroundConnections'>} params */
export function loadTitle({ operation = 'set', backgroundConnections }) {
  const name = operation.toUpperCase();
  return backgroundConnections ? `${name} beside SET` : name;
}

/** @param {Pick<CaseParams, 'payloadBytes'>} params */
export function payloadTitle({ payloadBytes }) {
  return `${count(payloadBytes)} B`;
}

/** @param {Pick<CaseParams, 'preloadKeys'>} params */
export function dataSetTitle({ preloadKeys }) {
  return preloadKeys === undefined ? 'small' : `${count(preloadKeys)} keys`;
}

/** @param {Pick<CaseParams, 'replicas'>} params */
export function nodesTitle({ replicas }) {
  if (replicas === 0) return 'primary alone';
  return replicas === 1 ? 'primary and replica' : `primary and ${replicas ?? 'all'} replicas`;
}

/**
 * @param {Readonly<Record<string, string>> | undefined} settings
 * @returns {number} seconds until the first threshold can start a snapshot; NaN or Infinity: no threshold
 */
export function thresholdSeconds(settings) {
  const numbers = (settings?.save ?? '').split(' ').map((each) => Number.parseInt(each, 10));
  // Pairs of seconds and changes.
  return Math.min(...numbers.filter((_, index) => index % 2 === 0));
}

/**
 * @param {readonly {params: Pick<CaseParams, 'preloadKeys' | 'payloadBytes'>}[]} cases
 * @returns {string} how the largest data set compares with the article's; empty: it is as large, or none was loaded
 */
export function scaleText(cases) {
  const [largest] = cases
    .filter(({ params }) => params.payloadBytes === PAYLOAD)
    .flatMap(({ params: { preloadKeys: keys, payloadBytes } }) => (keys === undefined ? [] : { keys, payloadBytes }))
    .sort((a, b) => b.keys - a.keys);
  if (largest === undefined || largest.keys >= ARTICLE_KEYS) return '';
  const size = (/** @type {number} */ keys) => `${count(keys)} keys (${bytes(keys * largest.payloadBytes)})`;
  return `The preloaded data set has ${size(largest.keys)} instead of the ${size(ARTICLE_KEYS)} in the article that \`details.md\` checks; with more keys forks take longer`;
}
