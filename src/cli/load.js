/** `sentinel-bench load`: sends one load to a node, and prints throughput and latency. */
import { randomInt } from 'node:crypto';
import { InvalidArgumentError } from 'commander';
import { badInput, ExitStatus } from '../errors.js';
import { outputFile } from '../output-file.js';
import { bytesBetween, countBetween, durationBetween, parseShare, rateBetween } from '../quantities.js';
import { clientNames, findClient } from '../registry/clients.js';
import { renderLoad } from '../report/command-output.js';
import { abortable } from '../run/interruption.js';
import { runLoad } from '../run/load.js';
import { createProgress } from '../run/progress.js';
import { percentileDistribution } from '../stats/histogram.js';
import { checkUsed, typedOptions } from './applicable.js';
import { declare } from './declare.js';
import { NATS_RULE, natsOptions } from './nats-options.js';
import { credentials, parseAddress, parseSeed, publicCommand, stackOptions } from './options.js';
import { print, printJson } from './output.js';

/**
 * @import { LoadDocument } from '../result/schema.js'
 * @import { Rule } from './applicable.js'
 * @import { OptionReading } from './declare.js'
 * @import { Command } from 'commander'
 */

/** Length of a load without --ops and --duration. */
const DEFAULT_SECONDS = 10;
/** A string has less than 2^29 characters, and a library puts a whole command into one string. */
const LIBRARY_PAYLOAD = 2 ** 28;

/** @type {Readonly<Record<string, OptionReading>>} */
const READINGS = {
  target: { parse: parseAddress },
  connections: { parse: countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' }), byDefault: 50 },
  pipeline: { parse: countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' }), byDefault: 1 },
  payload: { parse: bytesBetween({ least: 1, most: 2 ** 29, shown: '1b and 512m' }), byDefault: 64, shown: '64 B' },
  keys: { parse: countBetween({ least: 1, most: 1e9, shown: '1 and 1,000m' }), byDefault: 100_000, shown: '100k' },
  readRatio: { parse: parseShare, byDefault: 0, shown: '0%' },
  ops: { parse: countBetween({ least: 1, most: 1e12, shown: '1 and 1,000g' }) },
  duration: { parse: durationBetween({ least: 10, most: 86_400_000, shown: '10ms and 24h' }) },
  warmup: {
    parse: durationBetween({ least: 0, most: 3_600_000, shown: '0s and 1h' }),
    byDefault: 1000,
    shown: '1 s',
  },
  rate: { parse: rateBetween({ least: 0.1, most: 1e8, shown: '0.1/s and 100m/s' }) },
  arrivals: { choices: ['constant', 'poisson'], byDefault: 'constant' },
  client: { choices: clientNames, byDefault: 'native' },
  threads: { parse: countBetween({ least: 1, most: 64, shown: '1 and 64' }), byDefault: 1 },
  seed: { parse: parseSeed },
  wait: { parse: countBetween({ least: 0, most: 100, shown: '0 and 100' }), byDefault: 0, shown: 'no WAIT' },
  waitaof: { parse: parseWaitAof },
  waitTimeout: {
    parse: durationBetween({ least: 1, most: 3_600_000, shown: '1ms and 1h' }),
    byDefault: 1000,
    shown: '1 s',
  },
  waitMode: { choices: ['pipelined', 'sequential'], byDefault: 'pipelined' },
};

/** @type {readonly Rule[]} */
export const LOAD_RULES = [
  NATS_RULE,
  {
    options: ['force'],
    isUsed: ({ hdr }) => hdr !== undefined,
    where: 'with --hdr',
    remedy: 'Add --hdr FILE',
  },
  {
    options: ['arrivals'],
    isUsed: ({ rate }) => rate !== undefined,
    where: 'with --rate',
    remedy: 'Add --rate',
  },
  {
    options: ['waitMode', 'waitTimeout'],
    isUsed: waits,
    where: 'with --wait or --waitaof',
    remedy: 'Add --wait 1',
  },
  {
    options: ['wait', 'waitaof'],
    isUsed: (options) => options.readRatio < 1 || !waits(options),
    where: 'with loads that write',
    remedy: 'Lower --read-ratio',
  },
  {
    options: ['masterName', 'sentinelUser'],
    isUsed: ({ sentinel }) => sentinel !== undefined,
    where: 'with --sentinel',
    remedy: 'Add --sentinel HOST:PORT',
  },
];

/** @param {Record<string, any>} options */
function waits({ wait, waitaof }) {
  return wait > 0 || waitaof !== undefined;
}

/** @param {Command} program gets the command */
export function addLoadCommand(program) {
  const command = declare(program, 'load', READINGS);
  command.action((options) => load(options, typedOptions(command)));
}

/** @param {string} text @returns {{local: 0 | 1, replicas: number}} */
function parseWaitAof(text) {
  const match = /^([01]),(\d{1,2})$/.exec(text);
  if (!match) throw new InvalidArgumentError('It must be LOCAL,REPLICAS: 0 or 1, and 0 to 99; for instance 1,1.');
  return { local: match[1] === '1' ? 1 : 0, replicas: Number(match[2]) };
}

/**
 * @param {Record<string, any>} options
 * @param {readonly string[]} typed attribute names of the options that the user typed
 */
async function load(options, typed) {
  checkUsed(typed, options, LOAD_RULES);
  checkCombination(options);
  const { hdr, force = false } = options;
  const file = hdr === undefined ? null : await outputFile(hdr, { option: '--hdr', force });
  const progress = createProgress();
  await abortable(
    (signal, hurry) =>
      runLoad({
        ...(options.sentinel
          ? { stack: stackOptions({ ...options, backend: 'external' }, typed) }
          : { target: options.target ?? { host: '127.0.0.1', port: 6379 } }),
        credentials: credentials(options),
        keyPrefix: options.keyPrefix,
        ...(options.agents && {
          agents: { nats: natsOptions(options, 'sentinel-bench load'), wanted: options.agents },
        }),
        params: {
          client: options.client,
          threads: options.threads,
          connections: options.connections,
          pipeline: options.pipeline,
          payloadBytes: options.payload,
          keys: options.keys,
          readRatio: options.readRatio,
          wait: options.waitaof?.replicas ?? options.wait,
          ...(options.waitaof && { waitLocal: options.waitaof.local }),
          waitTimeoutMs: Math.round(options.waitTimeout),
          waitMode: options.waitMode,
          ...secondsAndOperations(options),
          rate: options.rate,
          warmUpSeconds: options.warmup / 1000,
        },
        arrivals: options.arrivals,
        seed: options.seed ?? randomInt(2 ** 32),
        command: publicCommand(process.argv.slice(2)),
        progress,
        signal,
        hurry,
        async onMeasured(document) {
          progress.stop();
          show(document, options);
          await file?.write(percentileDistribution({ rounds: [document.round] }));
        },
      }),
    progress.tell,
  ).finally(progress.stop);
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

/** @param {Record<string, any>} options */
function secondsAndOperations({ duration, ops }) {
  if (ops === undefined && duration === undefined) return { seconds: DEFAULT_SECONDS };
  return {
    ...(ops !== undefined && { operations: ops }),
    ...(duration !== undefined && { seconds: duration / 1000 }),
  };
}

/** @param {Record<string, any>} options */
function checkCombination({ target, sentinel, threads, connections, wait, waitaof, client, payload }) {
  if (target && sentinel) {
    throw badInput('--target and --sentinel both name the node.', 'Leave out one of the two.');
  }
  if (threads > connections) {
    throw badInput(
      `${threads} load threads cannot share ${connections} connection${connections === 1 ? '' : 's'}.`,
      'Use at least as many --connections as --threads.',
    );
  }
  if (findClient(client)?.library && payload > LIBRARY_PAYLOAD) {
    throw badInput(
      `The ${client} library puts a value into one string, and cannot send ${payload / 2 ** 20} MiB in one.`,
      'Use --client native, or values of at most 256m.',
    );
  }
  if (wait > 0 && waitaof) throw badInput('--wait and --waitaof exclude each other.', 'Leave out one of the two.');
}
