/** The persistence modes that the benchmark compares, their cases, and the names of both in reports. */
/** @import { Case, CaseParams } from '../types.js' */

import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';

/** @typedef {Readonly<Record<string, string>>} Settings */
/** @typedef {{settings: Settings, replicaSettings?: Settings, during?: NonNullable<CaseParams['during']>}} FileMode replicaSettings: instead */

/** The article's size of a value, which the questions are about. The tables hold the smaller values too. */
export const PAYLOAD = 180_000;
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
/** @type {Readonly<Record<string, {settings: Record<string, string>, replica?: Record<string, string>, during?: FileMode['during']}>>} */
const LISTED = readYaml(new URL('modes.yaml', import.meta.url));
const DEFAULT_THRESHOLDS = LISTED.thresholds.settings.save;

/** @type {Readonly<Record<string, FileMode>>} */
export const MODES = Object.freeze(
  Object.fromEntries(
    Object.entries(LISTED).map(([name, { settings, replica, during }]) => [
      name,
      {
        settings: { ...OFF, ...settings },
        ...(replica && { replicaSettings: { ...OFF, ...replica } }),
        ...(during && { during }),
      },
    ]),
  ),
);

const CONNECTIONS = 20;

/**
 * @typedef {Pick<CaseParams, 'payloadBytes' | 'storage'> & Partial<Pick<CaseParams, 'replicaStorage' |
 *   'client' | 'operation' | 'replicas' | 'preloadKeys' | 'backgroundConnections' | 'requests'>>} Where
 *
 * @param {string} mode
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

export const ARTICLE_REQUESTS = 50_000;
export const ARTICLE_KEYS = 375_795;
/** File systems in memory: nothing is synced to a disk. */
export const IN_MEMORY = ['tmpfs', 'ramfs'];

/** @param {Pick<CaseParams, 'settings' | 'replicaSettings' | 'during' | 'replicas'>} params @returns {string} such as `AOF everysec, rewrite running` */
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

/** @param {Readonly<Record<string, string>> | undefined} settings @returns {boolean} the append-only file is rewritten when it has grown enough */
export function rewritesItself(settings = {}) {
  return settings.appendonly === 'yes' && (settings['auto-aof-rewrite-percentage'] ?? '0') !== '0';
}

/** @param {Pick<CaseParams, 'operation' | 'backgroundConnections'>} params */
export function loadTitle({ operation = 'set', backgroundConnections }) {
  const name = operation.toUpperCase();
  return backgroundConnections ? `${name} beside SET` : name;
}

/** @param {Settings | undefined} settings @returns {number} seconds until the first threshold can start a snapshot; NaN or Infinity: no threshold */
export function thresholdSeconds(settings) {
  const numbers = (settings?.save ?? '').split(' ').map((each) => Number.parseInt(each, 10));
  return Math.min(...numbers.filter((_, index) => index % 2 === 0));
}
