/** `sentinel-bench recover`: cleans up after runs that were killed. */
import { recoverMachines } from '../agents/machines.js';
import { recover } from '../run/recover.js';
import { declare } from './declare.js';
import { credentials } from './options.js';
import { tell } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addRecoverCommand(program) {
  declare(program, 'recover').action(async (options) => {
    await recover({ tell, credentials: credentials(options) });
    await recoverMachines(tell);
    tell('Nothing is left of killed runs.');
  });
}
