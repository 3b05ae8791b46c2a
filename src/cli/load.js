/** `sentinel-bench load`: sends one load to a node, and prints throughput and latency. */
import { randomInt } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { ExitStatus } from '../errors.js';
import { plural } from '../format.js';
import { outputFile } from '../output-file.js';
import { clientNames, findClient } from '../registry/clients.js';
import { renderLoad } from '../report/command-output.js';
import { runLoad } from '../run/load.js';
import { percentileDistribution } from '../stats/histogram.js';
import { checkUsed, neededBy, typedOptions } from './applicable.js';
import { publicCommand } from './declare.js';
import { NATS_RULE, natsOptions } from './nats-options.js';
import { credentials, parseAddress, stackOptions } from './options.js';
import { print, printJson, withProgress } from './output.js';
import { refusal } from './refusals.js';

/** @import { LoadDocument } from '../result/schema.js' @import { Rule } from './applicable.js' @import { Command } from 'commander' */

/** Length of a load without --ops and --duration. */
const DEFAULT_SECONDS = 10;
/** A string has less than 2^29 characters, and a library puts a whole command into one string. */
const LIBRARY_PAYLOAD = 2 ** 28;

export const commands = {
  load: {
    run: load,
    readings: {
      target: { parse: parseAddress },
      client: { choices: clientNames, byDefault: 'native' },
      waitaof: { parse: parseWaitAof },
    },
  },
};

/** @type {readonly Rule[]} */
export const LOAD_RULES = [
  NATS_RULE,
  neededBy('--hdr FILE', ['force']),
  neededBy('--rate', ['arrivals']),
  { options: ['waitMode', 'waitTimeout'], isUsed: waits, where: 'with --wait or --waitaof', instead: 'Add --wait 1' },
  {
    options: ['wait', 'waitaof'],
    isUsed: (options) => options.readRatio < 1 || !waits(options),
    where: 'with loads that write',
    instead: 'Lower --read-ratio',
  },
  neededBy('--sentinel HOST:PORT', ['masterName', 'sentinelUser']),
];

/** @param {Record<string, any>} options */
function waits({ wait, waitaof }) {
  return wait > 0 || waitaof !== undefined;
}

/** @param {string} text @returns {{local: 0 | 1, replicas: number}} */
function parseWaitAof(text) {
  const match = /^([01]),(\d{1,2})$/.exec(text);
  if (!match) throw new InvalidArgumentError('It must be LOCAL,REPLICAS: 0 or 1, and 0 to 99; for instance 1,1.');
  return { local: match[1] === '1' ? 1 : 0, replicas: Number(match[2]) };
}

/** @param {Record<string, any>} options @param {Command} command */
async function load(options, command) {
  const typed = typedOptions(command);
  checkUsed(typed, options, LOAD_RULES);
  checkCombination(options);
  const { hdr, force = false, sentinel, agents } = options;
  const file = hdr === undefined ? null : await outputFile(hdr, { option: '--hdr', force });
  await withProgress((progress, signal, hurry) =>
    runLoad({
      ...(sentinel
        ? { stack: stackOptions({ ...options, backend: 'external' }, typed) }
        : { target: options.target ?? { host: '127.0.0.1', port: 6379 } }),
      credentials: credentials(options),
      keyPrefix: options.keyPrefix,
      ...(agents && { agents: { nats: natsOptions(options, 'sentinel-bench load'), wanted: agents } }),
      params: paramsOf(options),
      arrivals: options.arrivals,
      seed: options.seed ?? randomInt(2 ** 32),
      command: publicCommand(command),
      progress,
      signal,
      hurry,
      async onMeasured(document) {
        progress.stop();
        show(document, options);
        await file?.write(percentileDistribution({ rounds: [document.round] }));
      },
    }),
  );
}

/** @param {LoadDocument} document @param {Record<string, any>} options */
function show(document, { json }) {
  const { round } = document;
  if (json) printJson(document);
  else print(renderLoad(document));
  const { underAcked, rejected, unknown } = round.outcomes;
  const notAnswered = underAcked + rejected + unknown + (round.reads?.failed ?? 0);
  // A connection may be lost after all its operations were answered; only `errors` shows that.
  const failed = notAnswered > 0 || Object.keys(round.errors).length > 0;
  process.exitCode = failed || round.openLoop?.sustained === false ? ExitStatus.checkFailed : ExitStatus.ok;
}

/** @param {Record<string, any>} options @returns {LoadDocument['params']} */
function paramsOf({ client, threads, connections, pipeline, keys, readRatio, waitMode, rate, ...options }) {
  const { payload: payloadBytes, duration, ops: operations, waitaof, waitTimeout, warmup } = options;
  const isEndless = duration === undefined && operations === undefined;
  return {
    ...{ client, threads, connections, pipeline, payloadBytes, keys, readRatio, operations, waitMode, rate },
    wait: waitaof?.replicas ?? options.wait,
    ...(waitaof && { waitLocal: waitaof.local }),
    waitTimeoutMs: Math.round(waitTimeout),
    seconds: isEndless ? DEFAULT_SECONDS : duration && duration / 1000,
    warmUpSeconds: warmup / 1000,
  };
}

/** @param {Record<string, any>} options */
function checkCombination({ target, sentinel, threads, connections, wait, waitaof, client, payload }) {
  if (target && sentinel) throw refusal('two-targets');
  if (threads > connections)
    throw refusal('few-connections', { threads, connections: plural(connections, 'connection') });
  if (findClient(client)?.library && payload > LIBRARY_PAYLOAD)
    throw refusal('payload-of-library', { client, mebibytes: payload / 2 ** 20 });
  if (wait > 0 && waitaof) throw refusal('wait-and-waitaof');
}
