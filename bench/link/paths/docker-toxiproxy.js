import { setTimeout as delay } from 'node:timers/promises';
import { Toxiproxy } from 'toxiproxy-node-client';
import { UserError } from '../../../src/errors.js';

/**
 * @import { Address, LinkShape } from '../../../src/stacks/types.js'
 * @import { Proxy, Toxic } from 'toxiproxy-node-client'
 */

/**
 * Toxiproxy on the wire of a path. A bandwidth toxic counts KB of 1000 bytes and limits each connection by itself;
 * replication has one.
 *
 * @typedef {'upstream' | 'downstream'} Direction
 *
 * @typedef {Object} Wire
 * @property {string} by
 * @property {(shape: LinkShape | null) => Promise<void>} shape
 * @property {() => Promise<void>} cut closes what is connected and accepts nothing more
 */

/** Between the two proxies inside the container: unprivileged, and free. */
const INNER_PORT = 6380;

/** KB/s beyond any real rate. A rate of 0 would block everything. */
const UNLIMITED = 1e9;

const DIRECTIONS = /** @type {const} */ (['upstream', 'downstream']);

const READY_DEADLINE_MS = 10_000;
const POLL_MS = 20;

/**
 * @param {Address} api where this process reaches it
 * @param {{port: number, to: Address, shaped: boolean, signal?: AbortSignal}} options port: where it is to listen
 * @returns {Promise<Wire>}
 * @throws {UserError} it does not answer
 */
export async function openWire({ host, port: apiPort }, { port, to, shaped, signal }) {
  const toxiproxy = new Toxiproxy(`http://${host}:${apiPort}`);
  const version = await untilAnswers(toxiproxy, signal);
  const upstream = `${to.host}:${to.port}`;
  // Two proxies in a row for a shaped link: Toxiproxy counts the wait for bandwidth towards the latency, so a single proxy
  // with both would delay a busy link too little.
  const near = await toxiproxy.createProxy({
    name: 'near',
    listen: shaped ? `127.0.0.1:${INNER_PORT}` : `0.0.0.0:${port}`,
    upstream,
  });
  const far = shaped
    ? await toxiproxy.createProxy({ name: 'far', listen: `0.0.0.0:${port}`, upstream: `127.0.0.1:${INNER_PORT}` })
    : near;
  const limit = toxicsOf(near, 'bandwidth');
  const distance = toxicsOf(far, 'latency');

  return {
    by: `Toxiproxy ${version}`,
    async shape(shape) {
      const rate =
        shape?.bytesPerSecond === undefined ? UNLIMITED : Math.max(1, Math.round(shape.bytesPerSecond / 1000));
      const latency = Math.round(shape?.latencyMs ?? 0);
      const jitter = Math.round(shape?.jitterMs ?? 0);
      // Whole milliseconds: the way to the replica takes the larger half of an odd round trip.
      const half = { upstream: Math.floor(latency / 2), downstream: Math.ceil(latency / 2) };
      for (const stream of DIRECTIONS) {
        await limit(stream, { rate }, rate === UNLIMITED);
        const delayed = { latency: half[stream], jitter: Math.min(jitter, half[stream]) };
        await distance(stream, delayed, delayed.latency === 0);
      }
    },
    async cut() {
      await far.remove();
      if (shaped) await near.remove();
    },
  };
}

/**
 * @param {Proxy} proxy
 * @param {'bandwidth' | 'latency'} type
 */
function toxicsOf(proxy, type) {
  /** @type {Map<Direction, Toxic<Record<string, number>>>} */
  const toxics = new Map();
  /**
   * @param {Direction} stream
   * @param {Record<string, number>} attributes
   * @param {boolean} neutral it has no effect, so it need not be created
   */
  return async (stream, attributes, neutral) => {
    const body = { name: `${type}-${stream}`, type, stream, toxicity: 1, attributes };
    const present = toxics.get(stream);
    if (present) await present.update(body);
    else if (!neutral) toxics.set(stream, await proxy.addToxic(body));
  };
}

/**
 * @param {Toxiproxy} toxiproxy
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} its version
 */
async function untilAnswers(toxiproxy, signal) {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      const answer = await toxiproxy.getVersion();
      return /\d+(?:\.\d+)+/.exec(answer)?.[0] ?? 'of an unknown version';
    } catch (error) {
      if (performance.now() >= deadline) {
        throw new UserError(
          `Toxiproxy did not answer within ${READY_DEADLINE_MS / 1000} s.`,
          'See whether SENTINEL_BENCH_TOXIPROXY_IMAGE names an image whose entry point is toxiproxy-server.',
          undefined,
          { cause: error },
        );
      }
      await delay(POLL_MS, undefined, { signal });
    }
  }
}
