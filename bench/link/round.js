/** What rounds over a replication link share: the application's traffic, a replica behind a path, a writer with WAIT, and what passed on the wire. */
import { setTimeout as delay } from 'node:timers/promises';
import { errorKind } from '../../src/clients/outcome.js';
import { messageOf } from '../../src/errors.js';
import { startTraffic } from '../../src/load/traffic.js';
import { repeatedly } from '../../src/repeat.js';
import { roundAround } from '../../src/run/round.js';
import { connectControl, loginFor } from '../../src/stacks/redis/control.js';
import { follow, stopFollowing, untilInSync, untilStreaming } from '../../src/stacks/redis/replication.js';
import { latencyOf, newHistogram } from '../../src/stats/histogram.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { tunnelOf } from './benchmark.js';
import { openPath } from './paths/path.js';
import { withStream } from './replication.js';

/** @import { CaseParams, Measure, NodeInfo, OwnSample, RoundResult, RoundSite, Traffic } from '../types.js' */
/** @import { LinkFigures } from './document.js' */
/** @import { Path, WireUse } from './paths/path.js' */
/** @import { Ends, LinkLook } from './replication.js' */
/** @typedef {{path: Path, ends: Ends}} Link */
/**
 * @typedef {Object} Prober
 * @property {() => Promise<{waits: NonNullable<LinkFigures['waits']>, errors: Record<string, number>}>} stop sends no more probes and
 *   resolves when the last one is answered; errors: number of each kind. Once
 * @property {() => void} close ends it at once; idempotent
 */

/** The wait in addition to WAIT's own timeout: a node or this process may be busy. */
const GRACE_MS = 5000;

/**
 * @param {RoundSite} site
 * @param {(link: Link) => Promise<RoundResult>} work begins with empty nodes and the replica in sync
 * @returns {Promise<RoundResult>} settles when the path is closed and the replica is a primary again
 */
export async function onPath({ testbed, theCase: { params }, now }, work) {
  const { stack, signal } = testbed;
  const { primary, sender, replica } = nodesOf(testbed, params);
  const first = controlOf(testbed, primary);
  const ends = { primary: controlOf(testbed, sender), replica: controlOf(testbed, replica) };
  await stopFollowing(ends.replica);
  await first.call('FLUSHALL');
  if (sender !== primary) {
    await follow(ends.primary, primary.announced);
    await untilInSync(first, ends.primary, signal);
  }
  const tunnel = tunnelOf(params);
  now(`opening the path (${tunnel})`);
  const { restartAfterMs, supervisor } = params;
  const path = await openPath(stack, { primary: sender, tunnel, signal, restartAfterMs, supervisor });
  try {
    await follow(ends.replica, path.address);
    await untilStreaming(ends.primary, ends.replica, signal);
    return await work({ path, ends });
  } finally {
    // The replica would go on dialling the path, so it becomes a primary first. A failure there must not hide an earlier one; the next round
    // repeats the command.
    await stopFollowing(ends.replica).catch(() => {});
    await path.close();
  }
}

/**
 * @param {(site: RoundSite, link: Link, before: LinkLook) => Promise<Omit<OwnSample, 'link'> & {link: Partial<LinkFigures> & Pick<LinkFigures, 'writes'>}>} work
 *   before: at its beginning
 * @returns {Measure} a round over the path of its case, with what the sender wrote meanwhile
 */
export function measureStream(work) {
  return (site) =>
    onPath(site, (link) => roundAround(site.testbed, () => withStream(link, (before) => work(site, link, before))));
}

/**
 * @template T
 * @param {RoundSite} site
 * @param {(traffic: Traffic) => Promise<T>} work while the requests leave, until it stops them
 * @returns {Promise<T>} settles when the thread has ended
 */
export async function withTraffic({ testbed, theCase: { params } }, work) {
  const { stack, random } = testbed;
  const traffic = await startTraffic({
    target: { ...nodesOf(testbed).primary.address, credentials: stack.access.credentials },
    // The stack is ours and empty. A prefix would only make every key longer, and easier to compress.
    keyPrefix: '',
    pattern: params.pattern ?? 'regular',
    keys: Number(params.keyspace),
    payloadBytes: params.payloadBytes,
    writeShare: Number(params.writeShare),
    requestsPerSecond: Number(params.rate),
    connections: params.connections,
    batch: params.pipeline,
    seed: Math.floor(random() * 2 ** 32),
  });
  try {
    return await work(traffic);
  } finally {
    await traffic.close();
  }
}

/** @param {Awaited<ReturnType<Traffic['stop']>>} traffic @returns its sample as that of a round */
export const sampleOfTraffic = ({ writes, requests, unsent: _, ...sample }) => ({
  ...sample,
  operations: requests,
  link: { writes },
});

/**
 * Starts a separate writer that sends WAIT 1 with each write. The next probe leaves at its time, or when the one before was answered.
 * @param {RoundSite['testbed']} testbed
 * @param {{key: string, everyMs: number, timeoutMs: number}} options key: written over and over; timeoutMs: of WAIT
 * @returns {Promise<Prober>} has begun
 */
export async function startWaitProber(testbed, { key, everyMs, timeoutMs }) {
  const login = loginFor(testbed.stack.access.credentials, 'redis');
  const control = await connectControl(nodesOf(testbed).primary.address, login, { timeoutMs: timeoutMs + GRACE_MS });
  const histogram = newHistogram();
  /** @type {Record<string, number>} */
  const errors = {};
  let [asked, reached] = [0, 0];

  async function probe() {
    const begins = performance.now();
    asked++;
    try {
      // Both leave at once, in this order.
      const [, replicas] = await Promise.all([control.call('SET', key, asked), control.call('WAIT', 1, timeoutMs)]);
      if (Number(replicas) >= 1) reached++;
    } catch (error) {
      const kind = errorKind(messageOf(error));
      errors[kind] = (errors[kind] ?? 0) + 1;
    }
    histogram.recordValue(Math.round((performance.now() - begins) * NS_A_MS));
  }
  const end = repeatedly(probe, everyMs);

  return {
    async stop() {
      await end();
      control.close();
      const { p50, p99, max } = latencyOf(histogram);
      return { waits: { asked, reached, timeoutMs, latencyNs: { p50, p99, max } }, errors };
    },
    close() {
      end();
      control.close();
    },
  };
}

/** @param {number} ms from now; may be over @param {AbortSignal} signal */
export const pass = (ms, signal) => delay(Math.max(0, ms), undefined, { signal });

/**
 * @param {RoundSite['testbed']} testbed
 * @param {Pick<CaseParams, 'chain'>} [params]
 * @returns {{primary: NodeInfo, sender: NodeInfo, replica: NodeInfo}} sender: whom the replica follows; the primary, or in a chain a replica
 */
export function nodesOf({ primary, replicas = [] }, { chain = false } = {}) {
  const [sender, replica] = chain ? replicas : [primary, replicas[0]];
  if (!primary || !sender || !replica) throw new Error('a link needs a primary and a replica');
  return { primary, sender, replica };
}

/** @param {RoundSite['testbed']} testbed @param {NodeInfo} node */
export function controlOf({ controls }, { id }) {
  const control = controls.get(id);
  if (!control) throw new Error(`no control connection to ${id}`);
  return control;
}

/** @param {WireUse} before @param {WireUse} after @param {number} [seconds] default: between them @returns {NonNullable<LinkFigures['wire']>} */
export function wireBetween(before, after, seconds = (after.atMs - before.atMs) / MS_A_SECOND) {
  const share = (/** @type {'primaryEndCpuSeconds' | 'replicaEndCpuSeconds'} */ end) => {
    const [from, to] = [before[end], after[end]];
    return from === null || to === null ? null : Math.max(0, (to - from) / seconds);
  };
  return {
    toReplicaBytes: after.toReplicaBytes - before.toReplicaBytes,
    toPrimaryBytes: after.toPrimaryBytes - before.toPrimaryBytes,
    seconds,
    primaryEndCpu: share('primaryEndCpuSeconds'),
    replicaEndCpu: share('replicaEndCpuSeconds'),
  };
}
