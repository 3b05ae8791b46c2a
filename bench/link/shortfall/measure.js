/**
 * A round of `link-shortfall`: writes while the replica's link is too slow or long, then a promotion of the replica.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startTrialThread } from '../../../src/load/trial-thread.js';
import { untilAborted } from '../../../src/run/interruption.js';
import { roundAround } from '../../../src/run/round.js';
import { follow, followNobody, readOffset, untilInSync } from '../../../src/stacks/redis/replication.js';
import { clockMs } from '../../../src/stats/clock.js';
import { openPath } from '../paths/open.js';
import { startWaitProber } from '../prober.js';
import { secondsOf } from './case.js';
import {
  addedLines,
  caughtUpOf,
  closedForLimit,
  growthOf,
  largest,
  missedOf,
  readOutputLimit,
  readResyncs,
  watchReplication,
} from './replication.js';
import { auditWriters, bytesPerWrite, describeWriters, planWriters } from './writers.js';

/**
 * @import { TrialPlan, TrialSample, TrialThread } from '../../../src/load/trial-thread.js'
 * @import { CaseParams, RoundResult } from '../../../src/result/schema.js'
 * @import { Bench } from '../../../src/run/rounds.js'
 * @import { Measure, RoundSite } from '../../../src/run/types.js'
 * @import { Control } from '../../../src/stacks/redis/control.js'
 * @import { LinkShape, NodeInfo } from '../../../src/stacks/types.js'
 * @import { Path } from '../paths/types.js'
 */

/**
 * @typedef {Object} Link whose replication is watched
 * @property {NodeInfo} senderInfo the primary, or a replica when replicas are chained
 * @property {NodeInfo} replicaInfo that follows it through the path
 * @property {Control} sender
 * @property {Control} replica
 */

/** Between two samples, and between two writes with WAIT. */
const SAMPLE_MS = 200;
const PROBE_MS = 250;
/** Lines of the nodes' logs; a full resync is some ten. */
const LOG_LINES = 2000;
/** A replica has processed what it received when its offset has not moved for this long. */
const STILL_MS = 300;
const STILL_DEADLINE_MS = 10_000;
const LOOK_MS = 30;

/** @type {Measure} */
export async function measureShortfall(site) {
  const { bench, theCase, now } = site;
  const { cluster, signal, primary, replicas = [] } = bench;
  if (!primary) throw new Error('there is no primary');
  const chain = theCase.params.chain === true;
  const senderInfo = chain ? replicas[0] : primary;
  const replicaInfo = replicas[chain ? 1 : 0];
  /** @type {Link} */
  const link = {
    senderInfo,
    replicaInfo,
    sender: controlOf(bench, senderInfo),
    replica: controlOf(bench, replicaInfo),
  };
  now(`${theCase.id}: bringing the replica into sync`);
  const path = await openPath(cluster, { replica: replicaInfo, primary: senderInfo, shaped: true, signal });
  const thread = startTrialThread();
  try {
    await prepare(bench, link, path);
    return await carryOut(site, link, { path, thread });
  } finally {
    await thread.close();
    // Else it would go on dialling the closed path. A failure here does not hide an earlier one.
    await followNobody(link.replica).catch(() => {});
    await path.close();
  }
}

/**
 * @param {Bench} bench
 * @param {NodeInfo} node
 */
function controlOf({ controls }, { id }) {
  const control = controls.get(id);
  if (!control) throw new Error(`no control connection to ${id}`);
  return control;
}

/**
 * Empties the nodes and brings them in sync.
 *
 * @param {Bench} bench
 * @param {Link} link
 * @param {Path} path not shaped yet
 */
async function prepare(bench, { senderInfo, sender, replica }, path) {
  const { primary, signal } = bench;
  if (!primary) return;
  const first = controlOf(bench, primary);
  await followNobody(replica);
  await first.call('FLUSHALL');
  if (senderInfo !== primary) {
    await follow(sender, primary.announced);
    await untilInSync(first, sender, signal);
  }
  await follow(replica, path.address);
  await untilInSync(sender, replica, signal);
}

/**
 * @param {RoundSite} site
 * @param {Link} link
 * @param {{path: Path, thread: TrialThread}} by
 * @returns {Promise<RoundResult>}
 */
async function carryOut({ bench, theCase: { params, id }, keyPrefix, now }, link, { path, thread }) {
  const { primary, signal, cluster } = bench;
  if (!primary) throw new Error('there is no primary');
  const plan = planWriters(bench, params, `${keyPrefix}w:`);
  const meant = (params.rate ?? 0) * (await bytesPerWrite(controlOf(bench, primary), params, `${keyPrefix}c:`));
  await untilInSync(link.sender, link.replica, signal);
  const shape = shapeOf(params, meant);
  await path.shape(shape);
  const logs = await lastLines(bench, link);

  /** @type {TrialSample | undefined} */
  let sample;
  let lostAt = 0;
  now(`${id}: writing`);
  const round = await roundAround(bench, async () => {
    const outputLimit = await readOutputLimit(link.sender);
    const before = await readResyncs(link.sender);
    const memory = Number((await link.sender.info('memory')).used_memory);
    const offset = await readOffset(link.sender);
    const prober = await startWaitProber(primary.address, {
      key: `${keyPrefix}p`,
      everyMs: PROBE_MS,
      timeoutMs: params.waitTimeoutMs,
      credentials: cluster.credentials,
    });
    const stop = new AbortController();
    const watch = watchReplication(link.sender, link.replica, { everyMs: SAMPLE_MS, signal: stop.signal });
    try {
      await untilAborted(thread.start(plan), signal);
      await untilAborted(delay(secondsOf(params, bench.profile) * 1000, undefined, { signal }), signal);
      // Both before the cut: after it no WAIT and no sample would be answered.
      const { waits, errors: probeErrors } = await untilAborted(prober.stop(), signal);
      const samples = await watch.stop();
      // The sender is lost from here on. Writes acknowledged while the cut is made count, later ones do not.
      await path.cut();
      lostAt = clockMs();
      sample = await untilAborted(thread.stop(), signal);
      const seconds = (sample.endedAt - sample.beganAt) / 1000;
      const after = await readResyncs(link.sender);
      const lines = await addedSince(bench, link, logs);
      const streamBytes = (await readOffset(link.sender)).bytes - offset.bytes;
      const written = describeWriters(plan, sample);
      const [refused] = missedOf(lines.replica);
      return {
        ...written,
        errors: merge(written.errors, probeErrors),
        seconds,
        link: {
          writes: written.outcomes.acked + written.outcomes.unknown + waits.asked,
          streamBytes,
          demandBytesPerSecond: streamBytes / seconds,
          by: path.by,
          ...(shape?.bytesPerSecond !== undefined && { limitBytesPerSecond: shape.bytesPerSecond }),
          samples,
          growthBytesPerSecond: growthOf(samples),
          maxLagBytes: largest(samples.map(({ lagBytes }) => lagBytes)),
          maxBufferBytes: largest(samples.map(({ bufferBytes }) => bufferBytes)),
          memoryGrowthBytes: Math.max(...samples.map(({ senderMemoryBytes }) => senderMemoryBytes)) - memory,
          outputLimit,
          disconnects:
            after.closed === null || before.closed === null
              ? closedForLimit(lines.sender)
              : after.closed - before.closed,
          fullResyncs: after.full - before.full,
          partialResyncs: after.partial - before.partial,
          refusedPartials: after.refused - before.refused,
          // Later refusals follow full resyncs, which make the gap longer.
          missedBytes: refused ?? largest(caughtUpOf(lines.sender)),
          waits,
        },
      };
    } finally {
      stop.abort();
      prober.close();
    }
  });

  now(`${id}: promoting the replica and looking for every write`);
  await untilStill(link.replica, signal);
  await followNobody(link.replica);
  if (!sample) throw new Error('the writers have not told what they did');
  const { promotion, errors } = await auditWriters(bench, { plan, sample, lostAt }, link.replicaInfo);
  return { ...round, errors: merge(round.errors, errors), link: { ...linkOf(round), promotion } };
}

/** @param {RoundResult} round */
function linkOf({ link }) {
  if (!link) throw new Error('nothing was measured of the link');
  return link;
}

/**
 * @param {CaseParams} params
 * @param {number} demand bytes a second
 * @returns {LinkShape | null}
 */
function shapeOf({ linkShare, linkLatencyMs = 0 }, demand) {
  if (linkShare === undefined && linkLatencyMs === 0) return null;
  return {
    latencyMs: linkLatencyMs,
    ...(linkShare !== undefined && { bytesPerSecond: Math.round(linkShare * demand) }),
  };
}

/**
 * @param {Record<string, number>} some
 * @param {Record<string, number>} others
 */
function merge(some, others) {
  const sum = { ...some };
  for (const [kind, count] of Object.entries(others)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}

/**
 * @param {Bench} bench
 * @param {Link} link
 * @returns {Promise<{sender: string[], replica: string[]}>}
 */
async function lastLines({ cluster }, { senderInfo, replicaInfo }) {
  const [sender, replica] = await Promise.all([senderInfo, replicaInfo].map(({ id }) => cluster.logs(id, LOG_LINES)));
  return { sender, replica };
}

/**
 * @param {Bench} bench
 * @param {Link} link
 * @param {{sender: string[], replica: string[]}} before
 */
async function addedSince(bench, link, before) {
  const after = await lastLines(bench, link);
  return {
    sender: addedLines(before.sender, after.sender),
    replica: addedLines(before.replica, after.replica),
  };
}

/**
 * Waits until a replica behind a cut link has processed what it received.
 *
 * @param {Control} replica
 * @param {AbortSignal} signal
 */
async function untilStill(replica, signal) {
  const deadline = performance.now() + STILL_DEADLINE_MS;
  let [bytes, since] = [-1, performance.now()];
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const isLoading = (await replica.info('persistence')).loading === '1';
    const now = isLoading ? -1 : (await readOffset(replica)).bytes;
    if (isLoading || now !== bytes) [bytes, since] = [now, performance.now()];
    else if (performance.now() - since >= STILL_MS) return;
    await delay(LOOK_MS);
  }
  throw new Error('a replica that is sent nothing any more did not come to rest');
}
