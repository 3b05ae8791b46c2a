/**
 * The ways of keeping data on disk that the persistence benchmark compares, and the cases made of them.
 */
import { makeCase } from './case.js';

/**
 * @typedef {import('./types.js').Case} Case
 * @typedef {import('./types.js').CaseParams} CaseParams
 *
 * @typedef {Object} Mode
 * @property {Readonly<Record<string, string>>} settings of every Redis node
 * @property {Readonly<Record<string, string>>} [replicaSettings] of the replicas, instead
 * @property {NonNullable<CaseParams['during']>} [during] what the primary is kept doing
 */

/** Every mode sets all of these, so that none inherits from the one before it. AOF comes last: it is turned on as it is to be. */
const OFF = {
  'min-replicas-to-write': '0',
  save: '',
  // A rewrite in the middle of a round comes when the case asks for it, and only then.
  'auto-aof-rewrite-percentage': '0',
  'no-appendfsync-on-rewrite': 'no',
  appendfsync: 'everysec',
  appendonly: 'no',
};
const EVERYSEC = { ...OFF, appendonly: 'yes' };
const NO_FSYNC_ON_REWRITE = { ...EVERYSEC, 'no-appendfsync-on-rewrite': 'yes' };
/** Shorter than anybody has it, so that a round of a few seconds sees a save. */
const THRESHOLDS = '1 1';

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
  split: {
    settings: OFF,
    replicaSettings: { ...EVERYSEC, save: '60 1' },
  },
  'split-rdb': {
    settings: OFF,
    replicaSettings: { ...OFF, save: THRESHOLDS },
  },
};

/** @typedef {keyof typeof modes} ModeName */

/** @type {Readonly<Record<ModeName, Mode>>} */
export const MODES = Object.freeze(modes);

/** Of the primary alone, in the order of the table. @type {readonly ModeName[]} */
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
]);

/** The seed's: many clients, each waiting for its answer. */
const CONNECTIONS = 20;

/**
 * @typedef {Pick<CaseParams, 'payloadBytes' | 'storage'> & Partial<Pick<CaseParams,
 *   'client' | 'operation' | 'replicas' | 'preloadKeys' | 'backgroundConnections'>>} Where
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
      level: mode,
      settings: { ...settings },
      ...(replicaSettings && { replicaSettings: { ...replicaSettings } }),
      during,
      // The load draws from all that is there.
      ...(preloadKeys !== undefined && { preloadKeys, keyspace: preloadKeys }),
    },
    { level: 'off', during: undefined },
  );
  return { ...made, id: stableId(id), ...(made.baseline && { baseline: stableId(made.baseline) }) };
}

/** @param {string} id of the same case it is the same in every profile, however many keys that one can afford */
function stableId(id) {
  return id.replace(/-preload\d+/, '-preloaded');
}
