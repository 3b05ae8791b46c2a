/** `sentinel-bench up`, `status` and `down`: a stack that stays up after the command has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { doubtsOf } from '../check/status.js';
import { ExitStatus } from '../errors.js';
import { abortable } from '../run/interruption.js';
import { attachStack, openStack, takeDown } from '../stacks/index.js';
import { refusedLogins } from '../stacks/redis/refused-logins.js';
import { renderStatus } from '../stacks/redis/status.js';
import { typedOptions } from './applicable.js';
import { publicCommand } from './declare.js';
import { stackOptions } from './options.js';
import { clearScreen, isReaderGone, print, tell, withProgress } from './output.js';
import { refusal } from './refusals.js';

/** @import { Command } from 'commander' */

export const commands = { up: { run: up }, status: { run: status }, down: { run: down } };

const STATUS_REFRESH_MS = 1000;

/** @param {Record<string, any>} options @param {Command} command */
function chosenStack(options, command) {
  return { ...stackOptions(options, typedOptions(command)), command: publicCommand(command) };
}

/** @param {Record<string, any>} options @param {Command} command */
async function up(options, command) {
  const chosen = chosenStack(options, command);
  const stack = await withProgress((progress, signal) => {
    progress.now('starting the stack');
    return openStack({ ...chosen, detached: true, tell: progress.tell, signal });
  });
  print(renderStatus(await stack.database.observe()));
  await stack.close();
}

/** @param {Record<string, any>} options @param {Command} command */
async function down(options, command) {
  const stack = await takeDown({ ...chosenStack(options, command), tell });
  tell(stack ? `The ${stack.about.backend} stack is down.` : 'No stack is up.');
}

/** @param {Record<string, any>} options @param {Command} command */
async function status(options, command) {
  const stack = await attachStack(chosenStack(options, command));
  if (!stack) throw refusal('no-stack');
  try {
    if (!options.watch) {
      const snapshot = await stack.database.observe();
      print(renderStatus(snapshot));
      const doubts = doubtsOf(snapshot);
      const refused = stack.about.backend === 'external' ? await refusedLogins(stack, snapshot) : null;
      if (refused !== null) doubts.push(`${refused}.`);
      for (const doubt of doubts) tell(doubt);
      if (doubts.length > 0) process.exitCode = ExitStatus.checkFailed;
      return;
    }
    // Ctrl-C is the normal end of watching, not an error.
    await abortable(
      async (signal) => {
        while (!signal.aborted && !isReaderGone()) {
          const text = renderStatus(await stack.database.observe());
          if (process.stdout.isTTY) clearScreen();
          print(text);
          await delay(STATUS_REFRESH_MS, undefined, { signal }).catch(() => {});
        }
      },
      () => {},
    );
  } finally {
    await stack.close();
  }
}
