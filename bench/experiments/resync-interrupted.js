/** Both replicas copy the whole data set again when the primary is lost: what are they then? */
import { kill } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { slowSnapshot } from './own-faults.js';

/** A primary waits 5 s for further replicas before it sends a snapshot. */
const BEGINS_WITHIN_SECONDS = 30;
const HALFWAY_SECONDS = 1;

/** @type {import('./types.js').Performed} */
export default {
  id: 'resync-interrupted',
  needs: ['kill', 'configure'],
  async script(scene) {
    const { primary, replicas, profile, downAfterMs, prepare, inject, write, until, switched, info, mark } = scene;
    await prepare(slowSnapshot, primary.id);
    await write(profile.healthySeconds);
    const starts = [];
    for (const { id } of replicas) starts.push(await inject(kill, id));
    await Promise.all(starts.map((start) => start()));
    // Nothing else makes a snapshot here.
    const sending = async () =>
      (await info(primary.id, 'persistence')).rdb_bgsave_in_progress === '1' &&
      !/\bstate=online\b/.test(Object.values(await info(primary.id, 'replication')).join());
    if (!(await until(sending, BEGINS_WITHIN_SECONDS)))
      throw new Error('The primary sent no snapshot, so there was nothing to interrupt');
    mark('snapshot-sent', primary.id);
    await write(HALFWAY_SECONDS);
    const start = await inject(kill, primary.id);
    await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
    await write(profile.healthySeconds);
    await start();
    if (switched()) await oldPrimaryReturns(scene);
    else await write(profile.healthySeconds);
  },
};
