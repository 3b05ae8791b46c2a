/** Replicas are frozen, restarted, or killed while they copy the whole data set. */
/** @import { Performed } from './types.js' */
import { kill, pause, stop } from '../../src/faults/index.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { numbersOf } from './data.js';
import { slowSnapshot } from './own-faults.js';

const { seconds, lag } = numbersOf('replicas-paused');
const { stopped, back } = numbersOf('replica-restart');
/** A primary waits 5 s for further replicas before it sends a snapshot. */
const BEGINS_WITHIN_SECONDS = 30;
const HALFWAY_SECONDS = 1;

/** They are frozen one after the other. @type {NonNullable<Performed['course']>} */
const FROZEN = { after: ({ profile, write }) => write(profile.healthySeconds + 1) };

/** @type {readonly Performed[]} */
export default [
  { id: 'one-replica-paused', course: FROZEN },
  {
    id: 'both-replicas-paused',
    course: FROZEN,
    whyNot: async (_, { nodes }) => whyNotBoth(nodes.filter(({ kind }) => kind === 'redis').length - 1),
  },
  {
    id: 'replicas-paused',
    needs: ['pause'],
    async script({ profile, primary, replicas, inject, write, info, mark }) {
      await write(profile.healthySeconds);
      const undo = [];
      for (const { id } of replicas) undo.push(await inject(pause, id));
      let warned = false;
      for (let second = 0; second < seconds; second++) {
        await write(1);
        if (warned || lagOf(await info(primary.id, 'replication')) <= lag) continue;
        warned = true;
        mark('lagging', primary.id, { value: `${lag} s` });
      }
      for (const each of undo) await each();
      await write(profile.healthySeconds + 1);
    },
  },
  {
    id: 'replica-restart',
    needs: ['stop'],
    oneLane: true,
    async script({ profile, primary, replicas: [replica], inject, write, until, info, mark }) {
      let connected = '';
      const count = async () => {
        const { connected_slaves: now } = await info(primary.id, 'replication');
        if (now !== connected) mark('replicas-connected', primary.id, { value: now });
        connected = now;
        return now;
      };
      const before = await info(primary.id, 'stats');
      await count();
      await write(profile.healthySeconds);
      const undo = await inject(stop, replica.id);
      await until(async () => (await count()) === '1', stopped);
      await write(stopped);
      await undo();
      await until(async () => (await count()) === '2', back);
      const after = await info(primary.id, 'stats');
      if (after.sync_full !== before.sync_full) mark('full-resync', replica.id);
      if (after.sync_partial_ok !== before.sync_partial_ok) mark('partial-resync', replica.id);
      await write(profile.healthySeconds);
    },
  },
  // Both replicas copy the whole data set again when the primary is lost: what are they then?
  {
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
  },
];

/** @param {number} replicas of the stack @returns {string | null} why freezing two of them does not show what the columns say */
export function whyNotBoth(replicas) {
  if (replicas === 2) return null;
  return `It freezes both replicas of a primary with two, but this stack has ${replicas}. Measure it with \`--replicas 2\`.`;
}

/** @param {Readonly<Record<string, string>>} replication of INFO @returns seconds of the replica that lags most; 0: none is connected */
function lagOf(replication) {
  const lags = Object.entries(replication).flatMap(([name, text]) =>
    /^slave\d+$/.test(name) ? Number(/\blag=(\d+)/.exec(text)?.[1] ?? 0) : [],
  );
  return Math.max(0, ...lags);
}
