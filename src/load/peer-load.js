/**
 * Rounds whose load another program makes, behind the interface of the load thread.
 */
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { drain } from './drain.js';
import { peers } from './peers.js';
import { runProgram } from './program.js';

/**
 * @import { LoadThread } from './load-thread.js'
 * @import { Counted, Peer } from './peers.js'
 * @import { Use } from './program.js'
 * @import { RoundPlan, RoundSample } from './types.js'
 */

/** What starting, connecting and ending may take beside the timed part. */
const GRACE_MS = 20_000;
/** Batches on each connection in the first run of a shape, from which it is seen how many operations fill a round. */
const FIRST_BATCHES = 100;
/** So much of what cannot be understood is shown, in characters. */
const SHOWN = 300;

/**
 * @param {LoadThread} loadThread does the rounds that are not a peer's
 * @returns {LoadThread} does all; rejects where `loadThread` would, and when a peer's program fails
 */
export function withPeers(loadThread) {
  const peerLoad = startPeerLoad();
  /** @type {LoadThread} the one that `go` is for */
  let prepared = loadThread;
  return {
    async prepare(plan) {
      prepared = peers.has(plan.client) ? peerLoad : loadThread;
      await prepared.prepare(plan);
    },
    go: (onProgress) => prepared.go(onProgress),
    async close() {
      await Promise.all([peerLoad.close(), loadThread.close()]);
    },
  };
}

/** @returns {LoadThread} */
function startPeerLoad() {
  let closing = new AbortController();
  /** @type {Promise<unknown>} */
  let running = Promise.resolve();
  /** Operations a second of the last run of each peer in each shape. @type {Map<string, number>} */
  const rates = new Map();
  /** @type {RoundPlan | null} */
  let plan = null;

  /**
   * @param {RoundPlan} asked
   * @param {number} amount seconds or operations, whichever the peer is told
   * @returns {Promise<Counted & Use>}
   */
  const run = async (asked, amount) => {
    const peer = peerOf(asked);
    const program = runProgram(peer.name, peer.args(asked, amount), {
      timeoutMs: asked.seconds * 1000 + GRACE_MS,
      signal: closing.signal,
    });
    running = program.catch(() => {});
    const { output, ...use } = await program;
    const counted = parse(peer, output, amount);
    rates.set(shapeOf(asked), counted.operations / counted.seconds);
    return { ...counted, ...use };
  };

  return {
    async prepare(asked) {
      plan = asked;
      refuseSecrets(asked);
      if (!peerOf(asked).timed && !rates.has(shapeOf(asked))) {
        await run(asked, FIRST_BATCHES * asked.connections * asked.shape.pipeline);
      }
      await drain(asked);
    },
    async go() {
      if (!plan) throw new Error('no round was prepared');
      const rate = rates.get(shapeOf(plan)) ?? 0;
      const amount = peerOf(plan).timed ? Math.max(1, Math.round(plan.seconds)) : Math.ceil(rate * plan.seconds);
      return sampleOf(await run(plan, amount));
    },
    async close() {
      closing.abort();
      closing = new AbortController();
      await running;
    },
  };
}

/**
 * @param {Peer} peer
 * @param {string} output
 * @param {number} amount
 */
function parse(peer, output, amount) {
  let cause;
  try {
    const counted = peer.parse(output, amount);
    if (counted.operations > 0 && counted.seconds > 0 && Number.isFinite(counted.seconds)) return counted;
  } catch (error) {
    cause = error;
  }
  throw new Error(`${peer.name} did not say what it measured: ${output.slice(-SHOWN).trim()}`, { cause });
}

/**
 * @param {Counted & Use} run
 * @returns {RoundSample} the program tells no more than how many operations were answered, so latencies are absent
 */
function sampleOf({ operations, seconds, cpuSeconds, memoryBytes }) {
  const nothing = newHistogram();
  return {
    seconds,
    operations,
    outcomes: { acked: operations, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    firstError: null,
    histogram: encodeHistogram(nothing),
    latencyNs: latencyOf(nothing),
    load: {
      cpu: cpuSeconds === null ? null : cpuSeconds / seconds,
      eventLoopUtilization: 0,
      cpuPerOperationNs: cpuSeconds === null ? null : (cpuSeconds * 1e9) / operations,
      peakMemoryBytes: memoryBytes,
    },
  };
}

/** @param {RoundPlan} plan */
function shapeOf({ client, connections, shape }) {
  return `${client} ${connections} ${shape.pipeline} ${shape.payloadBytes}`;
}

/**
 * @param {RoundPlan} plan
 * @returns {Peer}
 */
function peerOf({ client }) {
  const peer = peers.get(client);
  if (!peer) throw new Error(`${client} is no program that makes load`);
  return peer;
}

/** @param {RoundPlan} plan */
function refuseSecrets({ client, primary: { credentials } }) {
  if (credentials?.password === undefined && !credentials?.tls) return;
  throw new Error(
    `${client} would get the password or the certificates on its command line, for everybody on this machine to see. ` +
      'Measure against a stack without them.',
  );
}
