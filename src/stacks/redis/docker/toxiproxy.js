import { setTimeout as delay } from 'node:timers/promises';
import { Toxiproxy } from 'toxiproxy-node-client';
import { LOOPBACK } from '../../address.js';
import { problem } from '../../texts.js';

/**
 * @import { Address, LinkShape } from '../../types.js'
 * @import { Images } from '../../docker/engine.js'
 * @import { Service } from '../../docker/services.js'
 * @import { Toxic } from 'toxiproxy-node-client'
 */

/**
 * Toxiproxy between nodes in containers: the service `toxiproxy` of docker-compose.yml. It delays by whole milliseconds.
 *
 * @typedef {'upstream' | 'downstream'} Direction
 *
 * @typedef {Object} Wire
 * @property {(shape: LinkShape | null) => Promise<void>} shape without a limit of bytes
 *
 * @typedef {Object} ToxiproxyClient
 * @property {(wire: {port: number, to: Address}) => Promise<Wire>} open port: where it listens, unprivileged
 */

/** @type {Images & {variable: string}} variable: what asks for another one */
export const TOXIPROXY_IMAGES = Object.freeze({
  variable: 'SENTINEL_BENCH_TOXIPROXY_IMAGE',
  usual: ['ghcr.io/shopify/toxiproxy:2.12.0', 'sentinel-bench/toxiproxy:local'],
  remedy: 'Build one with `./s/build-image.sh toxiproxy`, or name one that is there in SENTINEL_BENCH_TOXIPROXY_IMAGE.',
});

const API_PORT = 8474;

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
  await untilAnswers(toxiproxy, signal);
  return { open: (wire) => openWire(toxiproxy, wire) };
}

/** @param {Toxiproxy} toxiproxy @param {{port: number, to: Address}} options @returns {Promise<Wire>} */
async function openWire(toxiproxy, { port, to }) {
  const proxy = await toxiproxy.createProxy({
    name: `node-${port}`,
    listen: `0.0.0.0:${port}`,
    upstream: `${to.host}:${to.port}`,
  });
  /** @type {Map<Direction, Toxic<Record<string, number>>>} */
  const toxics = new Map();
  return {
    async shape(shape) {
      const latency = Math.round(shape?.latencyMs ?? 0);
      const jitter = Math.round(shape?.jitterMs ?? 0);
      // Whole milliseconds: the way to the replica takes the larger half of an odd round trip.
      const half = { upstream: Math.floor(latency / 2), downstream: Math.ceil(latency / 2) };
      for (const stream of DIRECTIONS) {
        const attributes = { latency: half[stream], jitter: Math.min(jitter, half[stream]) };
        const body = {
          name: `latency-${stream}`,
          type: /** @type {const} */ ('latency'),
          stream,
          toxicity: 1,
          attributes,
        };
        const present = toxics.get(stream);
        if (present) await present.update(body);
        else if (half[stream] > 0) toxics.set(stream, await proxy.addToxic(body));
      }
    },
  };
}

/** @param {Toxiproxy} toxiproxy @param {AbortSignal} [signal] */
async function untilAnswers(toxiproxy, signal) {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    signal?.throwIfAborted();
    try {
      await toxiproxy.getVersion();
      return;
    } catch (error) {
      if (performance.now() >= deadline) {
        throw problem('toxiproxy-silent', { seconds: READY_DEADLINE_MS / 1000 }, { cause: error });
      }
      await delay(POLL_MS, undefined, { signal });
    }
  }
}
