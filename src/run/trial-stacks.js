/**
 * The stack of one trial: a new one that is able to do what its failure takes, or the one that the run uses.
 * @import { Stack, StackOptions } from '../stacks/types.js'
 * @import { Testbed } from './rounds.js'
 * @import { Case, TrialBenchmark as Benchmark } from './types.js'
 */
import { settingsForBlocking } from '../faults/blocking-command.js';
import { startStack } from '../stacks/index.js';
import { LINK_ABILITIES } from '../stacks/network/relay/relay.js';
import { abilitiesFor } from './abilities.js';
import { programFor, startable } from './own-stacks.js';

/** What a node can do that has a disk of its own. @type {readonly string[]} */
export const OF_DISKS = ['power-loss', 'fill'];

/**
 * @param {Pick<Benchmark, 'disks'>} benchmark @param {readonly string[]} abilities that it needs
 * @param {readonly {id: string, kind: string}[]} nodes of the stack
 */
export function disksFor({ disks }, abilities, nodes) {
  if (!abilities.some((ability) => OF_DISKS.includes(ability))) return [];
  // A new stack begins with its first node as the primary.
  return disks === 'all' ? nodes.filter(({ kind }) => kind !== 'sentinel').map(({ id }) => id) : [nodes[0].id];
}

/**
 * @param {{benchmark: Benchmark, theCase: Case}} trial @param {Testbed} testbed @param {StackOptions} how stacks are started
 * @returns {Promise<Stack>} end it with {@link endTrialStack}
 */
export async function openTrialStack({ benchmark, theCase: { params } }, testbed, how) {
  const abilities = abilitiesFor(benchmark, params);
  const needs = (/** @type {readonly string[]} */ some) => abilities.some((ability) => some.includes(ability));
  const size = {
    replicas: params.replicas ?? how.replicas,
    sentinelCount: params.sentinels ?? how.sentinelCount,
  };
  if (!testbed.stack.about.ours) {
    if (!testbed.startOnAgents) return testbed.stack;
    return testbed.startOnAgents({ ...size, placement: params.placement, disk: needs(OF_DISKS) });
  }
  const backend = startable(testbed.stack);
  return startStack({
    ...how,
    ...programFor(params, how),
    ...size,
    backend,
    // Docker's own networks cut links.
    links: backend === 'local' && !how.hosts && needs(LINK_ABILITIES),
    network: needs(['group-partition']),
    ...(needs(['virtual-address']) && { hosts: true, virtualAddress: true }),
    volatileDisks: disksFor(benchmark, abilities, testbed.stack.nodes),
    ...(needs(['blocking-command']) && {
      settings: { ...settingsForBlocking(testbed.stack.about.server), ...how.settings },
    }),
    signal: testbed.signal,
  });
}

/** @param {Stack | undefined} stack of a trial; undefined: it never started @param {Testbed} testbed */
export async function endTrialStack(stack, testbed) {
  if (stack?.about.ours) await stack.down();
  else if (stack !== testbed.stack) await stack?.close();
}
