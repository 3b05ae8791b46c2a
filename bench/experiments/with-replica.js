/** Partitions that take a replica along with the primary: their hosts cannot reach the third one. */
import { aftermath } from '../../src/run/aftermath.js';
import { perform, scriptOf } from '../../src/run/perform.js';
import { hostsByAddress } from '../../src/stacks/network/placement.js';
import { LISTED, numbersOf } from './data.js';
import { separated, WITH_GROUPS } from './groups.js';
import { COLOCATED } from './placement.js';
import { stepsOf } from './steps.js';

/** @import { Course, Scene } from '../types.js' */
/** @import { Performed } from './types.js' */

/** One goes along with the primary, another one stays on the other side. */
const LEAST_REPLICAS = 2;
/** A replica’s link sends again what was lost at growing intervals. */
const BACK_WITHIN_SECONDS = 30;

const { times, beyond, well } = numbersOf('partition-flapping');
/** Settings of `topology`, such as `with-2`: two replicas are separated along with the primary. */
const ALONG = /^with-(\d)$/;

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

/** @type {readonly Performed[]} */
export default [
  {
    id: 'partition-flapping',
    steps: (scene) => [
      {
        fault: separated({ usual: 'apart', away: 'with-replicas', flapping }),
        // Not to its very end: the last one is undone by this step.
        lasts: (times * (flapping(scene).lostMs + well * 1000) - well * 1000) / 1000 - 0.2,
      },
    ],
  },
  {
    // Five data nodes: how many replicas have to confirm a write so that no partition loses it? Sentinels elect wherever the data is.
    id: 'topology',
    async whyNot(theCase, stack) {
      const reason = (await WITH_GROUPS.whyNot(theCase, stack)) ?? null;
      if (reason !== null || stack.about.ours || stack.about.endsWithRun) return reason;
      return 'It starts stacks of five data nodes, but a stack is already up. Take it down with `sentinel-bench down` first.';
    },
    async script(scene, theCase) {
      const along = ALONG.exec(theCase.params.setting ?? '')?.[1];
      if (along === undefined) return scriptOf(stepsOf(LISTED['stale-replica-preferred'].steps))(scene, theCase);
      const fault = separated({ usual: 'apart', away: Number(along) + 1 });
      return perform(scene, [{ fault, lasts: numbersOf('topology').seconds }], theCase.params);
    },
  },
  {
    id: 'stale-replica-preferred',
    async whyNot(theCase, stack) {
      if (theCase.params.setting === 'empty' && !stack.host.files)
        return 'It removes the data of a replica, so it needs a stack that the run starts.';
      return WITH_GROUPS.whyNot(theCase, stack);
    },
  },
];
