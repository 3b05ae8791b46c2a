/** Nodes find each data node at a port of Toxiproxy, which delays by whole milliseconds. Clients do not pass it. */
/** @import { Address, LinkShape, StackNetwork } from '../../types.js' */
/** @import { DockerSite } from './nodes.js' */
/** @import { Images } from './engine.js' */
/** @import { Toxic } from 'toxiproxy-node-client' */
import { Toxiproxy } from 'toxiproxy-node-client';
import { whyNot } from '../../../errors.js';
import { once } from '../../../once.js';
import { waitFor } from '../../../wait.js';
import { formatAddress, LOOPBACK } from '../../address.js';
import { problem } from '../../texts.js';
import { chooseImage, openEngine } from './engine.js';

/** The last number of Toxiproxy's address on `data`, as in docker-compose.yml. */
const TOXIPROXY = 31;
/** @type {Images} */
export const TOXIPROXY_IMAGES = {
  usual: ['ghcr.io/shopify/toxiproxy:2.12.0', 'sentinel-bench/toxiproxy:local'],
  variable: 'SENTINEL_BENCH_TOXIPROXY_IMAGE',
  remedy: 'build-toxiproxy-image',
};

const API_PORT = 8474;
/** Toxiproxy's port for the first data node; the other nodes have the next ones. */
const FIRST_PORT = 7001;

const READY_DEADLINE_MS = 10_000;
const TOXIC = /** @type {const} */ ('latency');

/**
 * Why there is no Toxiproxy here, and the remedy; null: its image is here, or can be pulled. A registry that does not answer is waited for
 * once, up to 5 s, not once a case.
 */
export const whyNoToxiproxy = once(() =>
  whyNot(openEngine().then((engine) => chooseImage(engine, undefined, TOXIPROXY_IMAGES))),
);

/** @param {string} net first three numbers of the addresses @param {string} image @returns variables of docker-compose.yml */
export function linksEnvironment(net, image) {
  const ports = [0, 1, 2].map((index) => [`SENTINEL_BENCH_LINKS_PORT_${index + 1}`, String(FIRST_PORT + index)]);
  return {
    [TOXIPROXY_IMAGES.variable]: image,
    SENTINEL_BENCH_LINKS_HOST: `${net}.${TOXIPROXY}`,
    ...Object.fromEntries(ports),
  };
}

/**
 * Opens the ports. Until then no node of the stack reaches another one.
 * @param {DockerSite} site @param {{signal?: AbortSignal}} options @returns {Promise<Pick<StackNetwork, 'slow'>>} @throws {UserError} Toxiproxy
 *   is silent
 */
export async function openLinks(site, { signal }) {
  const { host, port } = await apiOf(site);
  const toxiproxy = new Toxiproxy(`http://${host}:${port}`);
  let cause = /** @type {unknown} */ (null);
  const version = () =>
    toxiproxy.getVersion().catch((error) => {
      cause = error;
    });
  if (!(await waitFor(version, { deadlineMs: READY_DEADLINE_MS, signal })))
    throw problem('toxiproxy-silent', { seconds: READY_DEADLINE_MS / 1000 }, { cause });
  const behind = site.containers.filter(({ announced, onData }) => announced.host !== onData.host);
  const wires = behind.map(({ announced, onData }) => openWire(toxiproxy, { port: announced.port, to: onData }));
  const shapes = await Promise.all(wires);
  return {
    async slow(shape, id) {
      checkShape(shape, id);
      await Promise.all(shapes.map((each) => each(shape)));
    },
  };
}

/** @param {DockerSite} site @returns {Promise<Address>} of Toxiproxy's API */
async function apiOf({ engine, project, direct }) {
  const label = [`com.docker.compose.project=${project}`, 'com.docker.compose.service=toxiproxy'];
  const [container] = await engine.listContainers({ all: true, filters: { label } });
  if (!container) throw new Error('Compose started no container for toxiproxy');
  const { NetworkSettings } = await engine.getContainer(container.Id).inspect();
  const [binding] = Object.values(NetworkSettings.Ports).flatMap((each) => each ?? []);
  const onClients = NetworkSettings.Networks[`${project}_clients`]?.IPAMConfig?.IPv4Address ?? '';
  return direct ? { host: onClients, port: API_PORT } : { host: LOOPBACK, port: Number(binding?.HostPort ?? API_PORT) };
}

/**
 * @param {Toxiproxy} toxiproxy @param {{port: number, to: Address}} wire port: where it listens, unprivileged
 * @returns {Promise<(shape: LinkShape | null) => Promise<void>>} shapes it, without a limit of bytes
 */
async function openWire(toxiproxy, { port, to }) {
  const listen = `0.0.0.0:${port}`;
  const proxy = await toxiproxy.createProxy({ name: `node-${port}`, listen, upstream: formatAddress(to) });
  const toxics = /** @type {Map<string, Toxic<Record<string, number>>>} */ (new Map());
  return async (shape) => {
    const latencyMs = Math.round(shape?.latencyMs ?? 0);
    const jitterMs = Math.round(shape?.jitterMs ?? 0);
    // Whole milliseconds: the way to the replica takes the larger half of an odd round trip.
    const half = { upstream: Math.floor(latencyMs / 2), downstream: Math.ceil(latencyMs / 2) };
    for (const stream of /** @type {const} */ (['upstream', 'downstream'])) {
      const latency = half[stream];
      const attributes = { latency, jitter: Math.min(jitterMs, latency) };
      const body = { name: `latency-${stream}`, type: TOXIC, stream, toxicity: 1, attributes };
      const present = toxics.get(stream);
      if (present) await present.update(body);
      else if (latency > 0) toxics.set(stream, await proxy.addToxic(body));
    }
  };
}

/** @param {LinkShape | null} shape @param {string} [id] */
function checkShape(shape, id) {
  const { latencyMs = 0, jitterMs = 0, bytesPerSecond } = shape ?? {};
  if (id !== undefined) throw problem('docker-link-of-one');
  if (bytesPerSecond !== undefined) throw problem('docker-bandwidth');
  if (!Number.isInteger(latencyMs) || !Number.isInteger(jitterMs)) throw problem('docker-milliseconds');
}
