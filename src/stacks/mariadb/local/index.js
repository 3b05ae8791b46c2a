/**
 * The `local` backend of MariaDB: three child processes on loopback. Such a stack never outlives its process.
 */
import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { UserError } from '../../../errors.js';
import { temporaryFolder } from '../../../private-files.js';
import { waitFor } from '../../../wait.js';
import { nodeOf } from '../../ask.js';
import { freePort } from '../../ports.js';
import { HAS_PROC, isPaused } from '../../processes.js';
import { recoverLocal } from '../../redis/local/index.js';
import { LOOPBACK, readLog } from '../../redis/local/nodes.js';
import { createStack, explainFileError, listStacks, pidOf, removeStack } from '../../redis/local/record.js';
import { identityOf, readProc } from '../../redis/local/stack.js';
import { connectControl } from '../control.js';
import { follow, hasDiverged, isInSync, isReplica, promote, rows, sequence } from '../replication.js';
import { mariadbSystem } from '../system.js';
import { APPLICATION, FIRST_PRIMARY, MARIADB_NODES } from '../topology.js';
import { createNodes } from './nodes.js';
import { findMariadb, INSTALL_MARIADB } from './server.js';
import { preparedData } from './template.js';

/**
 * @import { RedisState } from '../../redis/observe.js'
 * @import { StackRecord } from '../../redis/local/record.js'
 * @import { Cluster, ClusterOptions, Control, ResourceSample } from '../../types.js'
 */

const WHY = 'Child processes on this machine: nothing lies between the clients and the servers.';
/** Three data directories and their logs. */
const LEAST_ROOM_BYTES = 1024 * 2 ** 20;
const STATEMENT_MS = 5000;
const PROMOTE_MS = 70_000;
/** A rebuilt node replays every transaction of the stack. */
const SYNC_DEADLINE_MS = 120_000;

/**
 * Starts a primary and two replicas, and waits until they replicate. First removes what dead processes left.
 *
 * @param {Partial<ClusterOptions> & {why?: string}} options
 * @returns {Promise<Cluster>}
 * @throws {UserError} no server program, no room, or it never becomes ready; everything that was started is removed
 */
export async function startMariadb({ server: wanted, settings, why = WHY, tell = () => {}, signal }) {
  const server = await findMariadb(wanted);
  if (!server) throw new UserError('mariadbd or mariadb-install-db was not found.', `${INSTALL_MARIADB}.`);
  await recoverLocal(tell);
  checkRoom();
  const data = await preparedData(server);
  signal?.throwIfAborted();
  const stack = await placeStack(server);
  const credentials = { username: APPLICATION, password: randomBytes(16).toString('hex') };
  const nodes = createNodes({ stack, program: server.path, data, credentials, settings });
  try {
    tell(`Starting MariaDB ${server.version}: a primary and two replicas.`);
    await Promise.all(
      stack.nodes.map(({ id }) => {
        nodes.prepare(id);
        return nodes.launch(id, signal);
      }),
    );
    const cluster = clusterOf(stack, { nodes, credentials, why });
    await cluster.heal();
    signal?.throwIfAborted();
    return cluster;
  } catch (error) {
    await removeStack(stack);
    throw explainFileError(stack, error);
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

/**
 * @param {StackRecord} stack
 * @param {Object} site
 * @param {ReturnType<typeof createNodes>} site.nodes
 * @param {import('../../types.js').Credentials} site.credentials
 * @param {string} site.why
 * @returns {Cluster}
 */
function clusterOf(stack, { nodes, credentials, why }) {
  let primaryId = FIRST_PRIMARY;
  /** @type {Map<string, string>} */
  const semiSync = new Map();
  /** @type {Promise<void> | null} */
  let goingDown = null;
  const infos = stack.nodes.map(({ id, port }) => {
    const address = Object.freeze({ host: LOOPBACK, port });
    return Object.freeze({ id, kind: /** @type {const} */ ('mariadb'), address, announced: address });
  });
  const addressOf = (/** @type {string} */ id) => nodeOf({ nodes: infos }, id).address;

  /**
   * @template T
   * @param {string} id
   * @param {(control: Control) => Promise<T>} question
   * @param {number} [timeoutMs]
   */
  async function ask(id, question, timeoutMs = STATEMENT_MS) {
    const control = await connectControl(addressOf(id), credentials, { timeoutMs });
    try {
      return await question(control);
    } finally {
      control.close();
    }
  }

  const others = () => infos.filter(({ id }) => id !== primaryId);
  const followPrimary = (/** @type {string} */ id) =>
    ask(id, (control) => follow(control, addressOf(primaryId), credentials));

  /** @param {string} id */
  async function makePrimary(id) {
    const former = primaryId;
    const isSemiSync = semiSync.get(id) === 'ON';
    await ask(id, (control) => promote(control, { semiSync: isSemiSync }), PROMOTE_MS);
    primaryId = id;
    nodes.keep(id, 'rpl_semi_sync_slave_enabled', 'OFF');
    nodes.keep(id, 'rpl_semi_sync_master_enabled', isSemiSync ? 'ON' : 'OFF');
    if (former === id) return;
    // A node that does not answer follows when the stack is healed; the old primary as well.
    const rest = others().filter((node) => node.id !== former);
    await Promise.allSettled(rest.map((node) => followPrimary(node.id)));
  }

  /** @param {string} id */
  async function joinPrimary(id) {
    nodes.keep(id, 'rpl_semi_sync_slave_enabled', 'ON');
    nodes.keep(id, 'rpl_semi_sync_master_enabled', 'OFF');
    const { port } = addressOf(primaryId);
    const state = await ask(id, (control) => control.info());
    if (!isReplica(state) || Number(state.master_port) !== port) await followPrimary(id);
    const target = await ask(primaryId, (control) => control.info());
    let rebuilt = false;
    const inSync = async () => {
      const now = await ask(id, (control) => control.info());
      if (hasDiverged(now) || sequence(now.gtid_current_pos) > sequence(target.gtid_binlog_pos)) {
        if (rebuilt) throw new Error(`${id} cannot follow ${primaryId}: ${now.last_io_error || now.last_sql_error}`);
        // It has transactions that the primary lacks.
        rebuilt = true;
        await nodes.rebuild(id);
        await followPrimary(id);
        return false;
      }
      return isInSync(now, port, target.gtid_binlog_pos);
    };
    if (await waitFor(inSync, { deadlineMs: SYNC_DEADLINE_MS })) return;
    throw new Error(`${id} was not in sync with ${primaryId} within ${SYNC_DEADLINE_MS / 1000} s`);
  }

  /** @param {string} id @returns {Promise<RedisState>} */
  async function stateOf(id) {
    const empty = { offset: null, lagBytes: null, lagSeconds: null, goodReplicas: null };
    const node = { id, announced: addressOf(id), ...empty };
    try {
      const state = await ask(id, (control) => control.info());
      const replica = isReplica(state);
      const linkUp = state.slave_io_running === 'Yes';
      const follows = replica ? { host: LOOPBACK, port: Number(state.master_port) } : null;
      return { ...node, error: null, role: replica ? 'replica' : 'primary', follows, linkUp, online: linkUp };
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      return { ...node, error: message, role: null, follows: null, linkUp: false, online: false };
    }
  }

  /** @param {string} id @returns {Promise<ResourceSample[]>} */
  async function sample(id) {
    const pid = pidOf(stack, id);
    if (pid === null || !HAS_PROC) return [];
    const network = await ask(id, (control) =>
      rows(control, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Bytes_received', 'Bytes_sent')"),
    );
    const [networkInBytes, networkOutBytes] = network.map(({ Value }) => Number(Value));
    return [{ id, networkInBytes, networkOutBytes, ...readProc(pid) }];
  }

  function down() {
    goingDown ??= removeStack(stack);
    return goingDown;
  }

  return {
    backend: 'local',
    identity: identityOf(stack),
    why,
    ours: true,
    server: { name: stack.server.name, version: stack.server.version },
    path: 'loopback',
    masterName: 'mariadb',
    credentials,
    nodes: infos,
    can: new Set(['pause', 'stop', 'kill', 'configure', 'logs', ...(HAS_PROC ? /** @type {const} */ (['stats']) : [])]),
    system: mariadbSystem({
      credentials,
      processInfo: nodes.processInfo,
      keep: nodes.keep,
      semiSync,
      promote: makePrimary,
    }),
    primary: async () => nodeOf({ nodes: infos }, primaryId),
    async replicas() {
      const states = await Promise.all(others().map(({ id }) => stateOf(id)));
      const { port } = addressOf(primaryId);
      return infos.filter(({ id }) => states.some((state) => state.id === id && state.follows?.port === port));
    },
    observe: async () => ({
      masterName: 'mariadb',
      primary: primaryId,
      redis: await Promise.all(infos.map(({ id }) => stateOf(id))),
      sentinels: [],
    }),
    reach: (announced) => announced,
    act: nodes.act,
    async slow() {
      throw new UserError('The links between local MariaDB nodes cannot be slowed.', 'Leave out --link-latency.');
    },
    async heal() {
      await Promise.all(
        infos.map(async ({ id }) => {
          const pid = pidOf(stack, id);
          if (pid !== null && isPaused(pid)) await nodes.act(id, 'resume');
          await nodes.act(id, 'start');
        }),
      );
      await makePrimary(primaryId);
      await Promise.all(others().map(({ id }) => joinPrimary(id)));
    },
    stats: async () => (await Promise.all(infos.map(({ id }) => sample(id)))).flat(),
    logs: async (id, lines) => readLog(stack, id, lines),
    close: down,
    down,
  };
}
