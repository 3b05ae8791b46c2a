/** Where things run: each address is a machine, unless a file of zones says otherwise. And every fault of these machines. */
/** @import { Deployment, PredictedFault } from './types.js' @import { Zones } from './files.js' */

/** Ways to cut machines in two double with each machine. */
const MOST_MACHINES = 10;
/** A cut lasts longer than the failover that it causes. */
const LEAST_CUT_SECONDS = 15;
const FAILOVER_SECONDS = 10;

/** @param {Deployment} deployment @param {Zones} zones @returns {Deployment} each Sentinel and node is on the machine of its zone */
export function placed(deployment, zones) {
  const place = (
    /** @type {{id: string, aliases?: readonly string[], machine: string}} */ { id, aliases = [], machine },
  ) => zones.find(({ members }) => [id, machine, ...aliases].some((name) => members.includes(name)))?.name ?? machine;
  return {
    ...deployment,
    sentinels: deployment.sentinels.map((one) => ({ ...one, machine: place(one) })),
    nodes: deployment.nodes.map((one) => ({ ...one, machine: place(one) })),
  };
}

/** @param {readonly Deployment[]} deployments @param {Zones} zones @returns {string[]} members of zones that are the address of nobody */
export function strangersIn(deployments, zones) {
  const names = deployments.flatMap(({ nodes, sentinels }) => [
    ...nodes.flatMap(({ id, address, aliases }) => [id, address.host, ...aliases]),
    ...sentinels.flatMap(({ id, address }) => [id, address.host]),
  ]);
  return zones.flatMap(({ members }) => members.filter((member) => !names.includes(member)));
}

/** @param {Pick<Deployment, 'nodes' | 'primary'>} deployment */
export const primaryOf = ({ nodes, primary }) => nodes.find(({ id }) => id === primary);

/** @param {Deployment} deployment @returns {string[]} each once; the primary's first */
export function machinesOf(deployment) {
  const { nodes, sentinels } = deployment;
  return [...new Set([primaryOf(deployment) ?? [], nodes, sentinels].flat().map(({ machine }) => machine))];
}

/** @param {Deployment} deployment @returns {number} s: the longest that a Sentinel waits before it calls the primary down */
export const downAfterSeconds = ({ sentinels }) =>
  Math.max(0, ...sentinels.map(({ view }) => (view?.downAfterMs ?? 0) / 1000));

/** Every fault that is predicted. @param {Deployment} deployment @returns {PredictedFault[]} */
export function faultsOf(deployment) {
  const machines = machinesOf(deployment);
  const all = [...deployment.nodes, ...deployment.sentinels];
  const [own, ...others] = machines.slice(0, MOST_MACHINES);
  const downAfter = downAfterSeconds(deployment);
  const cutSeconds = Math.max(LEAST_CUT_SECONDS, downAfter + FAILOVER_SECONDS);
  const sides = subsets(others).filter((side) => side.length < others.length);
  // Its loss is more than the loss of one node.
  const isShared = (/** @type {string} */ name) => all.filter(({ machine }) => machine === name).length > 1;
  const shared = deployment.nodes.filter(({ machine }) => isShared(machine));
  const fault = (/** @type {PredictedFault['kind']} */ kind, /** @type {Partial<PredictedFault>} */ more) => ({
    kind,
    machines: [],
    seconds: Number.POSITIVE_INFINITY,
    ...more,
  });
  return [
    fault('restart', { machines: [own], seconds: 1 }),
    ...sides.map((side) => fault('cut', { machines: [own, ...side], seconds: cutSeconds })),
    ...(others.length === 0 ? [] : machines.map((machine) => fault('machine-lost', { machines: [machine] }))),
    ...shared.map(({ id }) => fault('node-lost', { node: id })),
    fault('frozen', { machines: [own], seconds: downAfter + 1 }),
    fault('planned', { seconds: 0 }),
    fault('power', { machines, seconds: 1 }),
  ];
}

/** @template T @param {readonly T[]} items few */
function subsets(items) {
  return Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((_item, index) => (bits >> index) & 1));
}
