/** `sentinel-bench recover`: cleans up after runs that were killed. */
import { recoverMachines } from '../agents/machines.js';
import { recoverNodes } from '../agents/nodes-work.js';
import { recoverSwarm } from '../agents/swarm.js';
import { recover } from '../run/recover.js';
import { credentials } from './options.js';
import { tell } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addRecoverCommand(program) {
  program
    .command('recover')
    .summary('clean up after runs that were killed')
    .description(
      'Undoes the faults and settings of runs that were killed, removes their keys, and takes down the stacks that they started.',
    )
    .option('--tls-cert <file>', 'client certificate for an existing deployment')
    .option('--tls-key <file>', 'private key of the client certificate')
    .action(async (options) => {
      try {
        await recover({ tell, credentials: credentials(options) });
      } finally {
        // After the faults of killed agents, which may start nodes again.
        await recoverNodes(tell);
      }
      await recoverMachines(tell);
      await recoverSwarm(tell);
      tell('Nothing is left of killed runs.');
    });
}
