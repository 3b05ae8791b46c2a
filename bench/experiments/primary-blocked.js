import { BUSY_AFTER_MS } from '../../src/faults/blocking-command.js';
import { blockingCommand } from '../../src/faults/index.js';
import { aftermath } from '../../src/run/aftermath.js';
import { lengthBeyond, lengthMs } from './lengths.js';

/** @import { Scene } from '../../src/run/types.js' */

/** A job that begins again soon after it has ended. */
const AGAIN = 'again';
const TIMES = 3;
const BETWEEN_SECONDS = 1;
const AGAIN_BEYOND_MS = 500;

/** A single script, so long that a Sentinel which has called the primary down hears BUSY and sends SCRIPT KILL. */
const LUA = 'lua';
const LUA_BEYOND_MS = 2000;

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
      ? Math.max(downAfterMs, BUSY_AFTER_MS) + LUA_BEYOND_MS
      : (lengthMs(length, downAfterMs) ?? downAfterMs + AGAIN_BEYOND_MS);
    return Array.from({ length: setting === AGAIN ? TIMES : 1 }, (_, time) => ({
      at: time * (ms / 1000 + BETWEEN_SECONDS),
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
