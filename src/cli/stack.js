/** `sentinel-bench up`, `status` and `down`: a stack that stays up after the command has ended. */
import { setTimeout as delay } from 'node:timers/promises';
import { doubtsOf } from '../check/status.js';
import { ExitStatus, UserError } from '../errors.js';
import { abortable } from '../run/interruption.js';
import { createProgress } from '../run/progress.js';
import { attachStack, openStack, takeDown } from '../stacks/index.js';
import { refusedLogins } from '../stacks/redis/refused-logins.js';
import { renderStatus } from '../stacks/redis/status.js';
import { typedOptions } from './applicable.js';
import { declare } from './declare.js';
import { publicCommand, stackOptions } from './options.js';
import { clearScreen, isReaderGone, print, tell } from './output.js';

/**
 * @import { StackOptions } from '../stacks/types.js'
 * @import { Command } from 'commander'
 */

const STATUS_REFRESH_MS = 1000;

/** @param {Command} program gets the commands */
export function addStackCommands(program) {
  for (const [name, work] of Object.entries({ up, status, down })) {
    const command = declare(program, name);
    command.action((options) =>
      work({ ...stackOptions(options, typedOptions(command)), command: publicCommand(process.argv.slice(2)) }, options),
    );
  }
}

/** @param {StackOptions} chosen */
async function up(chosen) {
  const progress = createProgress();
  progress.now('starting the stack');
  const stack = await abortable(
    (signal) => openStack({ ...chosen, detached: true, tell: progress.tell, signal }),
    tell,
  ).finally(progress.stop);
  print(renderStatus(await stack.database.observe()));
  await stack.close();
}

/** @param {StackOptions} chosen */
async function down(chosen) {
  const stack = await takeDown({ ...chosen, tell });
  if (!stack) {
    tell('No stack is up.');
    return;
  }
  tell(`The ${stack.about.backend} stack is down.`);
}

/** @param {StackOptions} chosen @param {{watch?: boolean}} options */
async function status(chosen, { watch }) {
  const stack = await attachStack(chosen);
  if (!stack) throw new UserError('No stack is up.', 'Start one with `sentinel-bench up` (or ./s/start.sh).');
  try {
    if (!watch) {
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
