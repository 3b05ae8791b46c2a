/** The primary is busy with one command, is killed while Sentinels are away, or is lost twice in a row. */
/** @import { Scene } from '../types.js' */
/** @import { Performed } from './types.js' */
import { blockingCommand, kill, partition, stop } from '../../src/faults/index.js';
import { aftermath, oldPrimaryReturns } from '../../src/run/aftermath.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { numbersOf } from './data.js';
import { lengthBeyond, lengthMs } from './lengths.js';

const LUA = 'lua';
const { times, between, againBeyond, luaBeyond, busy } = numbersOf('primary-blocked');
const { nothing } = numbersOf('sentinels-lost');

/** Beyond down-after. The first one ends while the Sentinels fail over. */
const QUICK_MS = [1000];
const BEYOND_MS = [500, 1000, 2000, 4000];

/** @type {readonly Performed[]} */
export default [
  {
    id: 'primary-blocked',
    lengths: ({ name }) => (name === 'quick' ? QUICK_MS : BEYOND_MS).map(lengthBeyond),
    needs: ['blocking-command'],
    steps({ downAfterMs }, { length, setting }) {
      const script = setting === LUA;
      const ms = script
        ? Math.max(downAfterMs, busy * 1000) + luaBeyond * 1000
        : (lengthMs(length, downAfterMs) ?? downAfterMs + againBeyond * 1000);
      return Array.from({ length: setting === 'again' ? times : 1 }, (_, time) => ({
        at: time * (ms / 1000 + between),
        fault: blockingCommand(ms, { script }),
        lasts: ms / 1000,
      }));
    },
    course: {
      async after(scene, { setting }) {
        if (setting === LUA) await markKilled(scene);
        await aftermath(scene);
      },
    },
  },
  {
    id: 'primary-restarted-empty',
    course: {
      before: ({ healthySeconds }, { settings, replicaSettings }) =>
        replicaSettings && settings?.save
          ? Math.max(healthySeconds, numbersOf('primary-restarted-empty').saved)
          : healthySeconds,
      after: 3,
    },
  },
  {
    id: 'sentinels-lost',
    needs: ['stop', 'kill'],
    async script(
      { profile, primary, sentinels, downAfterMs, inject, prepare, write, until, switched, mark },
      { params },
    ) {
      const back = [];
      for (const { id } of sentinels.slice(0, params.setting === 'one' ? 1 : 2)) back.push(await prepare(stop, id));
      await write(profile.healthySeconds);
      await inject(kill, primary.id);
      if (params.setting === 'two') {
        const happened = await until(switched, downAfterMs / 1000 + nothing);
        mark(happened ? 'minority-failover' : 'no-failover-yet');
        for (const undo of back) await undo();
      }
      await until(switched, 2 * (downAfterMs / 1000) + FAILOVER_SECONDS);
      await write(profile.healthySeconds + 1);
    },
  },
  // Settings that exist on the first primary only, as after a CONFIG SET by hand, and two failures in a row.
  {
    id: 'settings-on-primary',
    needs: ['kill', 'partition'],
    promotes: true,
    async script(scene) {
      const { primary, profile, downAfterMs, inject, write, until, switched } = scene;
      await write(profile.healthySeconds);
      const restart = await inject(kill, primary.id);
      if (!(await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS))) return restart();
      await write(profile.healthySeconds);
      const second = await secondPrimary(scene);
      const join = await inject(partition, second.id);
      await write(numbersOf('settings-on-primary').seconds);
      await join();
      await oldPrimaryReturns({ ...scene, primary: second });
      await restart();
      await write(profile.healthySeconds);
    },
  },
];

/** Servers before Redis 7 do not count it. @param {Pick<Scene, 'primary' | 'info' | 'mark'>} scene */
async function markKilled({ primary, info, mark }) {
  if ('cmdstat_script|kill' in (await info(primary.id, 'commandstats'))) mark('script-killed', primary.id);
}

/** @param {Pick<Scene, 'replicas' | 'info'>} scene @returns the replica that was promoted @throws {Error} none says that it is a primary */
async function secondPrimary({ replicas, info }) {
  for (const node of replicas) if ((await info(node.id, 'replication')).role === 'master') return node;
  throw new Error('No replica was promoted, so there is no second primary to separate');
}
