import { whyNot } from '../../../errors.js';
import { once } from '../../../once.js';
import { chooseImage, ensureImage, openEngine } from '../../docker/engine.js';
import { inspectService } from '../../docker/services.js';
import { problem } from '../../texts.js';
import { apiOf, connectToxiproxy, TOXIPROXY_IMAGES } from './toxiproxy.js';

/**
 * @import { Address, LinkShape, StackNetwork } from '../../types.js'
 * @import { Engine, ImageChoice } from '../../docker/engine.js'
 */

/**
 * Stacks in containers whose links can be slowed: their nodes and Sentinels find each Redis node at a port of Toxiproxy. Clients do
 * not pass it.
 */

/** As in docker-compose.yml: the last number of Toxiproxy's address on `data`. */
const TOXIPROXY = 31;
/** Toxiproxy's port for the first Redis node; the other nodes have the next ones. */
const FIRST_PORT = 7001;

/**
 * @returns {Promise<string | null>} why there is no Toxiproxy here, and the remedy; null: its image is here, or can be pulled. A registry
 *   that does not answer is waited for once, up to 5 s, not once a case
 */
export const whyNoToxiproxy = once(() => whyNot(openEngine().then(chooseLinksImage)));

/** @param {Engine} engine */
function chooseLinksImage(engine) {
  return chooseImage(engine, process.env[TOXIPROXY_IMAGES.variable], TOXIPROXY_IMAGES);
}

/**
 * Chooses the image of Toxiproxy, and pulls it if need be.
 * @param {Engine} engine
 * @param {{tell?: (line: string) => void, signal?: AbortSignal}} options
 * @returns {Promise<ImageChoice>}
 * @throws {UserError} no image is available
 */
export async function ensureLinksImage(engine, options) {
  const choice = await chooseLinksImage(engine);
  await ensureImage(choice, options, TOXIPROXY_IMAGES);
  return choice;
}

/**
 * @param {string} net first three numbers of the addresses of the stack's networks
 * @param {ImageChoice} choice
 * @returns {Record<string, string>} variables of docker-compose.yml
 */
export function linksEnvironment(net, { image }) {
  return {
    [TOXIPROXY_IMAGES.variable]: image,
    SENTINEL_BENCH_LINKS_HOST: `${net}.${TOXIPROXY}`,
    ...Object.fromEntries(
      [0, 1, 2].map((index) => [`SENTINEL_BENCH_LINKS_PORT_${index + 1}`, String(FIRST_PORT + index)]),
    ),
  };
}

/**
 * Opens the ports. Until then no node of the stack reaches another one.
 * @param {Engine} engine
 * @param {string} project
 * @param {readonly {kind: string, announced: Address, onData: Address}[]} containers
 * @param {{direct: boolean, signal?: AbortSignal}} options direct: containers' own addresses can be reached from here
 * @returns {Promise<Pick<StackNetwork, 'slow'>>}
 * @throws {UserError} Toxiproxy does not answer
 */
export async function openLinks(engine, project, containers, { direct, signal }) {
  const toxiproxy = await connectToxiproxy(apiOf(await inspectService(engine, project, 'toxiproxy'), direct), {
    signal,
  });
  const redis = containers.filter(({ kind }) => kind === 'redis');
  const wires = await Promise.all(
    redis.map(({ announced, onData }) => toxiproxy.open({ port: announced.port, to: onData })),
  );
  return {
    async slow(shape, id) {
      const why = whyNotShape(shape, id);
      if (why !== null) throw problem('docker-links', { why });
      await Promise.all(wires.map((wire) => wire.shape(shape)));
    },
  };
}

/** @param {LinkShape | null} shape @param {string} [id] @returns {string | null} */
function whyNotShape(shape, id) {
  if (id !== undefined) return 'The docker backend cannot slow the links of one node alone.';
  if (shape?.bytesPerSecond !== undefined) return 'The docker backend cannot limit the bandwidth between all nodes.';
  const { latencyMs = 0, jitterMs = 0 } = shape ?? {};
  if (Number.isInteger(latencyMs) && Number.isInteger(jitterMs)) return null;
  return 'The docker backend slows links by whole milliseconds only.';
}
