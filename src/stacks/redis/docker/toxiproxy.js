import { setTimeout as delay } from 'node:timers/promises';
import { Toxiproxy } from 'toxiproxy-node-client';
import { UserError } from '../../../errors.js';
import { LOOPBACK } from '../../address.js';

/**
 * @import { Address, LinkShape } from '../../types.js'
 * @import { Images } from '../../docker/engine.js'
 * @import { Service } from '../../docker/services.js'
 * @import { Proxy, Toxic } from 'toxiproxy-node-client'
 */

/**
 * Toxiproxy between nodes in containers: the service `toxiproxy` of docker-compose.yml. It delays by whole milliseconds. A bandwidth
 * toxic counts KB of 1000 bytes and limits each connection by itself; replication has one.
 *
 * @typedef {'upstream' | 'downstream'} Direction
 *
 * @typedef {Object} Wire
 * @property {string} by
 * @property {(shape: LinkShape | null) => Promise<void>} shape
 * @property {() => Promise<void>} cut closes what is connected and accepts nothing more
 *
 * @typedef {Object} ToxiproxyClient
 * @property {(wire: {port: number, to: Address, limited: boolean}) => Promise<Wire>} open port: where it listens, unprivileged.
 *   limited: shapes may limit the bandwidth
 */

/** @type {Images & {variable: string}} variable: what asks for another one */
export const TOXIPROXY_IMAGES = Object.freeze({
  variable: 'SENTINEL_BENCH_TOXIPROXY_IMAGE',
  usual: ['ghcr.io/shopify/toxiproxy:2.12.0', 'sentinel-bench/toxiproxy:local'],
  remedy: 'Build one with `./s/build-image.sh toxiproxy`, or name one that is there in SENTINEL_BENCH_TOXIPROXY_IMAGE.',
});

const API_PORT = 8474;

/** From the port of a wire to the one between its two proxies, inside the container. */
const INNER = 1000;

/** KB/s beyond any real rate. A rate of 0 would block everything. */
const UNLIMITED = 1e9;

const DIRECTIONS = /** @type {const} */ (['upstream', 'downstream']);

const READY_DEADLINE_MS = 10_000;
const POLL_MS = 20;

/**
 * @param {Pick<Service, 'onClients' | 'published'>} toxiproxy
 * @param {boolean} direct containers' own addresses can be reached from here
 * @returns {Address} of its API
 */
export function apiOf({ onClients, published }, direct) {
  return direct ? { host: onClients, port: API_PORT } : { host: LOOPBACK, port: published ?? API_PORT };
}

/**
 * @param {Address} api where this process reaches it
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<ToxiproxyClient>}
 * @throws {UserError} it does not answer
 */
export async function connectToxiproxy({ host, port: apiPort }, { signal } = {}) {
  const toxiproxy = new Toxiproxy(`http://${host}:${apiPort}`);
  const version = await untilAnswers(toxiproxy, signal);
  return { open: (wire) => openWire(toxiproxy, { ...wire, by: `Toxiproxy ${version}` }) };
}

/**
 * @param {Toxiproxy} toxiproxy
 * @param {{port: number, to: Address, limited: boolean, by: string}} options
 * @returns {Promise<Wire>}
 */
async function openWire(toxiproxy, { port, to, limited, by }) {
  const upstream = `${to.host}:${to.port}`;
  const inner = `127.0.0.1:${port + INNER}`;
  // Two proxies in a row: Toxiproxy counts the wait for bandwidth towards the latency, so a single proxy
  // with both would delay a busy link too little.
  const near = await toxiproxy.createProxy({
    name: `near-${port}`,
    listen: limited ? inner : `0.0.0.0:${port}`,
    upstream,
  });
  const far = limited
    ? await toxiproxy.createProxy({ name: `far-${port}`, listen: `0.0.0.0:${port}`, upstream: inner })
    : near;
  const limit = toxicsOf(near, 'bandwidth');
  const distance = toxicsOf(far, 'latency');

  return {
    by,
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
      if (limited) await near.remove();
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
          { cause: error },
        );
      }
      await delay(POLL_MS, undefined, { signal });
    }
  }
}
