/** Every node is restarted, one after the other, as for an upgrade: the replicas first, then a failover, then the old primary. */
import { coordinatedFailover, failover, stop } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { waitFor } from '../../src/wait.js';
import { safeFailover } from './failover-script.js';

/** @import { Fault, Scene } from '../types.js' */

export const BY_SCRIPT = 'by-script';

/** For a restarted replica to follow the primary, and for the Sentinels to see that. */
const FOLLOWS_WITHIN_SECONDS = 20;
const POLL_MS = 200;

/** How the primary's role moves; SIGTERM needs nothing before it. @type {Readonly<Record<string, Fault>>} */
export const HANDOVERS = Object.freeze({
  'by-failover': patient(failover),
  [BY_SCRIPT]: patient(safeFailover),
  coordinated: patient(coordinatedFailover),
});

/** @type {import('./types.js').Performed} */
export default {
  id: 'rolling-restart',
  needs: ['stop', 'failover'],
  promotes: true,
  script: (scene, { params: { way = '' } }) => restartAll(scene, HANDOVERS[way]),
};

/** @param {Scene} scene @param {Fault} [handover] replaces the primary before it is restarted; without one its SIGTERM does */
async function restartAll(scene, handover) {
  const { primary, replicas, profile, downAfterMs, inject, write, until, switched } = scene;
  await write(profile.healthySeconds);
  for (const { id } of replicas) {
    const restart = await inject(stop, id);
    await restart();
    if (!(await until(() => everyReplicaFollows(scene), FOLLOWS_WITHIN_SECONDS)))
      throw new Error(`${id} did not follow the primary within ${FOLLOWS_WITHIN_SECONDS} s of its restart`);
  }
  const promoted = () => until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
  if (handover) {
    await inject(handover, primary.id);
    await promoted();
  }
  const restart = await inject(stop, primary.id);
  if (!handover) await promoted();
  await restart();
  await oldPrimaryReturns(scene);
}

/** @param {Pick<Scene, 'primary' | 'replicas' | 'info'>} scene */
async function everyReplicaFollows({ primary, replicas, info }) {
  const state = await info(primary.id, 'replication');
  return replicas.every((_, index) => /\bstate=online\b/.test(state[`slave${index}`] ?? ''));
}

/** Repeated: a Sentinel refuses a failover until it has seen that a restarted replica is back. @param {Fault} fault @returns {Fault} */
function patient(fault) {
  return Object.freeze({
    ...fault,
    /** @type {Fault['inject']} */
    async inject(site, id) {
      /** @type {unknown} */
      let refusal;
      /** @type {Awaited<ReturnType<Fault['inject']>> | undefined} */
      let undo;
      const begun = async () => {
        try {
          undo = await fault.inject(site, id);
          return true;
        } catch (error) {
          refusal = error;
          return false;
        }
      };
      await waitFor(begun, { deadlineMs: FOLLOWS_WITHIN_SECONDS * 1000, pollMs: POLL_MS });
      if (undo === undefined) throw refusal;
      return undo;
    },
  });
}
