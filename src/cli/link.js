/** `sentinel-bench link observe`: how much a running deployment replicates, and whether a link is fast enough for it. */
import { InvalidArgumentError } from 'commander';
import { ExitStatus } from '../errors.js';
import { serverText } from '../format.js';
import { observeLink, shortfallOf } from '../measure/link.js';
import { bytesBetween } from '../quantities.js';
import { linkText } from '../report/command-output.js';
import { attachStack } from '../stacks/index.js';
import { checkUsed, neededBy, typedOptions } from './applicable.js';
import { stackOptions } from './options.js';
import { print, printJson, tell, withProgress } from './output.js';
import { refusal } from './refusals.js';

/** @import { OutputBuffer } from '../measure/link.js' @import { Command } from 'commander' */

/** Redis's own `client-output-buffer-limit replica`. */
const DEFAULT_LIMITS = { hardBytes: 256 * 2 ** 20, softBytes: 64 * 2 ** 20, softSeconds: 60 };

const size = bytesBetween('0 and 1,000gb');

export const commands = {
  link: {},
  'link observe': {
    run: observe,
    readings: { outputBuffer: { parse: parseOutputBuffer, byDefault: DEFAULT_LIMITS, shown: '256mb 64mb 60' } },
  },
};

/** @param {string} text as in redis.conf, without the class: `256mb 64mb 60` @returns {OutputBuffer} */
function parseOutputBuffer(text) {
  const [hard, soft, seconds, ...more] = text.trim().split(/\s+/);
  if (seconds === undefined || more.length > 0 || !/^\d+$/.test(seconds)) {
    throw new InvalidArgumentError('It must be a hard limit, a soft limit and seconds, for instance "256mb 64mb 60".');
  }
  return { hardBytes: size(hard), softBytes: size(soft), softSeconds: Number(seconds) };
}

/** @param {Record<string, any>} options @param {Command} command */
async function observe(options, command) {
  const { linkSpeed: speed, outputBuffer, json } = options;
  const typed = typedOptions(command);
  checkUsed(typed, options, [neededBy('--link-speed', ['outputBuffer'])]);
  const stack = await attachStack({ ...stackOptions({ ...options, backend: 'auto' }, typed), tell });
  if (!stack) throw refusal('nothing-to-watch');
  try {
    const demand = await withProgress((progress, signal) =>
      observeLink(stack, {
        seconds: options.for / 1000,
        signal,
        onSample: (samples) => progress.now(`watching ${serverText(stack.about.server)}: ${samples} samples`),
      }),
    );
    const shortfall = speed === undefined ? null : shortfallOf(demand, speed, outputBuffer);
    const link = shortfall && { speed, shortfall };
    if (json) printJson({ schema: 'sentinel-bench/link@1', unit: 'bytes a second', demand, link });
    else print(linkText(demand, link));
    if (shortfall && shortfall.pilesUp > 0) process.exitCode = ExitStatus.checkFailed;
  } finally {
    await stack.close();
  }
}
