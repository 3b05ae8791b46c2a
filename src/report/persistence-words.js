/**
 * How the persistence benchmark's cases are called.
 */
import { bytes, count, duration } from './format.js';

/**
 * @typedef {import('./schema.js').CaseParams} CaseParams
 * @typedef {import('./persistence-figures.js').Storage} Storage
 * @typedef {import('./persistence-figures.js').Evidence} Evidence
 */

const NS_A_US = 1e3;
const NS_A_MS = 1e6;
/** The article's data set. */
const SEED_KEYS = 375_795;
/** Not a disk, whatever it is asked to sync. */
const IN_MEMORY = ['tmpfs', 'ramfs'];

/**
 * @param {Pick<CaseParams, 'settings' | 'replicaSettings' | 'during' | 'replicas'>} params
 * @returns {string} what is kept on disk, such as `AOF everysec, rewrite running`
 */
export function modeTitle({ settings = {}, replicaSettings, during, replicas = 0 }) {
  if (replicaSettings) return `split: replica ${modeTitle({ settings: replicaSettings })}`;
  const parts = [];
  if (settings.appendonly === 'yes') parts.push(`AOF ${settings.appendfsync}`);
  if (settings.save) parts.push(`RDB by thresholds (save ${settings.save})`);
  if (during === 'rewrite') parts.push('rewrite running');
  if (during === 'snapshot') parts.push('BGSAVE running');
  if (settings['no-appendfsync-on-rewrite'] === 'yes') parts.push('no-appendfsync-on-rewrite');
  if (parts.length === 0) return 'none';
  return `${parts.join(', ')}${replicas > 0 ? ', on every node' : ''}`;
}

/**
 * @param {Pick<CaseParams, 'operation' | 'backgroundConnections'>} params
 * @returns {string}
 */
export function loadTitle({ operation = 'set', backgroundConnections }) {
  const name = operation.toUpperCase();
  return backgroundConnections ? `${name} beside SET` : name;
}

/**
 * @param {Readonly<Record<string, string>> | undefined} settings
 * @returns {number} after which the first of its thresholds may bring about a snapshot; NaN: there is none
 */
export function thresholdSeconds(settings) {
  return Number.parseInt(settings?.save ?? '', 10);
}

/** @param {Pick<CaseParams, 'payloadBytes'>} params */
export function payloadTitle({ payloadBytes }) {
  return `${count(payloadBytes)} B`;
}

/** @param {Pick<CaseParams, 'preloadKeys'>} params */
export function dataSetTitle({ preloadKeys }) {
  return preloadKeys === undefined ? 'small' : `${count(preloadKeys)} keys`;
}

/**
 * @param {readonly {params: Pick<CaseParams, 'preloadKeys' | 'payloadBytes'>}[]} cases
 * @returns {string} how much smaller the largest data set is than the article's; empty when it is not, or none was loaded
 */
export function scaleText(cases) {
  const [largest] = cases
    .flatMap(({ params: { preloadKeys: keys, payloadBytes } }) => (keys === undefined ? [] : { keys, payloadBytes }))
    .sort((a, b) => b.keys - a.keys);
  if (largest === undefined || largest.keys >= SEED_KEYS) return '';
  const size = (/** @type {number} */ keys) => bytes(keys * largest.payloadBytes);
  return (
    `The data set that is loaded first is scaled down: ${count(largest.keys)} keys (${size(largest.keys)} of values), where the ` +
    `article had ${count(SEED_KEYS)} keys, which with such values are ${size(SEED_KEYS)}. ` +
    'Of a larger one a fork, a rewrite and a snapshot take longer'
  );
}

/** @param {Pick<CaseParams, 'replicas'>} params */
export function nodesTitle({ replicas }) {
  if (replicas === 0) return 'primary alone';
  return replicas === 1 ? 'primary and replica' : `primary and ${replicas ?? 'all'} replicas`;
}

/**
 * @param {Storage} storage
 * @returns {string} for sentences; what is emulated, or no disk, is called so wherever it is named
 */
export function storageTitle({ label, emulated, filesystem }) {
  const what = [];
  if (emulated) what.push('emulated');
  if (emulated === null) what.push('it may be emulated: see what it is');
  if (filesystem && IN_MEMORY.includes(filesystem)) what.push(`${filesystem}: memory, no disk`);
  return `\`${label}\`${what.length === 0 ? '' : ` (${what.join('; ')})`}`;
}

/**
 * @param {Evidence} evidence
 * @returns {string} for a sentence: what Redis's own counters say, as far as they say something
 */
export function evidenceText({ delayedFsyncs, longestEvent, fork }) {
  const parts = [];
  if (delayedFsyncs !== null) parts.push(`\`aof_delayed_fsync\` ${count(delayedFsyncs)}`);
  if (longestEvent) parts.push(`longest LATENCY event \`${longestEvent.name}\` ${count(longestEvent.ms)} ms`);
  if (fork) parts.push(`fork ${duration(fork.us * NS_A_US)}${fork.before ? ' before a round was timed' : ''}`);
  return parts.join(', ');
}

/** @param {Evidence['fork']} fork */
export function forkText(fork) {
  return fork === null ? '' : `${duration(fork.us * NS_A_US)}${fork.before ? ', before' : ''}`;
}

/** @param {{name: string, ms: number} | null} event */
export function eventText(event) {
  return event === null ? '' : `${event.name} ${duration(event.ms * NS_A_MS)}`;
}
