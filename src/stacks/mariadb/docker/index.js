/** The `docker` backend of MariaDB: three containers of docker-compose.yml. Such a stack never outlives its process. */
import { randomBytes } from 'node:crypto';
import { obtainImage, openEngine } from '../../hosts/docker/engine.js';
import { containedNodes, openDockerHost } from '../../hosts/docker/host.js';
import { openNetworks } from '../../hosts/docker/networks.js';
import { openSite } from '../../hosts/docker/nodes.js';
import { newProject, ownerLabel, placeDisks, removeAbandoned } from '../../hosts/docker/project.js';
import { startContainers } from '../../hosts/docker/start.js';
import { text } from '../../texts.js';
import { COMMON_CONF, confText, firstStatements } from '../conf.js';
import { connectControl } from '../control.js';
import { bringUpMariadb } from '../start.js';
import { MARIADB_NODES } from '../topology.js';

/** @import { Disks } from '../../volumes/disks.js' */
/** @import { NodeImages } from '../../hosts/docker/engine.js' */
/** @import { Host } from '../../hosts/host.js' */
/** @import { StackOptions } from '../../types.js' */

/** A container makes its data directory before its server starts. */
const ANSWER_DEADLINE_MS = 120_000;
const ATTEMPT_MS = 1000;

const FOLDER = '/var/lib/mysql';

/** @type {NodeImages} */
export const MARIADB_IMAGES = {
  usual: ['mariadb:10.11', 'sentinel-bench/mariadb:local'],
  variable: 'SENTINEL_BENCH_MARIADB_IMAGE',
  remedy: 'build-mariadb-image',
  needs: text('mariadb-image-needs'),
  folder: FOLDER,
};

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
  const compose = (/** @type {Disks} */ disks) => ({
    place: { useDefaults: false, nodes: MARIADB_NODES },
    services: MARIADB_NODES.map(({ id }) => id),
    files: async () => placeDisks(disks, MARIADB_IMAGES),
    env: () => env,
  });
  return startContainers(engine, project, options, compose, async (disks) => {
    const containers = await openSite(engine, project);
    const host = openDockerHost(containers, MARIADB_IMAGES, disks);
    const between = { links: openNetworks(containers, host), groups: null };
    const site = { host, between, ours: true, why: options.why ?? text('mariadb-docker') };
    return bringUpMariadb(site, nodesOn(host, password), { password, signal });
  });
}

function nodesOn(/** @type {Host} */ host, /** @type {string} */ password) {
  const nodes = containedNodes(host, {
    connect: (address) => connectControl(address, { password }, { timeoutMs: ATTEMPT_MS }),
    deadlineMs: ANSWER_DEADLINE_MS,
  });
  return {
    ...nodes,
    async rebuild(/** @type {string} */ id) {
      await host.write(id, 'rebuild', '');
      await host.act(id, 'kill');
      await nodes.start(id);
    },
  };
}
