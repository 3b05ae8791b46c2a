/** For tests only: what tests of writers do to a real stack. */
import { call } from '../../clients/conformance/nodes.js';
import { eventually } from '../../stacks/fixture.js';

/** @import { NodeInfo, Stack } from '../../stacks/types.js' */

/** @param {Stack} stack @param {NodeInfo['kind']} kind */
export function nodesOf(stack, kind) {
  return stack.nodes.filter((node) => node.kind === kind);
}

/**
 * After how long without an answer the Sentinels hold a node to be down: soon only while a test wants a failover, for a machine
 * that stalls looks to them like a node that is down.
 * @param {Stack} stack
 * @param {number} ms
 */
export async function holdForDown(stack, ms) {
  for (const { address } of nodesOf(stack, 'sentinel'))
    await call(address, 'SENTINEL', 'SET', stack.access.masterName, 'down-after-milliseconds', ms);
}

/** A demoted primary's refusals only where a test asks for them. @param {Stack} stack */
export async function refuseNothing(stack) {
  for (const { address } of nodesOf(stack, 'redis')) await call(address, 'CONFIG', 'SET', 'min-replicas-to-write', '0');
}

/** A Sentinel that has not heard from the replicas lately, as after the machine stood still, refuses at first. @param {Stack} stack */
export async function failOver(stack) {
  const [{ address }] = nodesOf(stack, 'sentinel');
  await eventually('a failover begins', () =>
    call(address, 'SENTINEL', 'FAILOVER', stack.access.masterName).then(
      () => true,
      () => false,
    ),
  );
}

/**
 * The Sentinel that is asked for the primary may learn of a failover later than the one that announced it.
 * @param {Stack} stack
 * @param {NodeInfo} before
 * @returns {Promise<NodeInfo>}
 */
export async function successorOf(stack, before) {
  let primary = before;
  await eventually('the Sentinels name another primary', async () => {
    primary = await stack.database.primary().catch(() => before);
    return primary.id !== before.id;
  });
  return primary;
}
