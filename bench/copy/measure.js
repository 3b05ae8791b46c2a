/** One round of the benchmark `copy`: data sets are copied from node to node, all pairs at once, and compared key by key. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/errors.js';
import { roundAround } from '../../src/run/round.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { addCounts } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { difference, movingOf } from '../movers/movers.js';
import { reportOf } from '../movers/redis-shake-process.js';
import { compareNodes, nothingCompared } from './compare.js';
import { modeOf, STRING_BYTES } from './modes.js';
import * as copyPairs from './pairs.js';
import { describeWritten, heaviestWriters, moderateWriters } from './writers.js';

/** @import { OwnSample, RoundSite } from '../types.js' */
/** @import { CopyFigures } from './document.js' */
/** @import { CopyMode } from './modes.js' */
/** @import { CopyPair } from './pairs.js' */
/** @import { WriterOptions, Writers, WrittenKeys } from './writers.js' */
/**
 * @typedef {Object} CopySize
 * @property {number} keys of each source before a full copy
 * @property {number} keysIncremental the same before an incremental one
 * @property {number} writtenKeys how many keys the heaviest writers draw from: with few keys, most writes would replace a key before it was copied
 * @property {number} rewrittenKeys how many keys of each kind moderate writers draw from: some exist before
 * @property {number} besideSeconds how long writers write before the copy, and after it
 *
 * @typedef {'seconds' | 'copiedKeys' | 'copyRate' | 'copiedBytes' | 'sourceRate' | 'behindSeconds' | 'use' | 'reported'} Timed
 * @typedef {{sample: OwnSample, written: WrittenKeys | null, figures: Pick<CopyFigures, Timed>}} Copied sample: times of the writers meanwhile
 */

const MOVER_FAILED = 'MOVER';
/** Results name no address. */
const ADDRESS = /\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g;

/** @param {RoundSite} site @param {CopySize} size */
export async function measureCopy({ testbed, theCase: { params }, keyPrefix, now }, size) {
  const { signal, random } = testbed;
  const mode = modeOf(params);
  const full = mode.what === 'full';
  if (params.shards) now('starting a second cluster');
  const pairs = params.shards ? await copyPairs.shardPairsOf(testbed) : [copyPairs.pairOf(testbed)];
  const data = {
    keyPrefix: `${keyPrefix}data:`,
    keys: full ? size.keys : size.keysIncremental,
    ...(!params.collections && { stringBytes: STRING_BYTES }),
  };
  await copyPairs.readyPairs(pairs, { data, params, signal, now });
  const writing = { pairs, keyPrefix: `${keyPrefix}written:`, random, signal, threads: params.writerThreads, size };
  const writers = writersOf(mode, writing);
  if (writers) copyPairs.willChange(pairs);
  const moving = movingOf(pairs, params, signal);
  try {
    now('writers alone, before');
    const before = writers && (await writeFor(writers, size.besideSeconds, signal));
    const keysBefore = await copyPairs.keysOf(pairs);
    if (!full) {
      now('bringing the copies in sync');
      await moving.start();
      await moving.settle();
    }
    await writers?.ready(testbed.profile.seconds);
    now('copying');
    const stopMemory = await copyPairs.watchMemory(pairs);
    /** @type {Copied | undefined} */
    let copied;
    const round = await roundAround(testbed, async () => {
      copied = await copyAll(mode, pairs, moving, writers);
      return copied.sample;
    }).catch(async (error) => {
      await stopMemory().catch(() => {});
      throw error;
    });
    if (!copied) throw new Error('nothing was copied');
    const { written, figures } = copied;
    const peaks = await stopMemory();
    now('comparing');
    const comparison = await compareAll(pairs, signal);
    await moving.close();
    now('writers alone, after');
    const after = writers && (await writeFor(writers, size.besideSeconds, signal));
    const phases = before && written && after && { before, during: written, after };
    return {
      ...round,
      errors: { ...round.errors, ...errorsBeside(before, 'before'), ...errorsBeside(after, 'after') },
      copy: {
        pairs: pairs.length,
        keysBefore,
        ...figures,
        ...(phases && {
          writers: {
            before: describeWritten(phases.before),
            during: describeWritten(phases.during),
            after: describeWritten(phases.after),
          },
        }),
        ...peaks,
        comparison,
      },
    };
  } finally {
    // Always: movers left running would copy the writes of the next round.
    await Promise.allSettled([moving.close(), writers?.close()]);
  }
}

/** @param {CopyMode} mode @param {Omit<WriterOptions, 'keyspace'> & {size: CopySize}} options @returns {Writers | null} */
function writersOf({ writing }, { size, ...options }) {
  if (writing === 'moderate') return moderateWriters({ ...options, keyspace: size.rewrittenKeys });
  return writing === 'heaviest' ? heaviestWriters({ ...options, keyspace: size.writtenKeys }) : null;
}

/** @param {Writers} writers @param {number} seconds for writers that can be stopped @param {AbortSignal} signal */
async function writeFor(writers, seconds, signal) {
  await writers.ready(seconds);
  await writers.begin();
  await delay(seconds * MS_A_SECOND, undefined, { signal });
  return writers.end();
}

/** @param {WrittenKeys | null} written beside the copy @param {'before' | 'after'} phase @returns {Record<string, number>} kinds of their own */
function errorsBeside(written, phase) {
  const errors = Object.entries(written?.errors ?? {});
  return Object.fromEntries(errors.map(([kind, times]) => [`${kind} ${phase} the copy`, times]));
}

/**
 * The timed part. It begins with the movers, or with the writers if the copies are in sync, and ends when the copies have everything.
 * @type {(mode: CopyMode, pairs: readonly CopyPair[], moving: ReturnType<typeof movingOf>, writers: Writers | null) => Promise<Copied>}
 */
async function copyAll(mode, pairs, moving, writers) {
  const full = mode.what === 'full';
  const { signal } = pairs[0].testbed;
  const movedBefore = moving.totals();
  const usedBefore = await copyPairs.readTotals(pairs);
  await writers?.begin();
  const begin = performance.now();
  /** @type {Record<string, number>} */
  const errors = {};
  const attempt = (/** @type {Promise<void>} */ work) =>
    work.then(
      () => true,
      (error) => {
        signal.throwIfAborted();
        const kind = `${MOVER_FAILED}: ${messageOf(error).replace(ADDRESS, '…')}`;
        errors[kind] = (errors[kind] ?? 0) + 1;
        return false;
      },
    );
  if (full) await moving.start();
  const came = full ? await attempt(moving.full()) : true;
  const written = writers ? await writers.end() : null;
  const had = came && (await attempt(moving.settle()));
  const end = performance.now();
  const seconds = (end - begin) / MS_A_SECOND;
  const used = await copyPairs.readTotals(pairs);
  const { keys, cpuSeconds, reported, ...moverUse } = difference(moving.totals(), movedBefore);
  await copyPairs.untilChildless(pairs);
  const source = copyPairs.useBetween(usedBefore, used, 'source', seconds);
  const { cpu } = copyPairs.useBetween(usedBefore, await copyPairs.readTotals(pairs), 'source', seconds);
  const copy = copyPairs.useBetween(usedBefore, used, 'copy', seconds);
  const moverCpu = cpuSeconds === null ? null : cpuSeconds / seconds;
  return {
    written,
    sample: {
      seconds,
      operations: keys,
      outcomes: { acked: keys, underAcked: 0, rejected: 0, unknown: 0 },
      errors: { ...errors, ...written?.errors },
      histogram: written?.histogram ?? encodeHistogram(newHistogram()),
      load: written?.load ?? { cpu: (moverCpu ?? 0) / pairs.length, eventLoopUtilization: 0 },
    },
    figures: {
      seconds,
      copiedKeys: keys,
      copyRate: keys / seconds,
      copiedBytes: copy.networkInBytes,
      sourceRate: written && written.seconds > 0 ? written.writes / written.seconds : 0,
      behindSeconds: had ? Math.max(0, end - (written?.endedAt ?? end)) / MS_A_SECOND : null,
      ...(reported && { reported: reportOf(reported) }),
      use: {
        source: { ...source, cpu },
        copy,
        mover: moverCpu === null ? null : { cpu: moverCpu, ...moverUse },
      },
    },
  };
}

/** @param {readonly CopyPair[]} pairs @param {AbortSignal} signal @returns {Promise<CopyFigures['comparison']>} of all pairs together */
async function compareAll(pairs, signal) {
  const total = nothingCompared();
  for (const { addresses } of pairs) {
    const { source, copy, credentials } = addresses;
    const { ttlMostMs, ...counts } = await compareNodes({ ...source, credentials }, { ...copy, credentials }, signal);
    Object.assign(total, addCounts(total, counts), { ttlMostMs: Math.max(total.ttlMostMs, ttlMostMs) });
  }
  return total;
}
