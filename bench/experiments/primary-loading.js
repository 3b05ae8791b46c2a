/** A crashed primary that is restarted at once, but loads its append-only file for longer than down-after. */

import { restart } from '../../src/faults/index.js';
import { aftermath } from '../../src/run/aftermath.js';
import { newKeyPrefix } from '../../src/run/keys.js';
import { askNode } from '../../src/stacks/ask.js';
import { clockMs } from '../../src/stats/clock.js';
import { numbersOf } from './data.js';

/** @import { Fault } from '../types.js' */

const { loads, downAfter, loadedWithin } = numbersOf('primary-loading');
export const DOWN_AFTER_MS = downAfter * 1000;
/** A command on a value of this size takes about a tenth of a millisecond. A loading server answers others after each 1,024 commands of its file. */
const VALUE_BYTES = 256 * 1024;
/** At once: some tens of milliseconds, in which no Sentinel misses the node. */
const COMMANDS = 200;
const SCRIPT = "for _ = 1, ARGV[1] do redis.call('BITOP', 'NOT', KEYS[2], KEYS[1]) end";

/**
 * Few bytes that take long: a file with millions of short commands takes as long to load, and longer to write. The effects of a script are in the file one
 * by one.
 * @param {() => number} [now] milliseconds
 * @returns {Fault}
 */
export function slowFile(now = clockMs) {
  return Object.freeze({
    name: 'slow-file',
    what: `has an append-only file of commands that took ${loads} s`,
    needs: /** @type {Fault['needs']} */ (['configure']),
    /** @type {Fault['inject']} */
    async inject({ stack, journal }, id) {
      const prefix = newKeyPrefix(stack.access.keyPrefix);
      const undo = await journal.note({ kind: 'keys', prefix });
      await askNode(stack, id, async (control) => {
        await control.call('SETRANGE', `${prefix}from`, VALUE_BYTES - 1, 'x');
        for (let busyMs = 0; busyMs < loads * 1000; ) {
          const begins = now();
          await control.call('EVAL', SCRIPT, 2, `${prefix}from`, `${prefix}to`, COMMANDS);
          busyMs += now() - begins;
        }
      });
      return undo;
    },
  });
}

/** @type {import('./types.js').Performed} */
export default {
  id: 'primary-loading',
  downAfterMs: DOWN_AFTER_MS,
  async script(scene) {
    const { primary, profile, prepare, inject, write, until, info, mark } = scene;
    await prepare(slowFile(), primary.id);
    await write(profile.healthySeconds);
    const undo = await inject(restart, primary.id);
    const loaded = await until(async () => {
      try {
        return (await info(primary.id, 'persistence')).loading === '0';
      } catch {
        return false;
      }
    }, loadedWithin);
    if (loaded) mark('file-loaded', primary.id);
    await undo();
    await aftermath(scene);
  },
};
