/**
 * A round of `link-demand`: either a number of equal writes, whose bytes are counted, or an application's mix of requests at a rate.
 */

import { connect } from '../../../src/clients/connection.js';
import { threadCpuSeconds } from '../../../src/load/thread.js';
import { makeCase } from '../../../src/run/case.js';
import { roundAround } from '../../../src/run/round.js';
import { readOffset, untilInSync } from '../../../src/stacks/redis/replication.js';
import { encodeHistogram, newHistogram } from '../../../src/stats/histogram.js';
import { randomFrom } from '../../../src/stats/random.js';
import { mixCase, nodesOf, onPath, pass, withTraffic } from '../traffic.js';
import { ask, groupOf, prepareGroup, removeGroup } from './groups.js';

/**
 * @import { CaseParams } from '../../../src/result/schema.js'
 * @import { OwnSample } from '../../../src/run/round.js'
 * @import { Case, CaseOptions, Measure, RoundSite } from '../../../src/run/types.js'
 * @import { Control } from '../../../src/stacks/redis/control.js'
 * @import { Path } from '../paths/types.js'
 * @import { Ends } from '../traffic.js'
 */

/** With so many, a PING every ten seconds and a SELECT add less than a hundredth of a byte a write. */
export const WRITES = 10_000;
/** Writes that belong together. */
export const GROUP = 10;
const GROUPINGS = /** @type {const} */ (['batch', 'multi', 'script', 'function']);
const PAYLOADS = [8, 64, 1024];
/** For groups, and for the other pattern. */
const PAYLOAD = 64;
/** The first is the article's. */
const RATES = [30_000, 10_000];
/** Functions exist since this major version of Redis, and in every Valkey. */
const FUNCTIONS_SINCE = 7;

/**
 * @param {CaseOptions['server']} server
 * @returns {Case[]}
 */
export function demandCases({ name, version }) {
  const functions = name === 'valkey' || Number.parseInt(version ?? '0', 10) >= FUNCTIONS_SINCE;
  const exact = (/** @type {Partial<CaseParams> & {grouping: string}} */ params) => {
    const { params: complete } = makeCase({ payloadBytes: PAYLOAD, pattern: 'regular', replicas: 1, ...params });
    return { id: `${params.grouping}-${complete.payloadBytes}B-${complete.pattern}`, params: complete };
  };
  return [
    ...PAYLOADS.map((payloadBytes) => exact({ grouping: 'single', payloadBytes })),
    exact({ grouping: 'single', pattern: 'random' }),
    ...GROUPINGS.filter((grouping) => functions || grouping !== 'function').map((grouping) =>
      exact({ grouping, pipeline: GROUP }),
    ),
    ...RATES.map((rate) => mixCase(`mix-${rate}ps`, { pattern: 'regular', rate })),
  ];
}

/** @type {Measure} */
export async function measureDemand(site) {
  const { bench, theCase } = site;
  const work = theCase.params.grouping === undefined ? sendMix : sendGroups;
  return onPath(site, async ({ path, ends }) => {
    // The stream is read after FUNCTION LOAD and the leftovers of the round before.
    const { send, close } = await work(site, ends);
    try {
      await untilInSync(ends.primary, ends.replica, bench.signal);
      return await roundAround(bench, async () => {
        const before = await take(path, ends);
        const { writes, requestBytes, ...sample } = await send();
        await untilInSync(ends.primary, ends.replica, bench.signal);
        const after = await take(path, ends);
        const streamBytes = after.streamBytes - before.streamBytes;
        return {
          ...sample,
          link: {
            writes,
            ...(requestBytes !== undefined && { requestBytes }),
            streamBytes,
            demandBytesPerSecond: sample.seconds > 0 ? streamBytes / sample.seconds : 0,
            by: path.by,
            executed: executedSince(before.calls, after.calls),
            wire: {
              toReplicaBytes: after.use.toReplicaBytes - before.use.toReplicaBytes,
              toPrimaryBytes: after.use.toPrimaryBytes - before.use.toPrimaryBytes,
              seconds: (after.use.atMs - before.use.atMs) / 1000,
              counts: path.counts,
              // There is no tunnel.
              primaryEndCpu: null,
              replicaEndCpu: null,
            },
          },
        };
      });
    } finally {
      await close();
    }
  });
}

/**
 * @typedef {Object} Work ready to begin
 * @property {() => Promise<OwnSample & {writes: number, requestBytes?: number}>} send
 * @property {() => Promise<void>} close
 */

/**
 * Sends the groups on one connection, each after the answer to the one before.
 *
 * @param {RoundSite} site
 * @param {Ends} ends
 * @returns {Promise<Work>}
 */
async function sendGroups({ bench, theCase, now }, { primary }) {
  const { cluster, random, signal } = bench;
  const { grouping = 'single', pattern = 'regular', payloadBytes, pipeline } = theCase.params;
  const ofGroup = { pattern, payloadBytes, count: pipeline, random: randomFrom(Math.floor(random() * 2 ** 32)) };
  const sender = await connect({ ...nodesOf(bench).primary.address, credentials: cluster.credentials });
  try {
    const encode = await prepareGroup(primary, grouping);
    const requests = Array.from({ length: WRITES / pipeline }, (_, i) => encode(groupOf(i, ofGroup)));
    return {
      async send() {
        now(`${theCase.id}: ${WRITES} writes`);
        const histogram = newHistogram();
        const cpuBefore = threadCpuSeconds();
        const loopBefore = performance.eventLoopUtilization();
        const begin = performance.now();
        let at = begin;
        for (const request of requests) {
          signal.throwIfAborted();
          await ask(sender, request);
          const answeredAt = performance.now();
          histogram.recordValueWithCount(Math.round((answeredAt - at) * 1e6), pipeline);
          at = answeredAt;
        }
        const seconds = (at - begin) / 1000;
        const cpuAfter = threadCpuSeconds();
        return {
          writes: WRITES,
          requestBytes: requests.reduce((sum, { bytes }) => sum + bytes.length, 0),
          seconds,
          operations: WRITES,
          outcomes: { acked: WRITES, underAcked: 0, rejected: 0, unknown: 0 },
          errors: {},
          histogram: encodeHistogram(histogram),
          load: {
            cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / seconds,
            eventLoopUtilization: performance.eventLoopUtilization(loopBefore).utilization,
          },
        };
      },
      async close() {
        sender.close();
        // A failure here does not hide an earlier one: the stack is ours, and the next round replaces what is left.
        await removeGroup(primary, grouping).catch(() => {});
      },
    };
  } catch (error) {
    sender.close();
    throw error;
  }
}

/**
 * @param {RoundSite} site
 * @returns {Promise<Work>}
 */
async function sendMix(site) {
  const { bench, theCase, now } = site;
  const { profile, signal } = bench;
  return {
    async send() {
      now(`${theCase.id}: traffic for ${profile.seconds} s`);
      return withTraffic(site, async (traffic) => {
        await pass(profile.seconds * 1000, signal);
        const { requests, unsent: _, ...sample } = await traffic.stop();
        return { ...sample, operations: requests };
      });
    },
    async close() {},
  };
}

/**
 * @param {Path} path
 * @param {Ends} ends in sync
 */
async function take(path, { primary, replica }) {
  const [use, { bytes }, calls] = await Promise.all([path.use(), readOffset(primary), commandCalls(replica)]);
  return { use, streamBytes: bytes, calls };
}

/**
 * @param {Control} node
 * @returns {Promise<Map<string, number>>} command → how often it was executed
 */
async function commandCalls(node) {
  const stats = Object.entries(await node.info('commandstats'));
  return new Map(
    stats.map(([name, text]) => [name.replace('cmdstat_', ''), Number(/calls=(\d+)/.exec(text)?.[1] ?? 0)]),
  );
}

/** Commands of this tool itself. */
const OURS = new Set(['info', 'ping', 'select', 'role', 'config|get', 'client|setinfo', 'hello']);

/**
 * @param {Map<string, number>} before
 * @param {Map<string, number>} after
 * @returns {Record<string, number>}
 */
function executedSince(before, after) {
  const grown = [...after].map(([name, calls]) => /** @type {const} */ ([name, calls - (before.get(name) ?? 0)]));
  return Object.fromEntries(grown.filter(([name, calls]) => calls > 0 && !OURS.has(name)));
}
