/**
 * `sentinel-bench link`: what replication asks of the links of a deployment that runs.
 */
import { InvalidArgumentError } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { shortfallOf } from '../measure/link-demand.js';
import { serverText } from '../report/format.js';
import { linkText } from '../report/link-text.js';
import { abortable } from '../run/interruption.js';
import { observeLink } from '../run/link-observe.js';
import { createProgress } from '../run/progress.js';
import { attachCluster } from '../stacks/index.js';
import { bytesBetween, durationBetween, linkSpeedBetween } from '../units.js';
import { addConnectionOptions, clusterOptions } from './options.js';
import { print, printJson } from './output.js';

/**
 * @import { Demand, OutputBuffer, Shortfall } from '../measure/link-demand.js'
 * @import { Command } from 'commander'
 */

/** Redis's own `client-output-buffer-limit replica`. */
const DEFAULT_LIMITS = { hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 };

const watchTime = durationBetween({ least: 2000, most: 86_400_000, shown: '2s and 24h' });
const linkSpeed = linkSpeedBetween({ least: 125, most: 125e9, shown: '1kbit and 1000gbit' });
const size = bytesBetween({ least: 0, most: 1000 * 2 ** 30, shown: '0 and 1,000gb' });

/**
 * @param {string} text as in redis.conf, without the class: `256mb 64mb 60`
 * @returns {OutputBuffer}
 */
export function parseOutputBuffer(text) {
  const [hard, soft, seconds, ...more] = text.trim().split(/\s+/);
  if (seconds === undefined || more.length > 0 || !/^\d+$/.test(seconds)) {
    throw new InvalidArgumentError('It must be a hard limit, a soft limit and seconds, for instance "256mb 64mb 60".');
  }
  return { hardBytes: size(hard), softBytes: size(soft), softSeconds: Number(seconds) };
}

/**
 * @param {Command} command gets its subcommands
 */
export function addLinkCommand(command) {
  command.description('what replication asks of the links between nodes');
  addConnectionOptions(
    command
      .command('observe')
      .summary('watch the replication of a deployment that runs')
      .description(
        'Reads INFO of the primary once a second, and nothing else: how much replication sends to each replica, and what a link of a given speed would make of it.',
      )
      .option('--for <time>', 'watch for so long', watchTime, 10_000)
      .option('--link-speed <speed>', 'judge a link of this speed, such as 23mbit or 1gbit', linkSpeed)
      .option(
        '--output-buffer <limits>',
        'the primary’s client-output-buffer-limit of replicas, if it is not Redis’s own, such as "256mb 64mb 60"',
        parseOutputBuffer,
        DEFAULT_LIMITS,
      )
      .option('--json', 'print the figures as JSON, and nothing else'),
  )
    .addHelpText(
      'after',
      `
Exit status: 0 told; 1 the link is too slow for the mean; 3 there is nothing to watch.

Examples:
  sentinel-bench link observe --sentinel 10.0.0.5:26379 --link-speed 100mbit
  sentinel-bench link observe --for 5min --json`,
    )
    .action(observe);
}

/** @param {Record<string, any>} options */
async function observe(options) {
  const { linkSpeed: speed, outputBuffer, json } = options;
  const progress = createProgress();
  const cluster = await attachCluster(clusterOptions({ backend: 'auto', ...options }));
  if (!cluster) {
    throw new UserError(
      'There is nothing to watch: no stack is up, and no deployment was named.',
      'Add --sentinel HOST:PORT, or start a stack with `sentinel-bench up`.',
    );
  }
  try {
    const demand = await abortable(
      (signal) =>
        observeLink(cluster, {
          seconds: options.for / 1000,
          signal,
          onSample: (samples) => progress.now(`watching ${serverText(cluster.server)}: ${samples} looks`),
        }),
      progress.tell,
    );
    const shortfall = speed === undefined ? null : shortfallOf(demand, speed, outputBuffer);
    progress.stop();
    const link = shortfall && { speed, shortfall };
    if (json) printJson(documentOf(demand, link));
    else print(linkText(demand, link));
    if (shortfall && shortfall.pilesUp > 0) process.exitCode = ExitStatus.checkFailed;
  } finally {
    progress.stop();
    await cluster.close();
  }
}

/**
 * @param {Demand} demand
 * @param {{speed: number, shortfall: Shortfall} | null} link
 * @returns {object} as JSON, where a time without end is null
 */
function documentOf(demand, link) {
  return { schema: 'sentinel-bench/link@1', unit: 'bytes a second', demand, link };
}
