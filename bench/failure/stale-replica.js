/**
 * One replica falls behind, then the primary is killed while both replicas can be promoted: which one do the Sentinels choose?
 */
import { groupPartition, kill, NETWORK, pause } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { readAddress, sameAddress } from '../../src/stacks/address.js';
import { askNode, nodeOf } from '../../src/stacks/ask.js';
import { toRecord } from '../../src/stacks/redis/observe.js';
import { waitFor } from '../../src/wait.js';
import { GROUP_SCENARIO, groupCases } from './groups.js';
import { oldPrimaryReturns } from './primary-lost.js';
import { WITH_PROMOTION } from './promotion.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Case, CaseOptions, Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Stack } from '../../src/stacks/types.js'
 */

/** For so long only the other replica gets writes. */
const BEHIND_SECONDS = 8;

/** Sentinels compare priorities before offsets; the lower one wins. */
const PREFERRED = { 'replica-priority': '1' };
/** A Sentinel asks nodes for INFO every 10 s, and a busy one later. */
const LOOK_MS = 25_000;

/** @type {Fault} */
export const preferred = {
  name: 'replica-priority',
  what: 'is promoted before the other replica (replica-priority 1)',
  needs: ['configure'],
  async inject(site, id) {
    const undo = await applySettings(site, { nodes: { [id]: PREFERRED } });
    if (await waitFor(() => sentinelsPrefer(site.stack, id), { deadlineMs: LOOK_MS, pollMs: 200 })) return undo;
    await undo();
    throw new Error(`the Sentinels did not see the replica-priority of ${id} within ${LOOK_MS / 1000} s`);
  },
};

/**
 * @param {Stack} stack
 * @param {string} id
 * @returns {Promise<boolean>} every Sentinel has seen the priority
 */
async function sentinelsPrefer(stack, id) {
  const { announced } = nodeOf(stack, id);
  const answers = await Promise.all(
    stack.nodes
      .filter(({ kind }) => kind === 'sentinel')
      .map((sentinel) =>
        askNode(stack, sentinel.id, (control) => control.call('SENTINEL', 'REPLICAS', stack.masterName)),
      ),
  );
  return answers.every((answer) =>
    /** @type {string[][]} */ (answer)
      .map(toRecord)
      .some(
        ({ ip, port, 'slave-priority': priority }) =>
          sameAddress(readAddress(ip, port), announced) && priority === PREFERRED['replica-priority'],
      ),
  );
}

const END = 'The old primary starts again, and the writers continue until it is demoted.';

/** @type {TrialBenchmark} */
export const staleReplicaPreferred = {
  ...GROUP_SCENARIO,
  name: 'stale-replica-preferred',
  question: 'What is lost when replica-priority prefers a replica that is behind, and the primary is killed?',
  method: `One replica has replica-priority 1 and cannot reach the primary; both replicas reach the Sentinels. After ${BEHIND_SECONDS} s the primary is killed. The partition heals after the promotion. ${END}`,
  needs: ['group-partition', 'kill', 'configure'],
  profiles: ['standard', 'full'],
  cases: groupCases,
  async script(scene) {
    const [stale] = scene.replicas;
    await scene.prepare(preferred, stale.id);
    await loseAfter(scene, () => cutOff(scene, stale.id), { healsLate: true });
  },
};

/** @type {TrialBenchmark} */
export const replicaFrozenThenPrimary = {
  ...WITH_PROMOTION,
  name: 'replica-frozen-then-primary',
  question: 'Do the Sentinels promote the right replica when the other one was frozen until the primary was killed?',
  method: `One replica is frozen by SIGSTOP for ${BEHIND_SECONDS} s and wakes up when the primary is killed. Both replicas reach the Sentinels. ${END}`,
  needs: ['pause', 'kill'],
  profiles: ['standard', 'full'],
  cases: groupCases,
  script: (scene) => loseAfter(scene, () => scene.inject(pause, scene.replicas[0].id)),
};

/**
 * @param {Scene} scene
 * @param {string} id of a replica that cannot reach the primary from now on
 */
export function cutOff({ primary, inject }, id) {
  return inject(groupPartition({ groups: [[id], [primary.id]] }), NETWORK);
}

/**
 * @param {Scene} scene
 * @param {() => ReturnType<Scene['inject']>} leaveBehind makes one replica fall behind
 * @param {{healsLate?: boolean}} [how] healsLate: it stays so until a replica was promoted. A partition must, because the kernel of this
 *   machine still has what the killed primary had sent, and delivers it when the partition heals
 */
export async function loseAfter(scene, leaveBehind, { healsLate = false } = {}) {
  const { primary, profile, downAfterMs, inject, write, until, switched } = scene;
  await write(profile.healthySeconds);
  const catchUp = await leaveBehind();
  await write(BEHIND_SECONDS);
  const restart = await inject(kill, primary.id);
  if (!healsLate) await catchUp();
  await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
  await write(profile.healthySeconds);
  if (healsLate) await catchUp();
  await restart();
  await oldPrimaryReturns(scene);
}
