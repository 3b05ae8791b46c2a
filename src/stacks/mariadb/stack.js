import { messageOf } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { askOnce, nodeOf } from '../ask.js';
import { answers } from '../hosts/probe.js';
import { problem } from '../texts.js';
import { connectControl } from './control.js';
import { isReplica } from './replication.js';
import { Roles } from './roles.js';
import { literal, mariadbSystem } from './system.js';

/**
 * MariaDB on nodes of any backend, as a Stack: what they say, and healing.
 * @import { Action, Backend, Control, Credentials, NodeHost, NodeInfo, Stack } from '../types.js'
 * @import { Snapshot } from '../redis/observe.js'
 * @import { Ask, RoleParts } from './roles.js'
 * @typedef {Object} NodesOfMariadb what a backend has prepared for MariaDB
 * @property {Credentials} credentials
 * @property {RoleParts['link']} link
 * @property {RoleParts['keep']} [keep] writes a setting to the configuration with which the node starts again; default: it is set again then
 * @property {RoleParts['rebuild']} rebuild
 * @property {(id: string) => Record<string, string> | Promise<Record<string, string>>} processInfo `cpu_seconds`, `memory_bytes` and
 *   `run_id` of a node's process; empty: it does not run
 */

const STATEMENT_MS = 5000;
const ANSWER_DEADLINE_MS = 60_000;
const ATTEMPT_MS = 500;

/** @param {Backend} backend @param {NodesOfMariadb} prepared @returns {Stack} */
export function mariadbStack({ revive, remove, ...backend }, prepared) {
  const { credentials, link, keep: inFile, rebuild, processInfo } = prepared;
  const { nodes, about } = backend;
  const { ask, untilAnswers } = openNodes({ nodes, credentials });
  const { keep, note, setAgain } = openKept({ untilAnswers, ask, inFile });

  /** @type {NodeHost['act']} */
  async function act(id, action) {
    note(id, action);
    await backend.host.act(id, action);
    if (action === 'start') await setAgain(id);
  }

  async function rebuildNode(/** @type {string} */ id) {
    note(id, 'rebuild');
    await rebuild(id);
    await setAgain(id);
  }

  const roles = new Roles({ nodes, credentials, link, ask, act, keep, rebuild: rebuildNode });

  return {
    ...backend,
    access: { masterName: 'mariadb', credentials },
    can: new Set(backend.can),
    host: { ...backend.host, act },
    database: {
      ...mariadbSystem({ credentials, processInfo, keep, roles }),
      primary: async () => nodeOf({ nodes }, roles.primary),
      async replicas() {
        const found = roles.others.map(async (node) => {
          const state = await roles.infoOf(node.id).catch(() => null);
          return state !== null && roles.followsPrimary(node.id, state) ? [node] : [];
        });
        return (await Promise.all(found)).flat();
      },
      observe: async () => ({
        masterName: 'mariadb',
        primary: roles.primary,
        redis: await Promise.all(nodes.map((node) => stateOf(node, roles))),
        sentinels: [],
      }),
    },
    async heal() {
      await revive();
      /** @type {Map<string, boolean>} */
      const anew = new Map();
      await Promise.all(nodes.map(async ({ id }) => anew.set(id, await setAgain(id))));
      await roles.promote(roles.primary);
      await Promise.all(roles.others.map(({ id }) => roles.joinPrimary(id, anew.get(id) ?? false)));
    },
    close: about.ours ? remove : async () => {},
    down: remove,
  };
}

/** @param {{nodes: readonly NodeInfo[], credentials: Credentials}} options @returns {{ask: Ask, untilAnswers: (id: string) => Promise<void>}} */
function openNodes({ nodes, credentials }) {
  const connect = (/** @type {string} */ id, /** @type {number} */ timeoutMs) =>
    connectControl(nodeOf({ nodes }, id).address, credentials, { timeoutMs });
  return {
    ask: (id, question, timeoutMs = STATEMENT_MS) => askOnce(connect(id, timeoutMs), question),
    async untilAnswers(id) {
      const isUp = () => answers(() => connect(id, ATTEMPT_MS));
      if (await waitFor(isUp, { deadlineMs: ANSWER_DEADLINE_MS })) return;
      throw problem('node-silent', { id, seconds: ANSWER_DEADLINE_MS / 1000 });
    },
  };
}

/** @param {NodeInfo} node @param {Roles} roles @returns {Promise<Snapshot['redis'][number]>} */
async function stateOf({ id, announced }, roles) {
  const figures = { offset: null, lagBytes: null, lagSeconds: null, goodReplicas: null, priority: null };
  const node = { id, announced, ...figures, error: null, role: null, follows: null, linkUp: false, online: false };
  try {
    const state = await roles.infoOf(id);
    const linkUp = state.slave_io_running === 'Yes';
    if (!isReplica(state)) return { ...node, role: 'primary', linkUp, online: linkUp };
    const follows = { host: state.master_host, port: Number(state.master_port) };
    return { ...node, role: 'replica', follows, linkUp, online: linkUp };
  } catch (error) {
    return { ...node, error: messageOf(error) };
  }
}

/** After these, a server may have to be started again. @type {readonly (Action | 'rebuild')[]} */
const ENDING = ['stop', 'kill', 'lose', 'power-loss', 'fill', 'rebuild'];

/** @param {{untilAnswers: (id: string) => Promise<void>, ask: Ask, inFile?: RoleParts['keep']}} options inFile: see `NodesOfMariadb.keep` */
function openKept({ untilAnswers, ask, inFile }) {
  const later = /** @type {Map<string, Record<string, string>>} */ (new Map());
  /** @type {Set<string>} */
  const lost = new Set();
  return {
    /** @type {RoleParts['keep']} */
    keep(id, name, value) {
      if (inFile) inFile(id, name, value);
      else later.set(id, { ...later.get(id), [name]: value });
    },
    /** What is about to be done to the node. @param {string} id @param {Action | 'rebuild'} action */
    note(id, action) {
      if (!inFile && ENDING.includes(action)) lost.add(id);
    },
    /** When the node answers, which may have been started again. @param {string} id @returns its settings may be those of another role */
    async setAgain(id) {
      await untilAnswers(id);
      if (!lost.delete(id)) return false;
      await ask(id, async (control) => {
        for (const [name, value] of Object.entries(later.get(id) ?? {}))
          await control.call(`SET GLOBAL ${name} = ${literal(value)}`);
      });
      return true;
    },
  };
}
