/**
 * `sentinel-bench link observe`: how much a running deployment replicates, and whether a link is fast enough for it.
 */
import { InvalidArgumentError } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { serverText } from '../format.js';
import { observeLink, shortfallOf } from '../measure/link.js';
import { bytesBetween, durationBetween, linkSpeedBetween } from '../quantities.js';
import { linkText } from '../report/command-output.js';
import { abortable } from '../run/interruption.js';
import { createProgress } from '../run/progress.js';
import { attachStack } from '../stacks/index.js';
import { checkUsed, typedOptions } from './applicable.js';
import { declare } from './declare.js';
import { stackOptions } from './options.js';
import { print, printJson } from './output.js';

/**
 * @import { OutputBuffer } from '../measure/link.js'
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
function parseOutputBuffer(text) {
  const [hard, soft, seconds, ...more] = text.trim().split(/\s+/);
  if (seconds === undefined || more.length > 0 || !/^\d+$/.test(seconds)) {
    throw new InvalidArgumentError('It must be a hard limit, a soft limit and seconds, for instance "256mb 64mb 60".');
  }
  return { hardBytes: size(hard), softBytes: size(soft), softSeconds: Number(seconds) };
}

/** @param {Command} program gets the command */
export function addLinkCommand(program) {
  const observing = declare(declare(program, 'link'), 'link observe', {
    for: { parse: watchTime, byDefault: 10_000, shown: '10 s' },
    linkSpeed: { parse: linkSpeed },
    outputBuffer: { parse: parseOutputBuffer, byDefault: DEFAULT_LIMITS, shown: '256mb 64mb 60' },
  });
  observing.action((options) => observe(options, typedOptions(observing)));
}

/**
 * @param {Record<string, any>} options
 * @param {readonly string[]} typed attribute names of the options that the user typed
 */
async function observe(options, typed) {
  const { linkSpeed: speed, outputBuffer, json } = options;
  checkUsed(typed, options, [
    {
      options: ['outputBuffer'],
      isUsed: () => speed !== undefined,
      where: 'with --link-speed',
      remedy: 'Add --link-speed',
    },
  ]);
  const progress = createProgress();
  const stack = await attachStack({ ...stackOptions({ ...options, backend: 'auto' }, typed), tell: progress.tell });
  if (!stack) {
    throw new UserError(
      'There is nothing to watch: no stack is up, and no --sentinel is given.',
      'Add --sentinel HOST:PORT, or start a stack with `sentinel-bench up`.',
    );
  }
  try {
    const demand = await abortable(
      (signal) =>
        observeLink(stack, {
          seconds: options.for / 1000,
          signal,
          onSample: (samples) => progress.now(`watching ${serverText(stack.about.server)}: ${samples} samples`),
        }),
      progress.tell,
    );
    const shortfall = speed === undefined ? null : shortfallOf(demand, speed, outputBuffer);
    progress.stop();
    const link = shortfall && { speed, shortfall };
    if (json) printJson({ schema: 'sentinel-bench/link@1', unit: 'bytes a second', demand, link });
    else print(linkText(demand, link));
    if (shortfall && shortfall.pilesUp > 0) process.exitCode = ExitStatus.checkFailed;
  } finally {
    progress.stop();
    await stack.close();
  }
}
