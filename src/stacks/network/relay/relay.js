/** A relay between the nodes of a local stack, which holds and slows their links. It runs in its own thread and ends with this process. */
/** @import { Ability, LinkShape } from '../../types.js' */
/** @import { State } from './relay-thread.js' */
/** @typedef {Awaited<ReturnType<typeof startRelay>>} Relay */
import { startWorker } from '../../../worker-thread.js';
import { numberOf } from '../../redis/topology.js';

/** The relay knows a node by the loopback address it dials from. Only Linux has all of 127.0.0.0/8. */
export const CAN_RELAY = process.platform === 'linux';

/** @type {Ability[]} */
export const LINK_ABILITIES = ['partition', 'lose', 'narrow-link', 'slow-link', 'slow-all'];

/** @param {string} id of a node @returns the address it dials from */
export function sourceOf(id) {
  return `127.0.1.${numberOf(id)}`;
}

/**
 * @param {{id: string, port?: number}[]} nodes with the ports they listen on, now or soon. Absent: it dials only
 * @param {{byPort?: boolean}} [options] byPort: for servers that cannot choose the address that they dial from. Each node has a port for each
 *   of its peers, by which the relay knows the peer
 */
export async function startRelay(nodes, { byPort = false } = {}) {
  const thread = startWorker(new URL('./relay-thread.js', import.meta.url), {
    name: 'the relay between the nodes',
    data: { nodes: nodes.map(({ id, port }) => ({ id, port, source: sourceOf(id) })), byPort },
  });
  const partitioned = /** @type {Set<string>} */ (new Set());
  const lost = /** @type {Set<string>} */ (new Set());
  const slowed = /** @type {Map<string, LinkShape>} */ (new Map());
  let all = /** @type {LinkShape | null} */ (null);

  /** @param {number} [killed] a process that is killed when the state comes into force */
  function apply(killed) {
    /** @type {State} */
    const state = { partitioned: [...partitioned], lost: [...lost], all, nodes: Object.fromEntries(slowed) };
    /** @type {Promise<{ports: [string, number][], passed: [string, number][]}>} */
    const answer = thread.ask({ state, killed });
    return answer;
  }

  const { ports } = await apply();
  return {
    /** Id of a node → the port its peers reach it at; with `byPort`: of the peer that dials, a space, and of the node. */
    ports: /** @type {ReadonlyMap<string, number>} */ (new Map(ports)),
    /**
     * Holds all traffic between this node and the others, as a network does that loses packets: neither side notices, and the traffic
     * continues when the node is joined. @param {string} id
     */
    async partition(id) {
      partitioned.add(id);
      await apply();
    },
    async join(/** @type {string} */ id) {
      partitioned.delete(id);
      await apply();
    },
    /**
     * Kills the process of this node (SIGKILL) and in the same instant stops forwarding: its peers get nothing more, not even what is under
     * way. They are not told that its connections ended. @param {string} id @param {number} pid
     */
    async lose(id, pid) {
      lost.add(id);
      await apply(pid);
    },
    /** Before a lost node starts again: the connections of its former life are closed with all that was under way. @param {string} id */
    async restore(id) {
      if (lost.delete(id)) await apply();
    },
    /** See `StackNetwork.slow`; null removes the shape of all links, or that of the node. @param {LinkShape | null} shape @param {string} [id] */
    async slow(shape, id) {
      if (shape) checkShape(shape);
      if (id === undefined) all = shape;
      else if (shape) slowed.set(id, shape);
      else slowed.delete(id);
      await apply();
    },
    /** The id of a node, a space, and the id of its peer → bytes that have passed. */
    passed: async () => /** @type {ReadonlyMap<string, number>} */ (new Map((await apply()).passed)),
    /** Removes every partition and shape. @returns the nodes that were partitioned */
    async clear() {
      const were = [...partitioned];
      const idle = were.length === 0 && lost.size === 0 && slowed.size === 0 && all === null;
      partitioned.clear();
      lost.clear();
      slowed.clear();
      all = null;
      if (!idle) await apply();
      return were;
    },
    close: () => thread.close(),
  };
}

/** @param {LinkShape} shape @throws {RangeError} a value is out of range */
export function checkShape({ latencyMs, jitterMs = 0, bytesPerSecond = Number.POSITIVE_INFINITY }) {
  if (!(latencyMs >= 0 && latencyMs < Number.POSITIVE_INFINITY)) throw new RangeError(`not a latency: ${latencyMs} ms`);
  if (!(jitterMs >= 0 && jitterMs < Number.POSITIVE_INFINITY)) throw new RangeError(`not a jitter: ${jitterMs} ms`);
  if (!(bytesPerSecond > 0)) throw new RangeError(`not a bandwidth: ${bytesPerSecond} bytes a second`);
}
