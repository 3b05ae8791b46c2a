/** Which packets agents keep waiting when links of nodes are to be slow: those of connections with a server at either end, between machines. */
import { combine } from '../stacks/relay/relay-line.js';

/**
 * @import { LinkShape } from '../stacks/types.js'
 * @import { NodeWithAgent } from './agents-found.js'
 * @import { SlowedLane } from './host-protocol.js'
 *
 * @typedef {Object} Slowed
 * @property {LinkShape | null} all of every link
 * @property {ReadonlyMap<string, {shape: LinkShape, dials: boolean}>} nodes on top of that, for the links of these nodes. dials: the node itself
 *   connects to others, as a replica does; what else its machine sends to the servers of others is slowed along with it
 */

/**
 * @param {readonly Pick<NodeWithAgent, 'id' | 'agent' | 'at'>[]} served
 * @param {Slowed} slowed
 * @returns {Map<string, SlowedLane[]>} by agent; nodes of one machine have no link
 */
export function lanesFor(served, { all, nodes }) {
  /** @type {Map<string, SlowedLane[]>} */
  const lanes = new Map(served.map(({ agent }) => [agent, []]));
  for (const node of served) {
    /** @type {Map<string, {agent: string, shapes: LinkShape[]}>} */
    const machines = new Map();
    for (const { id, agent, at } of served) {
      if (at.host === node.at.host) continue;
      const machine = machines.get(at.host) ?? { agent, shapes: shapesOf(node.id) };
      const peer = nodes.get(id);
      if (peer?.dials) machine.shapes.push(peer.shape);
      machines.set(at.host, machine);
    }
    for (const [host, { agent, shapes }] of machines) {
      if (shapes.length === 0) continue;
      const { host: own, port } = node.at;
      const shape = onWire(shapes);
      lanes.get(node.agent)?.push({ from: own, to: host, fromPort: port, ...shape });
      lanes.get(agent)?.push({ from: host, to: own, toPort: port, ...shape });
    }
  }
  return lanes;

  /** @param {string} id @returns {LinkShape[]} of all connections that others make to it */
  function shapesOf(id) {
    const own = nodes.get(id);
    return [...(all ? [all] : []), ...(own ? [own.shape] : [])];
  }
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
