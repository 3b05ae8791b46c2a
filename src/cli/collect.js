/** `sentinel-bench collect`: gets the ledgers of a killed run from the agents. */
import { collectLedgers } from '../agents/collect.js';
import { connectNats } from '../agents/connection.js';
import { plural } from '../format.js';
import { declare } from './declare.js';
import { natsOptions } from './nats-options.js';
import { tell } from './output.js';

/** @import { Command } from 'commander' */

/** @param {Command} program gets the command */
export function addCollectCommand(program) {
  declare(program, 'collect').action(collect);
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
