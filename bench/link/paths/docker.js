import { whyNot } from '../../../src/errors.js';
import { once } from '../../../src/once.js';
import { nodeOf } from '../../../src/stacks/ask.js';
import { chooseImage, openEngine } from '../../../src/stacks/docker/engine.js';
import { apiOf, connectToxiproxy, TOXIPROXY_IMAGES } from '../../../src/stacks/redis/docker/toxiproxy.js';
import { clockMs } from '../../../src/stats/clock.js';
import { openProject, openWireMeter, removeServices, startServices, untilLogged, wireOf } from './docker-services.js';
import { SSH_PORT, startTunnel } from './docker-tunnel.js';

/**
 * @import { UserError } from '../../../src/errors.js'
 * @import { Images } from '../../../src/stacks/docker/engine.js'
 * @import { Traffic } from '../../../src/stacks/docker/stats.js'
 * @import { Wire } from '../../../src/stacks/redis/docker/toxiproxy.js'
 * @import { Address, Stack } from '../../../src/stacks/types.js'
 * @import { Project } from './docker-services.js'
 * @import { RunningTunnel } from './docker-tunnel.js'
 * @import { Path, PathOptions } from './path.js'
 */

/**
 * Paths between the nodes of a stack in containers. On the wire, which is what is counted, packets go by the network `data`;
 * from its end at the primary's side on they go by `clients`, so that nothing is counted twice.
 */

/** Inside the containers. */
const REDIS_PORT = 6379;

/** @type {Readonly<Record<'toxiproxy' | 'ssh-server', Images & {variable: string}>>} variable: what asks for another one */
const IMAGES = {
  // Without a tunnel it is Toxiproxy that is counted, whether it shapes or not.
  toxiproxy: TOXIPROXY_IMAGES,
  'ssh-server': {
    variable: 'SENTINEL_BENCH_TUNNEL_IMAGE',
    usual: ['sentinel-bench/tunnel:local'],
    base: 'alpine:3.22',
    remedy:
      'Build one from the OpenSSH installed here with `./s/build-image.sh tunnel`, or name one that is there in SENTINEL_BENCH_TUNNEL_IMAGE.',
  },
};

/** Projects with an open path: there is one container of each service. */
const busy = new Set();

/**
 * @param {Pick<PathOptions, 'tunnel' | 'shaped'>} options
 * @returns {Promise<string | null>} what is missing and the remedy; null: nothing. Takes up to 5 s when a registry has to be asked
 */
export function whyNoDockerPath(options) {
  return whyNot(imagesOf(options));
}

/**
 * @typedef {Object} ChosenImages
 * @property {Record<string, string>} env for Compose
 * @property {boolean} present
 */

/** Images by what was asked for. A registry that does not answer is waited for once, not once a case.
 * @type {Map<string, Promise<ChosenImages>>} */
const chosenImages = new Map();

/**
 * @param {Pick<PathOptions, 'tunnel' | 'shaped'>} options
 * @returns {Promise<ChosenImages>}
 * @throws {UserError} there is no image for it
 */
async function imagesOf(options) {
  const wanted = servicesOf(options).map((name) => IMAGES[name]);
  const key = wanted.map(({ variable }) => `${variable}=${process.env[variable]}`).join(' ');
  const found = chosenImages.get(key) ?? findImages(wanted);
  chosenImages.set(key, found);
  return found;
}

/** @param {(Images & {variable: string})[]} wanted @returns {Promise<ChosenImages>} */
async function findImages(wanted) {
  const engine = await openEngine();
  const choices = await Promise.all(wanted.map((each) => chooseImage(engine, process.env[each.variable], each)));
  return {
    env: Object.fromEntries(wanted.map(({ variable }, index) => [variable, choices[index].image])),
    present: choices.every(({ present }) => present),
  };
}

/**
 * @param {Stack} stack of Docker, with its nodes in both networks
 * @param {PathOptions} options
 * @returns {Promise<Path>} one at a time of each stack
 * @throws {UserError} something that it takes is missing, or does not come up; everything that was started is removed first
 */
export async function openDockerPath(stack, options) {
  const { signal } = options;
  const images = await imagesOf(options);
  const project = await openProject(stack);
  if (busy.has(project.name)) throw new Error('a stack on Docker has one path at a time');
  busy.add(project.name);
  /** @type {PathParts | null} */
  let parts = null;

  const close = once(async () => {
    try {
      await parts?.tunnel?.close();
      await removeServices(project, ['toxiproxy', 'ssh-client', 'ssh-server']);
    } finally {
      // A container that could not be removed is replaced by the next start.
      busy.delete(project.name);
    }
  });
  try {
    parts = await startParts(project, images, { ...options, direct: stack.about.path === 'container address' });
    signal?.throwIfAborted();
    return pathOf(parts, { shaped: Boolean(options.shaped), close });
  } catch (error) {
    await close();
    throw signal?.aborted ? signal.reason : error;
  }
}

/**
 * @typedef {Object} PathParts
 * @property {Wire | null} wire
 * @property {RunningTunnel | null} tunnel
 * @property {Address} address
 * @property {() => Promise<Traffic>} wireBytes
 * @property {ReturnType<typeof wireOf>} end of the wire
 */

/**
 * @param {Project} project
 * @param {Awaited<ReturnType<typeof imagesOf>>} images
 * @param {PathOptions & {direct: boolean}} options direct: containers’ own addresses can be reached from here
 * @returns {Promise<PathParts>}
 */
async function startParts(project, images, { primary, tunnel = 'none', direct, ...options }) {
  const { tell, signal } = options;
  const to = nodeOf(project, primary.id).onClients;
  const names = servicesOf({ tunnel, shaped: options.shaped });
  tell?.(`Starting ${names.join(' and ')} between the nodes.`);
  const env = { ...images.env, SENTINEL_BENCH_TUNNEL_TO: `${to.host}:${to.port}` };
  const started = await startServices(project, names, { env, present: images.present, signal });
  // The first is where the wire ends.
  const [end] = started;
  const wireBytes = await openWireMeter(project, end);
  const toxiproxy = started.find(({ name }) => name === 'toxiproxy');
  const server = started.find(({ name }) => name === 'ssh-server');
  if (server) await untilLogged(project.engine, server, 'Server listening', signal);

  const wire = toxiproxy
    ? await (await connectToxiproxy(apiOf(toxiproxy, direct), options)).open({
        port: server ? SSH_PORT : REDIS_PORT,
        to: server ? { host: server.onClients, port: SSH_PORT } : to,
        limited: Boolean(options.shaped),
      })
    : null;
  const ssh = server
    ? await startTunnel(project, { ...options, server, through: end.onData, env, compress: tunnel === 'ssh-C' })
    : null;
  return {
    wire,
    tunnel: ssh,
    wireBytes,
    end: wireOf(project, end),
    address: ssh?.address ?? { host: end.onData, port: REDIS_PORT },
  };
}

/**
 * @param {Pick<PathOptions, 'tunnel' | 'shaped'>} options
 * @returns {('toxiproxy' | 'ssh-server')[]} what has to run before the tunnel's client, where there is one
 */
function servicesOf({ tunnel = 'none', shaped = false }) {
  if (tunnel === 'none') return ['toxiproxy'];
  return shaped ? ['toxiproxy', 'ssh-server'] : ['ssh-server'];
}

/** @param {PathParts} parts @param {{shaped: boolean, close: Path['close']}} options @returns {Path} */
function pathOf({ wire, tunnel, address, wireBytes, end }, { shaped, close }) {
  return {
    address,
    by: [tunnel?.by, wire?.by].filter(Boolean).join(' through '),
    counts: 'packets',
    async shape(shape) {
      if (!shaped || !wire) throw new Error('the path was not opened to be shaped');
      await wire.shape(shape);
    },
    async use() {
      const [bytes, cpu] = await Promise.all([wireBytes(), tunnel?.cpuSeconds()]);
      return {
        atMs: clockMs(),
        toReplicaBytes: bytes.outBytes,
        toPrimaryBytes: bytes.inBytes,
        primaryEndCpuSeconds: cpu?.primaryEnd ?? null,
        replicaEndCpuSeconds: cpu?.replicaEnd ?? null,
      };
    },
    async kill() {
      if (!tunnel) throw new Error('there is no tunnel on the path');
      await tunnel.kill();
    },
    restarts: () => tunnel?.restarts() ?? 0,
    async cut() {
      // The count of a container is lost when it ends.
      await wireBytes();
      await Promise.all([wire?.cut(), tunnel?.end()]);
    },
    async dark(on) {
      // The count of an interface is lost with it.
      if (on) await wireBytes();
      await (on ? end.disconnect() : end.connect());
    },
    close,
  };
}
