/** `sentinel-bench collect`: gets the ledgers of a killed run from the agents. */
import { collectLedgers } from '../agents/collect.js';
import { connectNats } from '../agents/connection.js';
import { plural } from '../format.js';
import { addNatsOptions, natsOptions } from './nats-options.js';
import { tell } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addCollectCommand(program) {
  addNatsOptions(
    program
      .command('collect')
      .summary('get the ledgers of a killed run from its agents')
      .description(
        'Gets the ledgers that agents still hold for a run whose controller was killed, and puts them into its folder. ' +
          '`sentinel-bench audit` then counts them.',
      )
      .argument('<folder>', 'the run’s folder')
      .addHelpText(
        'after',
        `
Exit status: 0 the agents hold no more ledgers of that run; 2 no agents wrote in that run; 3 an agent does not answer, or still works.

Example:
  sentinel-bench collect results/latest && sentinel-bench audit results/latest`,
      ),
  ).action(collect);
}

/** @param {string} folder @param {Record<string, any>} options */
async function collect(folder, options) {
  const nats = await connectNats(natsOptions(options, 'sentinel-bench collect'), { reconnect: false });
  try {
    const collected = await collectLedgers(nats, folder);
    for (const { agent, placed, had } of collected) {
      tell(`${agent}: ${plural(placed, 'ledger')} collected${had > 0 ? `, ${had} were here already` : ''}`);
    }
    if (collected.length === 0) tell('The agents hold no ledgers of that run.');
  } finally {
    await nats.close();
  }
}
