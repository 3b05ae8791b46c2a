/** `sentinel-bench recover`: cleans up after runs that were killed. */
import { recoverMachines } from '../agents/machines.js';
import { recover } from '../run/recover.js';
import { recoverNodes } from '../stacks/hosts/local/recover.js';
import { credentials } from './options.js';
import { tell } from './output.js';

export const commands = { recover: { run } };

/** @param {Record<string, any>} options */
async function run(options) {
  try {
    await recover({ tell, credentials: credentials(options) });
  } finally {
    await recoverNodes(tell);
  }
  await recoverMachines(tell);
  tell('Nothing is left of killed runs.');
}
