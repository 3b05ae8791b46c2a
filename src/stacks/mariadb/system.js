/** MariaDB with asynchronous or semi-synchronous replication, as the engine sees a system. */
import { ENTRIES } from '../../clients/mysql.js';
import { waitFor } from '../../wait.js';
import { askNode } from '../ask.js';
import { SHOWN } from './conf.js';
import { connectControl, isReplyError } from './control.js';
import { readNode } from './reader.js';
import { isReplica, rows } from './replication.js';
import { MARIADB_NODES } from './topology.js';

/** @import { Control, Removal, System } from '../types.js' */
/** @import { RoleParts, Roles } from './roles.js' */
/** @import { NodesOfMariadb } from './stack.js' */

/** How long the harness sees no answer from the primary before it promotes a replica. */
const DOWN_AFTER_MS = 1000;
/** Changing a setting includes waiting until semi-synchronous replication is on. */
const SETTINGS_TIMEOUT_MS = 10_000;

const SEMI_SYNC = 'rpl_semi_sync_master_enabled';
/** Options that act when the server starts the next time. */
const AT_START = Object.freeze(['init_rpl_role']);

export const WRITERS = new URL('../../load/writers/mysql-writer.js', import.meta.url).href;

/**
 * @param {Pick<NodesOfMariadb, 'credentials' | 'processInfo'> & Pick<RoleParts, 'keep'> & {roles: Pick<Roles, 'semiSync' | 'promote' | 'follow'>}} parts of the stack
 * @returns {System}
 */
export function mariadbSystem({ credentials, processInfo, keep, roles }) {
  /** @param {string} id @param {Control} control @param {string} name @param {string} value */
  async function set(id, control, name, value) {
    if (name === SEMI_SYNC) {
      roles.semiSync.set(id, value);
      if (isReplica(await control.info())) return;
    }
    if (!AT_START.includes(name)) await control.call(`SET GLOBAL ${plainName(name)} = ${literal(value)}`);
    keep(id, name, value);
    if (name === SEMI_SYNC && value === 'ON') await untilOn(control);
  }

  return {
    name: 'mariadb',
    connect: (node, _credentials, { timeoutMs } = {}) =>
      connectControl(node.address, credentials, { timeoutMs, processInfo: () => processInfo(node.id) }),
    isReplyError,
    silentNodes: ({ redis }) => redis.flatMap(({ id, error }) => (error === null ? [] : { id, error })),
    whyNotReady: ({ redis }) =>
      redis.flatMap(({ id, error }) => (error === null ? [] : `${id} does not answer: ${error}`)),
    configuration: (control) => variables(control, SHOWN),
    settings: {
      barred: [],
      timeoutMs: () => SETTINGS_TIMEOUT_MS,
      async read(_stack, { id }, control, names) {
        const wanted = roles.semiSync.get(id);
        const found = await variables(control, names);
        return { ...found, ...(wanted !== undefined && names.includes(SEMI_SYNC) && { [SEMI_SYNC]: wanted }) };
      },
      write: (_stack, { id }, control, name, value) => set(id, control, name, value),
      undoStep: async (_stack, { id }, _control, former) => ({ kind: 'settings', id, settings: former }),
      restore(stack, { id, settings }) {
        const restoreAll = async (/** @type {Control} */ control) => {
          for (const [name, value] of Object.entries(settings)) await set(id, control, name, value);
        };
        return askNode(stack, id, restoreAll, { timeoutMs: SETTINGS_TIMEOUT_MS });
      },
      persist: async () => {},
      mayChange: async () => () => true,
    },
    samples: {
      async cpu(control) {
        const { cpu_seconds: used } = await control.info('process');
        return { cpuSeconds: used === undefined ? null : Number(used), mainThreadCpuSeconds: null };
      },
      async state(control) {
        const { run_id: runId = '', memory_bytes: memory } = await control.info('process');
        return { runId, memoryBytes: memory === undefined ? null : Number(memory), counters: null };
      },
    },
    keys: { remove: (primary, { prefix }, options) => removeByPrefix(primary, prefix, options), removeByPrefix },
    client: 'mysql2',
    read: readNode,
    failover: {
      watch: async () => ({ close() {} }),
      detectionSettings: () => ({}),
      downAfterMs: async () => DOWN_AFTER_MS,
      isReplica: async (control) => isReplica(await control.info()),
      async follow(control) {
        const [{ number }] = await rows(control, 'SELECT @@global.server_id AS number');
        await roles.follow(MARIADB_NODES[Number(number) - 1].id);
      },
      // The time between nodes is not measured: a commit waits in the server, if at all.
      writeToReplica: async () => false,
      forget: async () => {},
      promote: (_stack, id) => roles.promote(id),
    },
    writers: WRITERS,
  };
}

/** Semi-synchronous replication that was switched on is in force when the replicas have caught up. @param {Control} control */
async function untilOn(control) {
  const isOn = async () => {
    const { rpl_semi_sync_master_clients: clients, rpl_semi_sync_master_status: status } = await control.info();
    return Number(clients) === 0 || status === 'ON';
  };
  if (await waitFor(isOn, { deadlineMs: SETTINGS_TIMEOUT_MS })) return;
  throw new Error(`semi-synchronous replication was not on within ${SETTINGS_TIMEOUT_MS / 1000} s`);
}

/** @param {Control} control @param {readonly string[]} names @returns {Promise<Record<string, string>>} without unknown names */
async function variables(control, names) {
  const list = names.map((name) => `'${plainName(name)}'`).join(', ');
  const found = await rows(control, `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${list})`);
  return Object.fromEntries(found.map(({ Variable_name: name, Value: value }) => [String(name), String(value)]));
}

/** @param {string} name of a setting @returns the same */
function plainName(name) {
  if (/^[a-z_]+$/.test(name)) return name;
  throw new RangeError(`${JSON.stringify(name)} is not the name of a setting`);
}

/** @param {string} value @returns for a statement: a number, or a word @throws {RangeError} it is neither */
export function literal(value) {
  if (/^\d+$/.test(value)) return value;
  if (/^\w+$/.test(value)) return `'${value}'`;
  throw new RangeError(`${JSON.stringify(value)} is not the value of a setting`);
}

/** @param {Pick<Control, 'call'>} primary @param {string} prefix @param {Removal} [options] */
async function removeByPrefix(primary, prefix, { signal, onRemoved } = {}) {
  signal?.throwIfAborted();
  const removed = await primary.call(`DELETE FROM ${ENTRIES} WHERE k LIKE ?`, `${prefix}%`);
  const { affectedRows } = /** @type {{affectedRows: number}} */ (removed);
  onRemoved?.(affectedRows);
  return affectedRows;
}
