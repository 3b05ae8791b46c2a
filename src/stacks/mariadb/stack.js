/** MariaDB on nodes of any backend, as a Stack: what they say, and healing. */

import { messageOf } from '../../errors.js';
import { waitFor } from '../../wait.js';
import { askOnce, nodeOf } from '../ask.js';
import { answers } from '../probe.js';
import { problem } from '../texts.js';
import { connectControl } from './control.js';
import { openKept } from './kept.js';
import { isReplica } from './replication.js';
import { openRoles } from './roles.js';
import { mariadbSystem } from './system.js';

/**
 * @import { Address, Backend, Credentials, NodeHost, NodeInfo, Stack } from '../types.js'
 * @import { Snapshot } from '../redis/observe.js'
 * @import { KeptSettings } from './kept.js'
 * @import { Ask } from './roles.js'
 *
 * @typedef {Object} NodesOfMariadb what a backend has prepared for MariaDB
 * @property {Credentials} credentials
 * @property {(from: string, to: string) => Address} link where node `from` reaches node `to`
 * @property {KeptSettings['keep']} [keep] writes a setting to the configuration with which the node starts again; default: it is set again then
 * @property {(id: string) => Promise<void>} rebuild the node begins again with an empty database
 * @property {(id: string) => Record<string, string> | Promise<Record<string, string>>} processInfo see `mariadbSystem`
 */

const STATEMENT_MS = 5000;
/** After a crash on a busy machine. */
const ANSWER_DEADLINE_MS = 60_000;
const ATTEMPT_MS = 500;

/** @param {Backend} backend @param {NodesOfMariadb} prepared @returns {Stack} */
export function mariadbStack(
  { revive, remove, ...backend },
  { credentials, link, keep: inFile, rebuild, processInfo },
) {
  const { nodes, about } = backend;
  const { ask, untilAnswers } = openNodes({ nodes, credentials });
  const { keep, note, setAgain } = openKept({ untilAnswers, ask, inFile });

  /** @type {NodeHost['act']} */
  async function act(id, action) {
    note(id, action);
    await backend.host.act(id, action);
    if (action === 'start') await setAgain(id);
  }

  /** @param {string} id */
  async function rebuildNode(id) {
    note(id, 'rebuild');
    await rebuild(id);
    await setAgain(id);
  }

  const roles = openRoles({ nodes, credentials, link, ask, act, keep, rebuild: rebuildNode });
  const { infoOf, promote, followsPrimary, joinPrimary } = roles;

  return {
    ...backend,
    access: { masterName: 'mariadb', credentials },
    can: new Set(backend.can),
    host: { ...backend.host, act },
    database: {
      ...mariadbSystem({ credentials, processInfo, keep, ...roles }),
      primary: async () => nodeOf({ nodes }, roles.primary()),
      async replicas() {
        const found = await Promise.all(
          roles.others().map(async (node) => {
            const state = await infoOf(node.id).catch(() => null);
            return state !== null && followsPrimary(node.id, state) ? [node] : [];
          }),
        );
        return found.flat();
      },
      observe: async () => ({
        masterName: 'mariadb',
        primary: roles.primary(),
        redis: await Promise.all(nodes.map((node) => stateOf(node, infoOf))),
        sentinels: [],
      }),
    },
    async heal() {
      await revive();
      const anew = new Map(
        await Promise.all(nodes.map(async ({ id }) => /** @type {const} */ ([id, await setAgain(id)]))),
      );
      await promote(roles.primary());
      await Promise.all(roles.others().map(({ id }) => joinPrimary(id, anew.get(id) ?? false)));
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

/** @param {NodeInfo} node @param {(id: string) => Promise<Record<string, string>>} infoOf @returns {Promise<Snapshot['redis'][number]>} */
async function stateOf({ id, announced }, infoOf) {
  const empty = { offset: null, lagBytes: null, lagSeconds: null, goodReplicas: null, priority: null };
  const node = { id, announced, ...empty };
  try {
    const state = await infoOf(id);
    const replica = isReplica(state);
    const linkUp = state.slave_io_running === 'Yes';
    const follows = replica ? { host: state.master_host, port: Number(state.master_port) } : null;
    return { ...node, error: null, role: replica ? 'replica' : 'primary', follows, linkUp, online: linkUp };
  } catch (error) {
    return { ...node, error: messageOf(error), role: null, follows: null, linkUp: false, online: false };
  }
}
