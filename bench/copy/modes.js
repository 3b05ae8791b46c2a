/** The ways to copy a data set, and the cases of the benchmark. */

import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { SHARDS } from '../../src/stacks/redis/shards.js';
import { readYaml } from '../../src/yaml.js';

/** @import { Case, CaseOptions, CaseParams, Profile } from '../types.js' */
/** @import { CopySize } from './measure.js' */
/**
 * @typedef {Object} CopyMode as in modes.yaml
 * @property {string} name
 * @property {string} mover
 * @property {'full' | 'incremental'} what
 * @property {'none' | 'moderate' | 'heaviest'} [writing] the writers of the source meanwhile: a fixed rate; as fast as they are answered. Default: none
 * @property {number} [scanCount]
 * @property {boolean} [sharded]
 * @property {boolean} [mixed]
 * @property {string} [strings] of a mode with collections: the mode that copies strings only
 * @property {Record<string, string>} [settings] of every node
 */

const SMALL = Object.freeze({
  keys: 100_000,
  keysIncremental: 10_000,
  writtenKeys: 1_000_000,
  rewrittenKeys: 10_000,
  besideSeconds: 1,
});
/** How much is copied. The writers of the article draw from 10 M keys, as those of `full` do. @type {Record<Profile['name'], CopySize>} */
export const SIZES = {
  quick: SMALL,
  standard: { ...SMALL, keys: 200_000 },
  full: {
    keys: 1_000_000,
    keysIncremental: 100_000,
    writtenKeys: 10_000_000,
    rewrittenKeys: 100_000,
    besideSeconds: 5,
  },
};

/** @param {Pick<Profile, 'name'>} profile @returns {CopySize} all shards together have as many keys as one pair */
export function shardSize({ name }) {
  const { keys, keysIncremental, ...size } = SIZES[name];
  const aShard = (/** @type {number} */ number) => Math.ceil(number / SHARDS.length);
  return { ...size, keys: aShard(keys), keysIncremental: aShard(keysIncremental) };
}

/** Of a round on two CPUs: writing the data set, waiting for the copy, comparing key by key. */
export const OVERHEAD_SECONDS = 8;

const SCAN_COUNT = 10;

export const STRING_BYTES = 8;
/** The article's writers: SET of 8 B, two at a time, and as many connections as redis-benchmark makes. */
export const HEAVIEST = Object.freeze({ payloadBytes: STRING_BYTES, pipeline: 2, connections: 50 });
/** Enough writes for a p99 over half a second, and far below what a source can take. */
export const MODERATE = Object.freeze({ payloadBytes: STRING_BYTES, pipeline: 1, connections: 8, rate: 4000 });

/** @type {readonly CopyMode[]} */
const LISTED = readYaml(new URL('modes.yaml', import.meta.url));
export const MODES = Object.freeze(LISTED.flatMap((mode) => (mode.mixed ? [mode, mixedOf(mode)] : [mode])));

/** @param {CopyMode} mode @returns {CopyMode} the same with collections among the keys */
function mixedOf({ name, mover, what, settings }) {
  return { name: `${name}-collections`, mover, what, settings, strings: name };
}

/** @param {Pick<CaseParams, 'copyMode'>} params of a case */
export function modeOf({ copyMode }) {
  const found = MODES.find(({ name }) => name === copyMode);
  if (!found) throw new Error(`unknown copying mode ${copyMode}`);
  return found;
}

/** @param {Pick<CaseOptions, 'profile'>} options @returns {Case[]} of one pair; the baseline of keys with collections is that of strings */
export function copyCases({ profile: { name } }) {
  // One thread writes most where it shares two CPUs with everything else.
  const writerThreads = name === 'quick' ? 1 : 2;
  return MODES.map((mode) => ({
    id: `${mode.name}-1`,
    params: { ...paramsOf(mode, writerThreads), pairs: 1, replicas: 1 },
    ...(mode.strings !== undefined && { baseline: `${mode.strings}-1` }),
  }));
}

/** Each mode of RedisShake between two clusters: by one process, and by one for each shard, which is its baseline */
export function shardCases() {
  return MODES.filter(({ sharded }) => sharded).flatMap((mode) => {
    const count = SHARDS.length;
    const params = { ...paramsOf(mode, count), pairs: count, shards: count, replicas: count - 1 };
    const each = `${mode.name}-each`;
    return [
      { id: each, params: { ...params, movers: count } },
      { id: `${mode.name}-one`, params: { ...params, movers: 1 }, baseline: each },
    ];
  });
}

/** @param {CopyMode} mode @param {number} writerThreads of the heaviest writers */
function paramsOf({ name, mover, writing = 'none', scanCount = SCAN_COUNT, strings, settings }, writerThreads) {
  const writers = { none: {}, moderate: MODERATE, heaviest: { ...HEAVIEST, writerThreads } }[writing];
  return {
    ...DEFAULT_PARAMS,
    payloadBytes: STRING_BYTES,
    ...writers,
    copyMode: name,
    mover,
    collections: strings !== undefined,
    ...(mover.includes('scan') && { scanCount }),
    ...(settings && { settings }),
  };
}
