/** Partitions that take a replica along with the primary: their hosts cannot reach the third one. */
import { aftermath } from '../../src/run/aftermath.js';
import { hostsByAddress } from '../../src/stacks/network/placement.js';
import { numbersOf } from './data.js';
import { separated, WITH_GROUPS } from './groups.js';
import { COLOCATED } from './placement.js';

/** @import { Course, Scene } from '../types.js' */
/** @import { Performed } from './types.js' */

/** One goes along with the primary, another one stays on the other side. */
const LEAST_REPLICAS = 2;
/** A replica’s link sends again what was lost at growing intervals. */
const BACK_WITHIN_SECONDS = 30;

const { times, beyond, well } = numbersOf('partition-flapping');

/** @type {Course} */
const COURSE = {
  async after(scene) {
    // Where nobody was promoted, modes that ask for every replica write again when the last one is back.
    await scene.until(async () => scene.switched() || (await everyReplicaFollows(scene)), BACK_WITHIN_SECONDS);
    await aftermath(scene);
  },
};

/** @satisfies {Partial<Performed>} */
export const WITH_REPLICA = Object.freeze({
  ...WITH_GROUPS,
  placed: /** @type {const} */ (true),
  promotes: /** @type {const} */ (true),
  course: COURSE,
  whyNot: /** @type {NonNullable<Performed['whyNot']>} */ (
    async (theCase, stack) => {
      const { nodes, about } = stack;
      const { replicas = nodes.filter(({ kind }) => kind === 'redis').length - 1, placement } = theCase.params;
      if (placement === COLOCATED && about.backend === 'external' && hostsByAddress(nodes, nodes[0].id) !== null)
        return 'Its addresses say which Sentinel is on which host. Try another placement with `--placement colocated`.';
      if (replicas >= LEAST_REPLICAS) return (await WITH_GROUPS.whyNot(theCase, stack)) ?? null;
      return 'One replica goes along with the primary, and another one has to be on the other side. Measure it with `--replicas 2`.';
    }
  ),
});

/** @param {Pick<Scene, 'info' | 'primary' | 'replicas'>} scene @returns {Promise<boolean>} the primary has just heard from each of them */
async function everyReplicaFollows({ info, primary, replicas }) {
  // Each as `ip=…,port=…,state=online,offset=…,lag=0`, in whole seconds; Valkey adds `,type=replica`.
  const followers = Object.entries(await info(primary.id, 'replication')).filter(([key]) => /^slave\d+$/.test(key));
  return followers.filter(([, state]) => /state=online,.*lag=[01](,|$)/.test(state)).length === replicas.length;
}

/** @param {{downAfterMs: number}} scene */
const flapping = ({ downAfterMs }) => ({ lostMs: downAfterMs + beyond * 1000, wellMs: well * 1000 });

/** @type {Performed} */
export default {
  id: 'partition-flapping',
  steps: (scene) => [
    {
      fault: separated({ usual: 'apart', away: 'with-replicas', flapping }),
      // Not to its very end: the last one is undone by this step.
      lasts: (times * (flapping(scene).lostMs + well * 1000) - well * 1000) / 1000 - 0.2,
    },
  ],
};
