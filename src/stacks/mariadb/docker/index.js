/** The `docker` backend of MariaDB: three containers of docker-compose.yml. Such a stack never outlives its process. */
import { randomBytes } from 'node:crypto';
import { UserError } from '../../../errors.js';
import { waitFor } from '../../../wait.js';
import { askOnce } from '../../ask.js';
import { flushDisks } from '../../disks.js';
import { dockerBackend, untilReady } from '../../docker/backend.js';
import { chooseImage, ensureImage, openEngine, runCompose } from '../../docker/engine.js';
import { openDockerHost, startContainers } from '../../docker/host.js';
import { runIn } from '../../docker/nodes.js';
import { startPlaced } from '../../docker/placement.js';
import { newProject, ownerLabel, placeDisks } from '../../docker/project.js';
import { recoverDocker } from '../../docker/recover.js';
import { sampleContainer } from '../../docker/stats.js';
import { answers, probe } from '../../probe.js';
import { COMMON_CONF, confText, firstStatements } from '../conf.js';
import { connectControl } from '../control.js';
import { rows } from '../replication.js';
import { mariadbStack } from '../stack.js';
import { APPLICATION, MARIADB_NODES } from '../topology.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { Engine } from '../../docker/engine.js'
 * @import { Address, Stack, StackOptions, Credentials } from '../../types.js'
 */

const WHY = 'A Docker engine was requested: each node has its own container.';
export const MARIADB_IMAGES = Object.freeze({
  usual: ['mariadb:10.11', 'sentinel-bench/mariadb:local'],
  remedy:
    'Build one from the MariaDB installed here with `./s/build-image.sh mariadb`, or name an existing one in SENTINEL_BENCH_MARIADB_IMAGE.',
});

/** A container first makes its tables. */
const ANSWER_DEADLINE_MS = 120_000;
const ATTEMPT_MS = 1000;
const STATEMENT_MS = 5000;
const IMAGE =
  'An image needs sh, mariadbd with mariadb-install-db, and a /var/lib/mysql that the user of SENTINEL_BENCH_USER (default: 999) may write to.';

/** As in docker-compose.yml. */
const FOLDER = '/var/lib/mysql';

/**
 * Starts a primary and two replicas, and waits until they replicate. First removes what dead processes left.
 * @param {Partial<StackOptions> & {why?: string}} options
 * @returns {Promise<Stack>}
 * @throws {UserError} no engine, no Compose, no image, or it never becomes ready; everything that was started is removed
 */
export async function startMariadbDocker(options) {
  const { image: wanted = process.env.SENTINEL_BENCH_MARIADB_IMAGE, settings = {}, tell = () => {}, signal } = options;
  const engine = await openEngine();
  const choice = await chooseImage(engine, wanted, MARIADB_IMAGES);
  await ensureImage(choice, { tell, signal }, MARIADB_IMAGES);
  await recoverDocker(tell);
  signal?.throwIfAborted();
  const password = randomBytes(16).toString('hex');
  const project = newProject();
  return startContainers(engine, project, { ...options, tell }, async (disks) => {
    tell(`Starting three containers of ${choice.image}: a primary and two replicas.`);
    await startPlaced(engine, project, {
      place: { useDefaults: false, nodes: MARIADB_NODES },
      signal,
      up: ({ env, timeoutMs }) =>
        runCompose(project, ['up', '--detach', '--pull', 'never', ...MARIADB_NODES.map(({ id }) => id)], {
          files: placeDisks(disks, FOLDER),
          env: {
            ...env,
            SENTINEL_BENCH_MARIADB_IMAGE: choice.image,
            SENTINEL_BENCH_MARIADB_CONF: confText({ ...COMMON_CONF, ...PLACES, ...settings }),
            SENTINEL_BENCH_MARIADB_FIRST: firstStatements({ password, from: '%' }),
            SENTINEL_BENCH_OWNER: ownerLabel(),
          },
          signal,
          timeoutMs,
        }),
    });
    const credentials = { username: APPLICATION, password };
    const why = options.why ?? WHY;
    const stack = await openDockerStack(engine, project, { credentials, disks, why, signal });
    await stack.heal();
    await flushDisks(disks);
    signal?.throwIfAborted();
    return stack;
  });
}

/** Lines of the configuration that name places in the container. */
const PLACES = Object.freeze({
  datadir: `${FOLDER}/data`,
  socket: `${FOLDER}/socket`,
  'pid-file': `${FOLDER}/pid`,
  'init-file': `${FOLDER}/first.sql`,
  tmpdir: FOLDER,
  'bind-address': '0.0.0.0',
});

/**
 * @param {Engine} engine
 * @param {string} project whose containers were started
 * @param {{credentials: Credentials, disks: Disks, why: string, signal?: AbortSignal}} options
 * @returns {Promise<Stack>} all of whose nodes answer
 */
async function openDockerStack(engine, project, { credentials, disks, why, signal }) {
  const host = await openDockerHost(engine, project, { canReach: isRouted, topology: MARIADB_NODES });
  const { nodes, containerOf } = host;
  const connect = (/** @type {Address} */ address, timeoutMs = ATTEMPT_MS) =>
    connectControl(address, credentials, { timeoutMs });
  await untilReady(engine, host.containers, { signal, image: IMAGE }, async (either) => {
    for (const { id, address } of nodes) {
      const isUp = () => answers(() => connect(address));
      if (await waitFor(isUp, { deadlineMs: ANSWER_DEADLINE_MS, signal: either })) continue;
      throw new UserError(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s.`, IMAGE);
    }
  });
  const [{ version }] = await askOnce(connect(nodes[0].address, STATEMENT_MS), (control) =>
    rows(control, 'SELECT VERSION() AS version'),
  );

  const about = { ours: true, why, server: { name: 'mariadb', version: String(version).split('-')[0] } };
  const backend = dockerBackend(engine, project, host, about, { disks, connect });
  return mariadbStack(backend, {
    credentials,
    link: (_from, to) => containerOf(to).announced,
    async rebuild(id) {
      await runIn(engine, containerOf(id), ['sh', '-c', `: > ${FOLDER}/rebuild`]);
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

/**
 * @param {Address} address of a container whose server may still make its tables, and so refuse
 * @returns {Promise<boolean>} something answers there
 */
async function isRouted(address) {
  return [null, 'ECONNREFUSED'].includes(await probe(address, ATTEMPT_MS));
}
