/** Both replicas copy the whole data set again when the primary is lost: what are they then? */
import { kill } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';

/** @import { Fault } from '../../src/faults/types.js' */

/** Names of `repl-diskless-load`: how a replica takes a snapshot that comes without a file. */
export const LOADS = ['disabled', 'on-empty-db', 'swapdb'];
export const settingOf = (/** @type {string} */ load) => `load-${load}`;

/**
 * Microseconds a key: the snapshot of some thousand keys takes seconds. The least backlog: a replica that was away needs all data. The delay: both replicas get the
 * same snapshot.
 */
const SLOW_SNAPSHOT = { 'rdb-key-save-delay': '4000', 'repl-backlog-size': '16kb', 'repl-diskless-sync-delay': '5' };
/** A primary waits 5 s for further replicas before it sends a snapshot. */
const BEGINS_WITHIN_SECONDS = 30;
/** The snapshot takes longer. */
const HALFWAY_SECONDS = 1;

/** @type {Fault} */
export const slowSnapshot = {
  name: 'slow-snapshot',
  what: 'needs seconds to send a snapshot (rdb-key-save-delay), and has the least backlog',
  needs: ['configure'],
  inject: (site, id) => applySettings(site, { nodes: { [id]: SLOW_SNAPSHOT } }),
};

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
