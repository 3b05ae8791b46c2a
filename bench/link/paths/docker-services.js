import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../src/errors.js';
import { openEngine, runCompose } from '../../../src/stacks/docker/engine.js';
import { findNodes, readContainerLog } from '../../../src/stacks/docker/nodes.js';
import { lastLine } from '../../../src/stacks/docker/placement.js';
import { PROFILES } from '../../../src/stacks/docker/project.js';
import { inspectService, listService } from '../../../src/stacks/docker/services.js';
import { sampleContainer, sampleInterfaces } from '../../../src/stacks/docker/stats.js';

/**
 * @import { Engine } from '../../../src/stacks/docker/engine.js'
 * @import { NodeContainer } from '../../../src/stacks/docker/nodes.js'
 * @import { Service, ServiceName } from '../../../src/stacks/docker/services.js'
 * @import { Traffic } from '../../../src/stacks/docker/stats.js'
 * @import { Stack } from '../../../src/stacks/types.js'
 */

/**
 * Containers between two nodes of a stack: the services of docker-compose.yml that a plain `up` leaves out. They belong to
 * the stack's own project, so that they end with it.
 *
 * @typedef {Object} Project
 * @property {Engine} engine
 * @property {string} name
 * @property {NodeContainer[]} nodes
 * @property {Record<string, string>} env by which Compose finds the project's networks as they are
 */

const UP_DEADLINE_MS = 120_000;

/** An image that has to be pulled or built first. */
const FETCH_DEADLINE_MS = 600_000;

const READY_DEADLINE_MS = 20_000;
const POLL_MS = 20;
const LOG_LINES = 20;

/**
 * @param {Stack} stack of Docker
 * @returns {Promise<Project>}
 */
export async function openProject({ about: { identity: name } }) {
  const engine = await openEngine();
  const nodes = await findNodes(engine, name);
  const { Config } = await engine.getContainer(nodes[0].container).inspect();
  return {
    engine,
    name,
    nodes,
    env: {
      SENTINEL_BENCH_NET: nodes[0].onData.host.replace(/\.\d+$/, ''),
      SENTINEL_BENCH_OWNER: Config.Labels['sentinel-bench.owner'] ?? '',
    },
  };
}

/**
 * Starts services anew, in place of earlier containers.
 * @param {Project} project
 * @param {ServiceName[]} names
 * @param {{env: Record<string, string>, present: boolean, signal?: AbortSignal}} options present: their images are here
 * @returns {Promise<Service[]>} in the same order
 * @throws {UserError} Compose could not start them
 */
export async function startServices({ engine, name, env }, names, options) {
  const deadlineMs = options.present ? UP_DEADLINE_MS : FETCH_DEADLINE_MS;
  // Without their dependencies: the six nodes are not looked at.
  const flags = ['--detach', '--no-deps', '--force-recreate', ...(options.present ? ['--pull', 'never'] : [])];
  const up = await runCompose(name, [...PROFILES, 'up', ...flags, ...names], {
    env: { ...env, ...options.env },
    signal: options.signal,
    timeoutMs: deadlineMs,
  });
  options.signal?.throwIfAborted();
  if (up.status !== 0) {
    const reason = up.timedOut ? `not done after ${deadlineMs / 1000} s` : lastLine(up.stderr);
    throw new UserError(
      `Docker Compose could not start ${names.join(' and ')}: ${reason}.`,
      'Look at what it says below; `docker info` tells whether the engine is well.',
      { detail: up.stderr.trim() },
    );
  }
  return Promise.all(names.map((service) => inspectService(engine, name, service)));
}

/**
 * Idempotent.
 * @param {Project} project
 * @param {ServiceName[]} names
 */
export async function removeServices({ engine, name }, names) {
  const listed = await Promise.all(names.map((service) => listService(engine, name, service)));
  await Promise.all(listed.flat().map((id) => unlessGone(engine.getContainer(id).remove({ force: true, v: true }))));
  if (names.includes('ssh-server')) await unlessGone(engine.getVolume(`${name}_tunnel-keys`).remove());
}

/** @param {Promise<unknown>} done @returns {Promise<void>} resolves too when it is gone already, or about to go */
export async function unlessGone(done) {
  try {
    await done;
  } catch (error) {
    const { statusCode } = /** @type {{statusCode?: number}} */ (error);
    if (statusCode === 404 || (statusCode === 409 && /in progress|is not running/.test(String(error)))) return;
    throw error;
  }
}

/**
 * @param {Engine} engine
 * @param {Service} service
 * @param {string} words
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>} its log, which has the words by now
 * @throws {UserError} it ended instead, or never said them
 */
export async function untilLogged(engine, service, words, signal) {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    const { State } = await engine.getContainer(service.container).inspect();
    const log = (await readContainerLog(engine, service, LOG_LINES)).join('\n');
    if (log.includes(words)) return log;
    if (!State.Running || performance.now() >= deadline) {
      throw new UserError(
        `${service.name} ${State.Running ? `was not ready within ${READY_DEADLINE_MS / 1000} s` : 'ended before it was ready'}.`,
        'Its last log lines below say why; docker-compose.yml says what its image needs.',
        { detail: log },
      );
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

/**
 * @param {Pick<Project, 'engine' | 'name'>} project
 * @param {Pick<Service, 'name' | 'container' | 'onData'>} service at the primary's end of the wire
 * @returns {{disconnect: () => Promise<void>, connect: () => Promise<void>}} its place in `data`. Its sockets stay open without it
 */
export function wireOf({ engine, name: project }, { name, container, onData }) {
  const data = engine.getNetwork(`${project}_data`);
  const endpoint = { IPAMConfig: { IPv4Address: onData }, Aliases: [name] };
  return {
    disconnect: () => data.disconnect({ Container: container }),
    connect: () => data.connect({ Container: container, EndpointConfig: endpoint }),
  };
}

/**
 * Counts what passes the container's interface on `data`. Its other traffic goes by `clients`, so both directions of the
 * wire are counted, each by itself, and nothing else.
 * @param {Project} project
 * @param {Service} service at the primary's end of the wire, with a foot in both networks; not in use yet
 * @returns {Promise<() => Promise<Traffic>>} totals; of a container that has ended, the last that were read
 */
export async function openWireMeter({ engine, name: project }, { name, container, onData }) {
  // Engines do not say which interface is on which network: it is the one that appears with `data`.
  const wire = wireOf({ engine, name: project }, { name, container, onData });
  await wire.disconnect();
  const others = new Set((await sampleInterfaces(engine, container))?.keys());
  await wire.connect();

  async function read() {
    const all = (await sampleInterfaces(engine, container)) ?? new Map();
    const found = [...all].filter(([each]) => !others.has(each)).map(([, traffic]) => traffic);
    return found.length === 1 ? found[0] : null;
  }
  const first = await read();
  if (!first) throw new Error(`${name} has no interface of its own on ${project}_data`);
  let last = first;
  /** Bytes of earlier interfaces, which a disconnection removed. */
  const earlier = { inBytes: -first.inBytes, outBytes: -first.outBytes };
  return async () => {
    const now = (await read()) ?? last;
    if (now.inBytes < last.inBytes || now.outBytes < last.outBytes) {
      earlier.inBytes += last.inBytes;
      earlier.outBytes += last.outBytes;
    }
    last = now;
    return { inBytes: earlier.inBytes + last.inBytes, outBytes: earlier.outBytes + last.outBytes };
  };
}

/**
 * @typedef {Object} ContainerCpuMeter
 * @property {() => Promise<number>} seconds of CPU time, over all restarts of the container
 * @property {() => Promise<void>} lap call it before a kill: the engine forgets a container's use when it ends
 */

/** @param {Project} project @param {Service} service @returns {Promise<ContainerCpuMeter>} */
export async function openCpuMeter({ engine }, { name: id, container }) {
  let earlier = 0;
  let current = 0;

  async function read() {
    const seconds = (await sampleContainer(engine, { id, container }))?.cpuSeconds ?? current;
    // Less than before: the container was restarted, and counts from zero.
    if (seconds < current) earlier += current;
    current = seconds;
    return earlier + current;
  }
  const first = await read();
  return {
    seconds: async () => (await read()) - first,
    async lap() {
      await read();
      earlier += current;
      current = 0;
    },
  };
}
