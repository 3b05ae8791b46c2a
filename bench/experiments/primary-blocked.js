import { blockingCommand } from '../../src/faults/index.js';
import { aftermath } from '../../src/run/aftermath.js';
import { numbersOf } from './data.js';
import { lengthBeyond, lengthMs } from './lengths.js';

/** @import { Scene } from '../types.js' */

const LUA = 'lua';
const { times, between, againBeyond, luaBeyond, busy } = numbersOf('primary-blocked');

/** Beyond down-after. The first one ends while the Sentinels fail over. */
const QUICK_MS = [1000];
const BEYOND_MS = [500, 1000, 2000, 4000];

/** @type {import('./types.js').Performed} */
export default {
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
};

/** Servers before Redis 7 do not count it. @param {Pick<Scene, 'primary' | 'info' | 'mark'>} scene */
async function markKilled({ primary, info, mark }) {
  if ('cmdstat_script|kill' in (await info(primary.id, 'commandstats'))) mark('script-killed', primary.id);
}
