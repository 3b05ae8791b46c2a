import { waitFor } from '../../wait.js';
import { follow, hasDiverged, isInSync, isReplica, promote, sequence } from './replication.js';
import { FIRST_PRIMARY } from './topology.js';

/**
 * Which node is the primary, and how the others come to follow it. The harness decides.
 * @import { Address, Control, Credentials, NodeHost, NodeInfo } from '../types.js'
 * @typedef {<T>(id: string, question: (control: Control) => Promise<T>, timeoutMs?: number) => Promise<T>} Ask
 * @typedef {Object} RoleParts
 * @property {readonly NodeInfo[]} nodes
 * @property {Credentials} credentials
 * @property {(from: string, to: string) => Address} link where node `from` reaches node `to`
 * @property {Ask} ask
 * @property {NodeHost['act']} act
 * @property {(id: string, name: string, value: string) => void} keep the setting survives a restart of the node
 * @property {(id: string) => Promise<void>} rebuild the node begins again with an empty database
 */

/** Longer than the timeout of the modes that fall back to async. */
const FENCE_MS = 2000;
const PROMOTE_MS = 70_000;
const SYNC_DEADLINE_MS = 120_000;

export class Roles {
  #parts;
  #primary = FIRST_PRIMARY;
  /**
   * Node → its `rpl_semi_sync_master_enabled` as the primary; a replica's counts from its promotion on, or it would hold up the relay log.
   * @type {Map<string, string>}
   */
  semiSync = new Map();

  constructor(/** @type {RoleParts} */ parts) {
    this.#parts = parts;
  }

  get primary() {
    return this.#primary;
  }

  get others() {
    return this.#parts.nodes.filter(({ id }) => id !== this.#primary);
  }

  infoOf(/** @type {string} */ id) {
    return this.#parts.ask(id, (control) => control.info());
  }

  /** Makes the node a replica of the primary. @param {string} id */
  async follow(id) {
    const { ask, link, credentials } = this.#parts;
    if (!isReplica(await this.infoOf(id))) await this.#fence(id);
    await ask(id, (control) => follow(control, link(id, this.#primary), credentials));
  }

  async promote(/** @type {string} */ id) {
    const former = this.#primary;
    const semiSync = this.semiSync.get(id) === 'ON';
    await this.#parts.ask(id, (control) => promote(control, { semiSync }), PROMOTE_MS);
    this.#primary = id;
    this.#keepRole(id, 'OFF', semiSync ? 'ON' : 'OFF');
    if (former === id) return;
    // A node that does not answer follows when the stack is healed; the old primary as well.
    const rest = this.others.filter((node) => node.id !== former);
    await Promise.allSettled(rest.map((node) => this.follow(node.id)));
  }

  /** @param {string} id @param {Record<string, string>} state of `info` */
  followsPrimary(id, state) {
    const { host, port } = this.#parts.link(id, this.#primary);
    return isReplica(state) && state.master_host === host && Number(state.master_port) === port;
  }

  /** Resolves when the node is in sync. @param {string} id @param {boolean} anew its settings may be those of another role */
  async joinPrimary(id, anew) {
    this.#keepRole(id, 'ON', 'OFF');
    const { port } = this.#parts.link(id, this.#primary);
    if (!this.followsPrimary(id, await this.infoOf(id)) || anew) await this.follow(id);
    const target = await this.infoOf(this.#primary);
    let rebuilt = false;
    const inSync = async () => {
      const now = await this.infoOf(id);
      const isAhead = sequence(now.gtid_current_pos) > sequence(target.gtid_binlog_pos);
      if (!hasDiverged(now) && !isAhead) return isInSync(now, port, target.gtid_binlog_pos);
      if (rebuilt) throw new Error(`${id} cannot follow ${this.#primary}: ${now.last_io_error || now.last_sql_error}`);
      // It has transactions that the primary lacks.
      rebuilt = true;
      await this.#parts.rebuild(id);
      await this.follow(id);
      return false;
    };
    if (await waitFor(inSync, { deadlineMs: SYNC_DEADLINE_MS })) return;
    throw new Error(`${id} was not in sync with ${this.#primary} within ${SYNC_DEADLINE_MS / 1000} s`);
  }

  /** @param {string} id @param {'ON' | 'OFF'} asReplica @param {'ON' | 'OFF'} asPrimary */
  #keepRole(id, asReplica, asPrimary) {
    this.#parts.keep(id, 'rpl_semi_sync_slave_enabled', asReplica);
    this.#parts.keep(id, 'rpl_semi_sync_master_enabled', asPrimary);
  }

  /**
   * Closes a former primary to writes. `read_only` waits for commits that wait for a replica. Then the server is killed, and begins again
   * with `read_only`. Switching semi-synchronous replication off would confirm such commits to their clients. @param {string} id
   */
  async #fence(id) {
    const { ask, act } = this.#parts;
    try {
      await ask(id, (control) => control.call('SET GLOBAL read_only = ON'), FENCE_MS);
    } catch {
      await act(id, 'kill');
      await act(id, 'start');
    }
  }
}
