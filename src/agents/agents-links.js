/** Which packets agents keep waiting when links of nodes are to be slow: those of connections with a server at either end, between machines. */
import { nodeOf } from '../stacks/ask.js';
import { combine } from '../stacks/network/relay/relay-line.js';
import { allEnded } from '../wait.js';

/**
 * @import { LinkShape, StackNetwork } from '../stacks/types.js'
 * @import { ServedHost } from './agents-faults.js'
 * @import { NodeWithAgent } from './agents-found.js'
 * @import { SlowedLane } from './host-protocol.js'
 *
 * @typedef {Object} Slowed
 * @property {LinkShape | null} all of every link
 * @property {Map<string, {shape: LinkShape, dials: boolean}>} nodes on top of that, for the links of these nodes. dials: the node itself
 *   connects to others, as a replica does; what else its machine sends to the servers of others is slowed along with it
 */

/** @param {readonly ServedHost[]} hosts */
export function openLanes(hosts) {
  const served = hosts.flatMap(({ nodes }) => nodes);
  /** @type {Slowed} */
  const slowed = { all: null, nodes: new Map() };
  return {
    /** @type {(...args: [...Parameters<StackNetwork['slow']>, dials?: boolean]) => Promise<void>} */
    async slow(shape, id, dials = true) {
      if (id === undefined) slowed.all = shape;
      else if (shape) slowed.nodes.set(nodeOf({ nodes: served }, id).id, { shape, dials });
      else slowed.nodes.delete(id);
      const lanes = lanesFor(served, slowed);
      await allEnded(
        hosts.map(({ client, addresses }) => client.slow(lanes.filter(({ from }) => addresses.has(from)))),
      );
    },
    /** The agents have made all links fast again. */
    forget() {
      slowed.all = null;
      slowed.nodes.clear();
    },
  };
}

/**
 * @param {readonly Pick<NodeWithAgent, 'id' | 'at'>[]} served @param {Slowed} slowed
 * @returns {SlowedLane[]} nodes of one machine have no link
 */
export function lanesFor(served, { all, nodes }) {
  const machines = [...new Set(served.map(({ at }) => at.host))];
  return served.flatMap(({ id, at: { host, port } }) =>
    machines.flatMap((peer) => {
      const dialing = served.flatMap((node) => {
        const own = nodes.get(node.id);
        return node.at.host === peer && own?.dials ? own.shape : [];
      });
      const shapes = [all ?? [], nodes.get(id)?.shape ?? [], dialing].flat();
      if (peer === host || shapes.length === 0) return [];
      const shape = onWire(shapes);
      return [
        { from: host, to: peer, fromPort: port, ...shape },
        { from: peer, to: host, toPort: port, ...shape },
      ];
    }),
  );
}

/** @param {readonly LinkShape[]} shapes */
function onWire(shapes) {
  const { latencyMs, jitterMs, bytesPerSecond } = combine([...shapes]);
  return {
    delayMs: latencyMs / 2,
    jitterMs,
    ...(bytesPerSecond < Number.POSITIVE_INFINITY && { bytesPerSecond: Math.max(1, Math.round(bytesPerSecond)) }),
  };
}
