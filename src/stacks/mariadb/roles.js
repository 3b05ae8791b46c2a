/** Which node is the primary, and how the others come to follow it. The harness decides. */
import { waitFor } from '../../wait.js';
import { follow, hasDiverged, isInSync, isReplica, promote, sequence } from './replication.js';
import { FIRST_PRIMARY } from './topology.js';

/**
 * @import { Control, Credentials, NodeHost, NodeInfo } from '../types.js'
 * @import { NodesOfMariadb } from './stack.js'
 *
 * @typedef {<T>(id: string, question: (control: Control) => Promise<T>, timeoutMs?: number) => Promise<T>} Ask
 *
 * @typedef {Object} RoleParts
 * @property {readonly NodeInfo[]} nodes
 * @property {Credentials} credentials
 * @property {NodesOfMariadb['link']} link
 * @property {Ask} ask
 * @property {NodeHost['act']} act
 * @property {(id: string, name: string, value: string) => void} keep the setting survives a restart of the node
 * @property {NodesOfMariadb['rebuild']} rebuild
 */

/** Longer than the timeout of the modes that fall back to async. */
const FENCE_MS = 2000;
const PROMOTE_MS = 70_000;
/** A rebuilt node replays every transaction of the stack. */
const SYNC_DEADLINE_MS = 120_000;

/** @param {RoleParts} parts */
export function openRoles({ nodes, credentials, link, ask, act, keep, rebuild }) {
  let primaryId = FIRST_PRIMARY;
  const semiSync = /** @type {Map<string, string>} */ (new Map());

  const infoOf = (/** @type {string} */ id) => ask(id, (control) => control.info());
  const others = () => nodes.filter(({ id }) => id !== primaryId);

  /** @param {string} id @param {'ON' | 'OFF'} asReplica @param {'ON' | 'OFF'} asPrimary */
  function keepRole(id, asReplica, asPrimary) {
    keep(id, 'rpl_semi_sync_slave_enabled', asReplica);
    keep(id, 'rpl_semi_sync_master_enabled', asPrimary);
  }

  /**
   * Closes a former primary to writes. `read_only` waits for commits that wait for a replica. Then the server is killed, and begins again
   * with `read_only`. Switching semi-synchronous replication off would confirm such commits to their clients.
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
    if (!isReplica(await infoOf(id))) await fence(id);
    await ask(id, (control) => follow(control, link(id, primaryId), credentials));
  }

  /** @param {string} id */
  async function makePrimary(id) {
    const former = primaryId;
    const isSemiSync = semiSync.get(id) === 'ON';
    await ask(id, (control) => promote(control, { semiSync: isSemiSync }), PROMOTE_MS);
    primaryId = id;
    keepRole(id, 'OFF', isSemiSync ? 'ON' : 'OFF');
    if (former === id) return;
    // A node that does not answer follows when the stack is healed; the old primary as well.
    const rest = others().filter((node) => node.id !== former);
    await Promise.allSettled(rest.map((node) => followPrimary(node.id)));
  }

  /** @param {string} id @param {Record<string, string>} state of `info` */
  function followsPrimary(id, state) {
    const { host, port } = link(id, primaryId);
    return isReplica(state) && state.master_host === host && Number(state.master_port) === port;
  }

  return {
    semiSync,
    primary: () => primaryId,
    others,
    infoOf,
    follow: followPrimary,
    promote: makePrimary,
    followsPrimary,
    /** Resolves when the node is in sync. @param {string} id @param {boolean} anew its settings may be those of another role */
    async joinPrimary(id, anew) {
      keepRole(id, 'ON', 'OFF');
      const { port } = link(id, primaryId);
      if (!followsPrimary(id, await infoOf(id)) || anew) await followPrimary(id);
      const target = await infoOf(primaryId);
      let rebuilt = false;
      const inSync = async () => {
        const now = await infoOf(id);
        if (hasDiverged(now) || sequence(now.gtid_current_pos) > sequence(target.gtid_binlog_pos)) {
          if (rebuilt) throw new Error(`${id} cannot follow ${primaryId}: ${now.last_io_error || now.last_sql_error}`);
          // It has transactions that the primary lacks.
          rebuilt = true;
          await rebuild(id);
          await followPrimary(id);
          return false;
        }
        return isInSync(now, port, target.gtid_binlog_pos);
      };
      if (await waitFor(inSync, { deadlineMs: SYNC_DEADLINE_MS })) return;
      throw new Error(`${id} was not in sync with ${primaryId} within ${SYNC_DEADLINE_MS / 1000} s`);
    },
  };
}
