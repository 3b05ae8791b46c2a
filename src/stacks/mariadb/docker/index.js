/** The `docker` backend of MariaDB: three containers of docker-compose.yml. Such a stack never outlives its process. */
import { randomBytes } from 'node:crypto';
import { waitFor } from '../../../wait.js';
import { askOnce } from '../../ask.js';
import { dockerBackend, openSite, startContainers, untilReady } from '../../docker/backend.js';
import { obtainImage, openEngine } from '../../docker/engine.js';
import { runIn } from '../../docker/nodes.js';
import { newProject, ownerLabel, placeDisks, removeAbandoned } from '../../docker/project.js';
import { sampleContainer } from '../../docker/stats.js';
import { answers } from '../../probe.js';
import { problem, text } from '../../texts.js';
import { COMMON_CONF, confText, firstStatements } from '../conf.js';
import { connectControl } from '../control.js';
import { rows } from '../replication.js';
import { mariadbStack } from '../stack.js';
import { APPLICATION, MARIADB_NODES } from '../topology.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { DockerSite } from '../../docker/backend.js'
 * @import { Images } from '../../docker/engine.js'
 * @import { Address, StackOptions, Credentials } from '../../types.js'
 */

/** @type {Images} */
export const MARIADB_IMAGES = {
  usual: ['mariadb:10.11', 'sentinel-bench/mariadb:local'],
  variable: 'SENTINEL_BENCH_MARIADB_IMAGE',
  remedy: 'build-mariadb-image',
};

const ANSWER_DEADLINE_MS = 120_000;
const ATTEMPT_MS = 1000;
const STATEMENT_MS = 5000;

/** As in docker-compose.yml. */
const FOLDER = '/var/lib/mysql';

const PLACES = Object.freeze({
  datadir: `${FOLDER}/data`,
  socket: `${FOLDER}/socket`,
  'pid-file': `${FOLDER}/pid`,
  'init-file': `${FOLDER}/first.sql`,
  tmpdir: FOLDER,
  'bind-address': '0.0.0.0',
});

/**
 * Starts a primary and two replicas, and waits until they replicate. @param {Partial<StackOptions> & {why?: string}} options
 * @throws {UserError} no engine, Compose or image, or it never becomes ready; everything that was started is removed
 */
export async function startMariadbDocker(options) {
  const { settings = {}, tell = () => {}, signal } = options;
  const engine = await openEngine();
  const image = await obtainImage(engine, options.image, options, MARIADB_IMAGES);
  await removeAbandoned(engine, tell);
  signal?.throwIfAborted();
  const password = randomBytes(16).toString('hex');
  const env = {
    [MARIADB_IMAGES.variable]: image,
    SENTINEL_BENCH_MARIADB_CONF: confText({ ...COMMON_CONF, ...PLACES, ...settings }),
    SENTINEL_BENCH_MARIADB_FIRST: firstStatements({ password, from: '%' }),
    SENTINEL_BENCH_OWNER: ownerLabel(),
  };
  tell(`Starting three containers of ${image}: a primary and two replicas.`);
  const project = newProject();
  /** @param {Disks} disks */
  const compose = (disks) => ({
    place: { useDefaults: false, nodes: MARIADB_NODES },
    services: MARIADB_NODES.map(({ id }) => id),
    files: async () => placeDisks(disks, FOLDER),
    env: () => env,
  });
  return startContainers(engine, project, options, compose, async (disks) => {
    const site = await openSite(engine, project, { topology: MARIADB_NODES });
    const credentials = { username: APPLICATION, password };
    const stack = await openStack(site, disks, { credentials, why: options.why ?? text('mariadb-docker'), signal });
    await stack.heal();
    return stack;
  });
}

/** @param {DockerSite} site @param {Disks} disks @param {{credentials: Credentials, why: string, signal?: AbortSignal}} options */
async function openStack(site, disks, { credentials, why, signal }) {
  const { engine, nodes, containerOf } = site;
  const connect = (/** @type {Address} */ address, timeoutMs = ATTEMPT_MS) =>
    connectControl(address, credentials, { timeoutMs });
  await untilReady(site, { signal, image: text('mariadb-image-needs') }, async (either) => {
    for (const { id, address } of nodes) {
      const isUp = () => answers(() => connect(address));
      if (await waitFor(isUp, { deadlineMs: ANSWER_DEADLINE_MS, signal: either })) continue;
      throw problem('node-silent', { id, seconds: ANSWER_DEADLINE_MS / 1000 });
    }
  });
  const [{ version }] = await askOnce(connect(nodes[0].address, STATEMENT_MS), (control) =>
    rows(control, 'SELECT VERSION() AS version'),
  );

  const about = { ours: true, why, server: { name: 'mariadb', version: String(version).split('-')[0] } };
  const backend = dockerBackend(site, about, { disks, connect });
  return mariadbStack(backend, {
    credentials,
    link: (_from, to) => containerOf(to).announced,
    async rebuild(id) {
      await runIn(containerOf(id), ['sh', '-c', `: > ${FOLDER}/rebuild`]);
      await backend.host.act(id, 'kill');
      await backend.host.act(id, 'start');
    },
    async processInfo(id) {
      const container = containerOf(id);
      const [used, { State }] = await Promise.all([
        sampleContainer(engine, container),
        engine.getContainer(container.container).inspect(),
      ]);
      const run = { run_id: State.StartedAt };
      return used ? { ...run, cpu_seconds: String(used.cpuSeconds), memory_bytes: String(used.memoryBytes) } : run;
    },
  });
}
