/**
 * MariaDB nodes as a Stack, whatever runs them: roles, replication and healing. The harness decides who is the primary.
 */
import { messageOf, UserError } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { askOnce, nodeOf } from '../ask.js';
import { answers } from '../probe.js';
import { connectControl } from './control.js';
import { follow, hasDiverged, isInSync, isReplica, promote, sequence } from './replication.js';
import { literal, mariadbSystem } from './system.js';
import { FIRST_PRIMARY } from './topology.js';

/**
 * @import { Action, Address, Stack, Control, NodeInfo } from '../types.js'
 * @import { Dialect } from './dialect.js'
 *
 * @typedef {Awaited<ReturnType<Stack['observe']>>['redis'][number]} NodeState
 *
 * @typedef {Pick<Stack, 'backend' | 'identity' | 'why' | 'server' | 'path' | 'inMemory' | 'credentials' | 'can' | 'act' | 'slow' | 'stats' | 'logs' |
 *   'down'>
 *   & Host} Site what a backend offers
 *
 * @typedef {Object} Host
 * @property {readonly NodeInfo[]} nodes
 * @property {Dialect} dialect
 * @property {(from: string, to: string) => Address} link where node `from` reaches node `to`
 * @property {(id: string, name: string, value: string) => void} [keep] the setting survives a restart of the node; default: it is set again then
 * @property {(id: string) => Promise<void>} rebuild the node begins again with an empty database
 * @property {(id: string) => Record<string, string> | Promise<Record<string, string>>} processInfo see `mariadbSystem`
 * @property {() => Promise<void>} revive every node runs, none is paused or partitioned, no link is slowed
 */

const STATEMENT_MS = 5000;
/** After a crash on a busy machine. */
const ANSWER_DEADLINE_MS = 60_000;
const ATTEMPT_MS = 500;
/** After these, a server may have to be started again. @type {readonly Action[]} */
const ENDING = ['stop', 'kill', 'lose', 'power-loss', 'fill'];
/** Longer than the timeout of the modes that fall back to async. */
const FENCE_MS = 2000;
const PROMOTE_MS = 70_000;
/** A rebuilt node replays every transaction of the stack. */
const SYNC_DEADLINE_MS = 120_000;

/**
 * @param {Site} site
 * @returns {Stack}
 */
export function mariadbStack({ nodes, dialect, link, keep: keepInFile, rebuild, processInfo, revive, ...backend }) {
  const { credentials } = backend;
  let primaryId = FIRST_PRIMARY;
  /** @type {Map<string, string>} */
  const semiSync = new Map();
  /** What was set meanwhile, of nodes that start again with the configuration of their first start. @type {Map<string, Record<string, string>>} */
  const later = new Map();
  /** Nodes that may have lost it. @type {Set<string>} */
  const lost = new Set();

  /**
   * @template T
   * @param {string} id
   * @param {(control: Control) => Promise<T>} question
   * @param {number} [timeoutMs]
   */
  function ask(id, question, timeoutMs = STATEMENT_MS) {
    const { address } = nodeOf({ nodes }, id);
    return askOnce(connectControl(address, credentials, { timeoutMs, dialect }), question);
  }

  /** @param {string} id @param {string} name @param {string} value */
  function keep(id, name, value) {
    if (keepInFile) keepInFile(id, name, value);
    else later.set(id, { ...later.get(id), [name]: value });
  }

  /** @param {string} id */
  async function untilAnswers(id) {
    const { address } = nodeOf({ nodes }, id);
    const isUp = () => answers(() => connectControl(address, credentials, { timeoutMs: ATTEMPT_MS, dialect }));
    if (await waitFor(isUp, { deadlineMs: ANSWER_DEADLINE_MS })) return;
    throw new UserError(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s.`, 'Look at its log.');
  }

  /** @param {string} id of a node that was started again, or rebuilt */
  async function setAgain(id) {
    await untilAnswers(id);
    await ask(id, async (control) => {
      for (const [name, value] of Object.entries(later.get(id) ?? {}))
        await control.call(`SET GLOBAL ${dialect.toServer(name)} = ${literal(value)}`);
    });
  }

  /** @type {Stack['act']} */
  async function act(id, action) {
    if (!keepInFile && ENDING.includes(action)) lost.add(id);
    await backend.act(id, action);
    if (action === 'start' && lost.delete(id)) await setAgain(id);
  }

  const others = () => nodes.filter(({ id }) => id !== primaryId);

  /**
   * Closes a former primary to writes. `read_only` waits for commits that wait for a replica. Then the server is killed, and begins again with
   * `read_only`. Switching semi-synchronous replication off would confirm such commits to their clients.
   *
   * @param {string} id
   */
  async function fence(id) {
    try {
      await ask(id, (control) => control.call('SET GLOBAL read_only = ON'), FENCE_MS);
    } catch {
      await act(id, 'kill');
      await act(id, 'start');
    }
  }

  /** @param {string} id */
  async function followPrimary(id) {
    if (!isReplica(await ask(id, (control) => control.info()))) await fence(id);
    await ask(id, (control) => follow(control, link(id, primaryId), credentials, dialect));
  }

  /** @param {string} id */
  async function makePrimary(id) {
    const former = primaryId;
    const isSemiSync = semiSync.get(id) === 'ON';
    await ask(id, (control) => promote(control, { semiSync: isSemiSync, dialect }), PROMOTE_MS);
    primaryId = id;
    keep(id, 'rpl_semi_sync_slave_enabled', 'OFF');
    keep(id, 'rpl_semi_sync_master_enabled', isSemiSync ? 'ON' : 'OFF');
    if (former === id) return;
    // A node that does not answer follows when the stack is healed; the old primary as well.
    const rest = others().filter((node) => node.id !== former);
    await Promise.allSettled(rest.map((node) => followPrimary(node.id)));
  }

  /**
   * @param {string} id
   * @param {Record<string, string>} state of `info`
   */
  function followsPrimary(id, state) {
    const { host, port } = link(id, primaryId);
    return isReplica(state) && state.master_host === host && Number(state.master_port) === port;
  }

  /** @param {string} id @param {boolean} [anew] its settings may be those of another role */
  async function joinPrimary(id, anew = false) {
    keep(id, 'rpl_semi_sync_slave_enabled', 'ON');
    keep(id, 'rpl_semi_sync_master_enabled', 'OFF');
    const { port } = link(id, primaryId);
    const state = await ask(id, (control) => control.info());
    if (anew || !followsPrimary(id, state)) await followPrimary(id);
    const target = await ask(primaryId, (control) => control.info());
    let rebuilt = false;
    const inSync = async () => {
      const now = await ask(id, (control) => control.info());
      if (hasDiverged(now) || sequence(now.gtid_current_pos) > sequence(target.gtid_binlog_pos)) {
        if (rebuilt) throw new Error(`${id} cannot follow ${primaryId}: ${now.last_io_error || now.last_sql_error}`);
        // It has transactions that the primary lacks.
        rebuilt = true;
        await rebuild(id);
        await setAgain(id);
        await followPrimary(id);
        return false;
      }
      return isInSync(now, port, target.gtid_binlog_pos);
    };
    if (await waitFor(inSync, { deadlineMs: SYNC_DEADLINE_MS })) return;
    throw new Error(`${id} was not in sync with ${primaryId} within ${SYNC_DEADLINE_MS / 1000} s`);
  }

  /** @param {string} id @returns {Promise<NodeState>} */
  async function stateOf(id) {
    const empty = { offset: null, lagBytes: null, lagSeconds: null, goodReplicas: null, priority: null };
    const node = { id, announced: nodeOf({ nodes }, id).announced, ...empty };
    try {
      const state = await ask(id, (control) => control.info());
      const replica = isReplica(state);
      const linkUp = state.slave_io_running === 'Yes';
      const follows = replica ? { host: state.master_host, port: Number(state.master_port) } : null;
      return { ...node, error: null, role: replica ? 'replica' : 'primary', follows, linkUp, online: linkUp };
    } catch (error) {
      return { ...node, error: messageOf(error), role: null, follows: null, linkUp: false, online: false };
    }
  }

  return {
    ...backend,
    act,
    ours: true,
    masterName: 'mariadb',
    nodes,
    system: mariadbSystem({
      credentials,
      dialect,
      processInfo,
      keep,
      semiSync,
      promote: makePrimary,
      follow: followPrimary,
    }),
    primary: async () => nodeOf({ nodes }, primaryId),
    async replicas() {
      const found = await Promise.all(
        others().map(async (node) => {
          const state = await ask(node.id, (control) => control.info()).catch(() => null);
          return state !== null && followsPrimary(node.id, state) ? [node] : [];
        }),
      );
      return found.flat();
    },
    observe: async () => ({
      masterName: 'mariadb',
      primary: primaryId,
      redis: await Promise.all(nodes.map(({ id }) => stateOf(id))),
      sentinels: [],
    }),
    async heal() {
      await revive();
      const again = nodes.flatMap(({ id }) => (lost.delete(id) ? id : []));
      await Promise.all(nodes.map(({ id }) => (again.includes(id) ? setAgain(id) : untilAnswers(id))));
      await makePrimary(primaryId);
      await Promise.all(others().map(({ id }) => joinPrimary(id, again.includes(id))));
    },
    close: backend.down,
  };
}
