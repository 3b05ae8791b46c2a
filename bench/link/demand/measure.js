/**
 * A round of `link-demand`: what writes cost on the replication link. Either a number of writes that are all alike, of which every byte
 * is counted, or an application's mix of requests at a rate.
 */
import { threadCpuSeconds } from '../load/thread-cpu.js';
import { encodeHistogram, newHistogram } from '../measure/histogram.js';
import { randomFrom } from '../measure/random.js';
import { makeCase } from './case.js';
import { connectSender, groupOf, prepareGroup, removeGroup } from './link-demand-groups.js';
import { mixCase, nodesOf, onPath, pass, withTraffic } from './link-traffic.js';
import { roundAround } from './own-round.js';
import { readOffset, untilInSync } from './replication.js';

/**
 * @typedef {import('./types.js').Case} Case
 * @typedef {import('./types.js').CaseParams} CaseParams
 * @typedef {import('./types.js').RoundSite} RoundSite
 * @typedef {import('./own-round.js').OwnSample} OwnSample
 * @typedef {import('./link-traffic.js').Ends} Ends
 * @typedef {import('../link/types.js').Path} Path
 * @typedef {import('../cluster/control.js').Control} Control
 */

/** So many that what Redis adds on its own, a PING every ten seconds and a SELECT, is less than a hundredth of a byte each. */
export const WRITES = 10_000;
/** Writes that belong together. */
export const GROUP = 10;
const GROUPINGS = /** @type {const} */ (['batch', 'multi', 'script', 'function']);
const PAYLOADS = [8, 64, 1024];
/** For groups, and for the other pattern. */
const PAYLOAD = 64;
/** The first is the article's. */
const RATES = [30_000, 10_000];
/** The first major version of Redis that has functions; all of Valkey's have them. */
const FUNCTIONS_SINCE = 7;

/**
 * @param {import('./types.js').CaseOptions['server']} server
 * @returns {Case[]}
 */
export function demandCases({ name, version }) {
  const functions = name === 'valkey' || Number.parseInt(version, 10) >= FUNCTIONS_SINCE;
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

/** @type {import('./types.js').Measure} */
export async function measureDemand(site) {
  const { bench, theCase } = site;
  const work = theCase.params.grouping === undefined ? sendMix : sendGroups;
  return onPath(site, async ({ path, ends }) => {
    // FUNCTION LOAD and what the round before left are in the stream before it is read.
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
 * Every group on one connection, when the one before it has been answered.
 *
 * @param {RoundSite} site
 * @param {Ends} ends
 * @returns {Promise<Work>}
 */
async function sendGroups({ bench, theCase, now }, { primary }) {
  const { cluster, random, signal } = bench;
  const { grouping = 'single', pattern = 'regular', payloadBytes, pipeline } = theCase.params;
  const ofGroup = { pattern, payloadBytes, count: pipeline, random: randomFrom(Math.floor(random() * 2 ** 32)) };
  const sender = await connectSender({ ...nodesOf(bench).primary.address, credentials: cluster.credentials });
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
          await sender.ask(request);
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
        // The stack is ours, the next round replaces what is left, and what failed first is what the result tells.
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

/** What this tool asks of a node itself. */
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
