/**
 * The `local` backend of MariaDB: three child processes on loopback. Such a stack never outlives its process.
 */
import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { UserError } from '../../../errors.js';
import { temporaryFolder } from '../../../private-files.js';
import { LOOPBACK } from '../../address.js';
import { nodeOf } from '../../ask.js';
import { startDisks } from '../../disks.js';
import { portOf, readLog } from '../../local/nodes.js';
import {
  createStack,
  explainFileError,
  identityOf,
  listStacks,
  pidOf,
  removeStack,
  saveStack,
} from '../../local/record.js';
import { recoverLocal } from '../../local/recover.js';
import { freePort } from '../../ports.js';
import { HAS_PROC, isPaused, readProc } from '../../processes.js';
import { CAN_RELAY, LINK_ABILITIES, startRelay } from '../../relay/relay.js';
import { connectControl } from '../control.js';
import { MARIADB } from '../dialect.js';
import { rows } from '../replication.js';
import { mariadbStack } from '../stack.js';
import { APPLICATION, MARIADB_NODES } from '../topology.js';
import { createNodes } from './nodes.js';
import { findMariadb, INSTALL_MARIADB } from './server.js';
import { preparedData } from './template.js';

/**
 * @import { Disks } from '../../disks.js'
 * @import { StackRecord } from '../../local/record.js'
 * @import { Relay } from '../../relay/relay.js'
 * @import { Ability, Stack, StackOptions, Credentials, ResourceSample } from '../../types.js'
 *
 * @typedef {Object} Parts of a stack
 * @property {ReturnType<typeof createNodes>} nodes
 * @property {Credentials} credentials
 * @property {string} why
 * @property {Relay | null} relay between the nodes; null: there is no relay
 * @property {Disks} disks
 */

const WHY = 'Child processes on this machine: nothing lies between the clients and the servers.';
/** Three data directories and their logs. */
const LEAST_ROOM_BYTES = 1024 * 2 ** 20;

/**
 * Starts a primary and two replicas, and waits until they replicate. First removes what dead processes left.
 *
 * @param {Partial<StackOptions> & {why?: string}} options
 * @returns {Promise<Stack>}
 * @throws {UserError} no server program, no room, or it never becomes ready; everything that was started is removed
 */
export async function startMariadb(options) {
  const { server: wanted, settings, links, volatileDisks = [], why = WHY, tell = () => {}, signal } = options;
  const server = await findMariadb(wanted);
  if (!server) throw new UserError('mariadbd or mariadb-install-db was not found.', `${INSTALL_MARIADB}.`);
  await recoverLocal(tell);
  checkRoom();
  const data = await preparedData(server);
  signal?.throwIfAborted();
  const record = await placeStack(server);
  const credentials = { username: APPLICATION, password: randomBytes(16).toString('hex') };
  const nodes = createNodes({ record, program: server.path, data, credentials, settings });
  /** @type {Relay | null} */
  let relay = null;
  /** @type {Disks | null} */
  let disks = null;
  try {
    relay = links && CAN_RELAY ? await startRelay(record.nodes, { byPort: true }) : null;
    disks = await startDisks(volatileDisks, {
      onStarted(id, { path }) {
        record.disks = { ...record.disks, [id]: path };
        saveStack(record);
      },
      signal,
      tell,
    });
    tell(`Starting MariaDB ${server.version}: a primary and two replicas.`);
    await Promise.all(
      record.nodes.map(async ({ id }) => {
        await nodes.prepare(id);
        await nodes.launch(id, signal);
      }),
    );
    const stack = stackOf(record, { nodes, credentials, why, relay, disks });
    await stack.heal();
    signal?.throwIfAborted();
    return stack;
  } catch (error) {
    await removeStack(record);
    await relay?.close();
    await disks?.close();
    throw explainFileError(record, error);
  }
}

/** @throws {UserError} */
function checkRoom() {
  const folder = temporaryFolder();
  const { blocks, bavail, bsize } = statfsSync(folder);
  // Some file systems count no blocks.
  if (blocks === 0 || bavail * bsize >= LEAST_ROOM_BYTES) return;
  throw new UserError(
    `Only ${Math.floor((bavail * bsize) / 2 ** 20)} MiB are free in ${folder}, too little for three MariaDB servers.`,
    'Make room there, or set TMPDIR to a folder that has some.',
  );
}

/** When this process has placed its last stack: two at the same time would choose the same ports. */
let lastPlaced = Promise.resolve();

/**
 * @param {StackRecord['server']} server
 * @returns {Promise<StackRecord>}
 */
function placeStack({ path, name, version }) {
  const placed = lastPlaced.then(async () => {
    const given = new Set(listStacks().flatMap(({ nodes }) => nodes.map(({ port }) => port)));
    const nodes = [];
    for (const { id } of MARIADB_NODES) {
      const port = await freePort(given);
      given.add(port);
      nodes.push({ id, port });
    }
    return createStack({ system: 'mariadb', detached: false, server: { path, name, version }, nodes });
  });
  lastPlaced = placed.then(
    () => {},
    () => {},
  );
  return placed;
}

/** @type {Ability[]} */
const ALWAYS = ['pause', 'stop', 'kill', 'configure', 'logs'];

/**
 * @param {StackRecord} record
 * @param {Parts} parts
 * @returns {Stack}
 */
function stackOf(record, { nodes, credentials, why, relay, disks }) {
  /** @type {Promise<void> | null} */
  let goingDown = null;
  const infos = record.nodes.map(({ id, port }) => {
    const address = Object.freeze({ host: LOOPBACK, port });
    return Object.freeze({ id, kind: /** @type {const} */ ('mariadb'), address, announced: address });
  });

  /** @type {Stack['act']} */
  async function act(id, action) {
    portOf(record, id);
    switch (action) {
      case 'partition':
      case 'join':
        if (!relay) throw lacks(action, id);
        return action === 'partition' ? relay.partition(id) : relay.join(id);
      case 'lose': {
        if (!relay) throw lacks(action, id);
        const pid = pidOf(record, id);
        if (pid !== null) await relay.lose(id, pid);
        return nodes.act(id, 'kill');
      }
      case 'start':
        await relay?.restore(id);
        break;
    }
    return disks.act(id, action, (each) => nodes.act(id, each));
  }

  /** @param {string} id @returns {Promise<ResourceSample[]>} */
  async function sample(id) {
    const pid = pidOf(record, id);
    if (pid === null) return [];
    const control = await connectControl(nodeOf({ nodes: infos }, id).address, credentials);
    try {
      const network = await rows(control, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')");
      const [networkInBytes, networkOutBytes] = network.map(({ Value }) => Number(Value));
      return [{ id, networkInBytes, networkOutBytes, ...readProc(pid) }];
    } finally {
      control.close();
    }
  }

  return mariadbStack({
    backend: 'local',
    identity: identityOf(record),
    why,
    server: { name: record.server.name, version: record.server.version },
    path: 'loopback',
    credentials,
    nodes: infos,
    dialect: MARIADB,
    can: new Set([
      ...ALWAYS,
      ...(HAS_PROC ? /** @type {Ability[]} */ (['stats']) : []),
      ...(relay ? LINK_ABILITIES : []),
      ...disks.can,
    ]),
    link: (from, to) => ({ host: LOOPBACK, port: relay?.ports.get(`${from} ${to}`) ?? portOf(record, to) }),
    keep: nodes.keep,
    rebuild: nodes.rebuild,
    processInfo: nodes.processInfo,
    act,
    async slow(shape, id) {
      if (relay) return relay.slow(shape, id);
      throw new UserError(
        'This MariaDB stack was started without a relay between its nodes, so its links cannot be slowed.',
        'Leave out --link-latency.',
      );
    },
    async revive() {
      await relay?.clear();
      await Promise.all(
        infos.map(async ({ id }) => {
          const pid = pidOf(record, id);
          if (pid !== null && isPaused(pid)) await nodes.act(id, 'resume');
          await act(id, 'start');
        }),
      );
    },
    stats: async () => (HAS_PROC ? (await Promise.all(infos.map(({ id }) => sample(id)))).flat() : []),
    logs: async (id, lines) => readLog(record, id, lines),
    down() {
      goingDown ??= removeStack(record).finally(async () => {
        await relay?.close();
        await disks.close();
      });
      return goingDown;
    },
  });
}

/**
 * @param {string} action
 * @param {string} id
 */
function lacks(action, id) {
  return new Error(`this MariaDB stack was started without what ${action} of ${id} needs`);
}
