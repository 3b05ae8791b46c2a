/**
 * A round of `link-compression`: traffic on the primary while its replica follows through a tunnel, and what that took on the wire.
 */

import { roundAround } from '../../src/run/round.js';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { addCounts } from '../../src/stats/statistics.js';
import { compressFile } from './command-file.js';
import { linkSample, MIX, nodesOf, onPath, pass, startWaitProber, wireBetween, withTraffic } from './round.js';

/**
 * @import { Traffic } from '../../src/load/traffic.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Measure } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './round.js'
 */

/** A writer with WAIT: often enough to measure WAIT, seldom enough not to load the link. */
const PROBE = Object.freeze({ key: 'prober', everyMs: 50, timeoutMs: 1000 });
/** Between two samples of the replica's lag. */
const LOOK_MS = 100;
/** The same while the lag is small. */
const CLOSE_LOOK_MS = 5;
/** How long a slow tunnel may take to carry the rest after the load. */
const CATCH_UP_MS = 15_000;

/**
 * The stream and the wire are read in sync, before and after the load, so both have grown by the same writes.
 * @type {Measure}
 */
export async function measureCompression(site) {
  const { testbed, theCase, now } = site;
  const { profile, signal, stack } = testbed;
  return onPath(site, async ({ path, ends }) =>
    roundAround(testbed, async () => {
      now(`${theCase.id}: traffic for ${profile.seconds} s`);
      const before = await take(path, ends);
      const { credentials } = stack.access;
      const prober = await startWaitProber(nodesOf(testbed).primary.address, { ...PROBE, credentials });
      try {
        const { traffic, ...lag } = await withTraffic(site, (running) =>
          load(running, ends, { seconds: profile.seconds, signal }),
        );
        const { waits, errors } = await prober.stop();
        const caughtUpAt = await untilCaughtUp(ends, lag.endedAt + CATCH_UP_MS, signal);
        const catchUpMs = caughtUpAt === null ? null : caughtUpAt - lag.endedAt;
        const after = await take(path, ends);
        const sample = linkSample(traffic, path, after.streamBytes - before.streamBytes);
        return {
          ...sample,
          errors: addCounts(sample.errors, errors),
          link: {
            ...sample.link,
            writes: sample.link.writes + waits.asked,
            // Without the time to prepare the requests.
            wire: wireBetween(before.use, after.use, sample.seconds + (catchUpMs ?? CATCH_UP_MS) / 1000),
            ...((theCase.params.tunnel ?? 'none') === 'none' && { file: await fileOf(theCase.params, testbed.random) }),
            maxLagBytes: lag.maxLagBytes,
            behindBytes: lag.behindBytes,
            catchUpMs,
            fullResyncs: after.fullSyncs - before.fullSyncs,
            waits,
          },
        };
      } finally {
        prober.close();
      }
    }),
  );
}

/** @param {CaseParams} params @param {() => number} random */
function fileOf({ pattern = 'regular', keyspace: keys = MIX.keyspace, payloadBytes }, random) {
  return compressFile({ pattern, keys, payloadBytes, seed: Math.floor(random() * 2 ** 32) });
}

/** @param {Traffic} running @param {Ends} ends @param {{seconds: number, signal: AbortSignal}} options */
async function load(running, ends, { seconds, signal }) {
  const end = performance.now() + seconds * 1000;
  let maxLagBytes = 0;
  while (performance.now() < end) {
    await pass(Math.min(LOOK_MS, end - performance.now()), signal);
    maxLagBytes = Math.max(maxLagBytes, (await lagOf(ends)) ?? 0);
  }
  const traffic = await running.stop();
  const endedAt = performance.now();
  const behindBytes = await lagOf(ends);
  return { traffic, endedAt, behindBytes, maxLagBytes: Math.max(maxLagBytes, behindBytes ?? 0) };
}

/** @param {Path} path @param {Ends} ends */
async function take(path, { primary }) {
  const [use, info] = await Promise.all([path.use(), primary.info('replication', 'stats')]);
  return { use, streamBytes: Number(info.master_repl_offset), fullSyncs: Number(info.sync_full) };
}

/**
 * @param {Ends} ends
 * @returns {Promise<number | null>} bytes of the stream that the replica has not processed; null: its link is down
 */
async function lagOf({ primary, replica }) {
  // In this order the lag is overstated by a moment's stream rather than understated.
  const { bytes, up } = await readOffset(replica);
  const { bytes: wanted } = await readOffset(primary);
  return up ? Math.max(0, wanted - bytes) : null;
}

/**
 * @param {Ends} ends without writers
 * @param {number} deadline
 * @param {AbortSignal} signal
 * @returns {Promise<number | null>} when it had everything; null: not before the deadline
 */
async function untilCaughtUp(ends, deadline, signal) {
  while ((await lagOf(ends)) !== 0) {
    if (performance.now() > deadline) return null;
    await pass(CLOSE_LOOK_MS, signal);
  }
  return performance.now();
}
