/**
 * `sentinel-bench up`, `down` and `status`: a stack to play with.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { abortable } from '../run/interruption.js';
import { createProgress } from '../run/progress.js';
import { attachCluster, openCluster, takeDown } from '../stacks/index.js';
import { renderStatus } from '../stacks/redis/status.js';
import { addClusterOptions, clusterOptions, publicCommand } from './options.js';
import { clearScreen, isReaderGone, print, tell } from './output.js';

/**
 * @import { ClusterOptions } from '../stacks/types.js'
 * @import { Command } from 'commander'
 */

const STATUS_REFRESH_MS = 1000;

/**
 * @param {Command} program gets the commands
 */
export function addStackCommands(program) {
  addClusterOptions(program.command('up').description('start a stack and leave it running')).action(up);
  addClusterOptions(program.command('down').description('take down what `up` started')).action(down);
  addClusterOptions(program.command('status').description('show each node, and what each Sentinel believes'))
    .option('--watch', 'refresh it every second until Ctrl-C')
    .action(status);
}

/**
 * @param {Record<string, any>} options
 * @returns {ClusterOptions}
 */
function stackOptions(options) {
  return { ...clusterOptions(options), command: publicCommand(process.argv.slice(2)) };
}

/** @param {Record<string, any>} options */
async function up(options) {
  const progress = createProgress();
  progress.now('starting the stack');
  const cluster = await abortable(
    (signal) => openCluster({ ...stackOptions(options), detached: true, tell: progress.tell, signal }),
    tell,
  ).finally(progress.stop);
  print(renderStatus(await cluster.observe()));
  await cluster.close();
}

/** @param {Record<string, any>} options */
async function down(options) {
  const cluster = await takeDown({ ...stackOptions(options), tell });
  if (!cluster) {
    tell('No stack is up.');
    return;
  }
  tell(`The ${cluster.backend} stack is down.`);
}

/** @param {Record<string, any>} options */
async function status(options) {
  const cluster = await attachCluster(clusterOptions(options));
  if (!cluster) throw new UserError('No stack is up.', 'Start one with `sentinel-bench up` (or ./s/start.sh).');
  try {
    if (!options.watch) {
      print(renderStatus(await cluster.observe()));
      return;
    }
    // Ctrl-C is how watching ends.
    await abortable(
      async (signal) => {
        while (!signal.aborted && !isReaderGone()) {
          const text = renderStatus(await cluster.observe());
          if (process.stdout.isTTY) clearScreen();
          print(text);
          await delay(STATUS_REFRESH_MS, undefined, { signal }).catch(() => {});
        }
      },
      () => {},
    );
  } finally {
    await cluster.close();
  }
}
