/** `sentinel-bench load`: sends one load to a node, and prints throughput and latency. */
import { randomInt } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import { badInput, ExitStatus } from '../errors.js';
import { outputFile } from '../output-file.js';
import { bytesBetween, countBetween, durationBetween, parseShare, rateBetween } from '../quantities.js';
import { clientNames, findClient } from '../registry/clients.js';
import { renderLoad } from '../report/command-output.js';
import { percentileDistribution } from '../result/export-hdr.js';
import { abortable } from '../run/interruption.js';
import { runLoad } from '../run/load.js';
import { createProgress } from '../run/progress.js';
import { checkUsed, typedOptions } from './applicable.js';
import { addNatsOptions, NATS_RULE, natsOptions } from './nats-options.js';
import {
  addConnectionOptions,
  credentials,
  keyPrefixOption,
  optionWithDefault,
  parseAddress,
  parseSeed,
  publicCommand,
  stackOptions,
} from './options.js';
import { print, printJson } from './output.js';

/**
 * @import { LoadDocument } from '../result/schema.js'
 * @import { Rule } from './applicable.js'
 * @import { Command } from 'commander'
 */

/** Length of a load without --ops and --duration. */
const DEFAULT_SECONDS = 10;
/** A string has less than 2^29 characters, and a library puts a whole command into one string. */
const LIBRARY_PAYLOAD = 2 ** 28;

const connections = countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' });
const depth = countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' });
const valueSize = bytesBetween({ least: 1, most: 2 ** 29, shown: '1b and 512m' });
const keyCount = countBetween({ least: 1, most: 1e9, shown: '1 and 1,000m' });
const operationCount = countBetween({ least: 1, most: 1e12, shown: '1 and 1,000g' });
const length = durationBetween({ least: 10, most: 86_400_000, shown: '10ms and 24h' });
const operationRate = rateBetween({ least: 0.1, most: 1e8, shown: '0.1/s and 100m/s' });
const threadCount = countBetween({ least: 1, most: 64, shown: '1 and 64' });
const replicaCount = countBetween({ least: 0, most: 100, shown: '0 and 100' });
const waitTimeout = durationBetween({ least: 1, most: 3_600_000, shown: '1ms and 1h' });
const warmUp = durationBetween({ least: 0, most: 3_600_000, shown: '0s and 1h' });

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
  const command = program
    .command('load')
    .summary('send one load to any Redis node')
    .description('Sends one load to a Redis or Valkey node, and prints throughput and latency.')
    .optionsGroup('Load:')
    .option('--target <host:port>', 'the node; default, without --sentinel: 127.0.0.1:6379', parseAddress)
    .addOption(optionWithDefault('--connections <n>', 'connections of all load threads together', connections, 50))
    .addOption(optionWithDefault('--pipeline <n>', 'pipeline depth: operations sent at once', depth, 1))
    .addOption(optionWithDefault('--payload <size>', 'size of each value', valueSize, 64, '64 B'))
    .addOption(optionWithDefault('--keys <n>', 'number of keys, drawn at random', keyCount, 100_000, '100k'))
    .addOption(optionWithDefault('--read-ratio <share>', 'share of pipelines that read', parseShare, 0, '0%'))
    .option('--ops <n>', 'stop after this many operations', operationCount)
    .option('--duration <time>', `stop after this time; default, without --ops: ${DEFAULT_SECONDS} s`, length)
    .addOption(optionWithDefault('--warmup <time>', 'time before measuring', warmUp, 1000, '1 s'))
    .option('--rate <rate>', 'operations a second on a schedule (open loop); default: closed loop', operationRate)
    .addOption(
      new Option('--arrivals <kind>', 'with --rate: spacing of the schedule')
        .choices(['constant', 'poisson'])
        .default('constant'),
    )
    .addOption(new Option('--client <name>', 'client that sends the load').choices(clientNames).default('native'))
    .addOption(optionWithDefault('--threads <n>', 'load threads', threadCount, 1))
    .option('--seed <number>', 'seed of an earlier load: the same keys', parseSeed)
    .option(
      '--agents <name...>',
      'agents that send the load, or all; they share connections and rate; see docs/machines.md',
    )
    .optionsGroup('Durability:')
    .addOption(
      optionWithDefault(
        '--wait <replicas>',
        'send WAIT for this many replicas with each pipeline of writes',
        replicaCount,
        0,
        'no WAIT',
      ),
    )
    .option('--waitaof <local,replicas>', 'send WAITAOF instead, such as 1,1', parseWaitAof)
    .addOption(optionWithDefault('--wait-timeout <time>', 'timeout of WAIT or WAITAOF', waitTimeout, 1000, '1 s'))
    .addOption(
      new Option('--wait-mode <name>', 'pipelined: send WAIT with the writes; sequential: after they were answered')
        .choices(['pipelined', 'sequential'])
        .default('pipelined'),
    )
    .optionsGroup('Output:')
    .option('--hdr <file>', 'write the percentile distribution to this file, for HdrHistogram plotters')
    .option('--force', 'replace the file of --hdr if it exists')
    .option('--json', 'print the result document to standard output, and nothing else');
  addNatsOptions(addConnectionOptions(command))
    .addOption(keyPrefixOption())
    .addHelpText(
      'after',
      `
Examples:
  sentinel-bench load                                       50 connections write to 127.0.0.1:6379 for 10 s
  sentinel-bench load --target db:6379 --wait 1 --pipeline 100
  sentinel-bench load --rate 20k/s --duration 30s           response time at 20,000 writes a second
  sentinel-bench load --sentinel s1:26379 --read-ratio 80%  the primary that the Sentinels name

The keys that a load writes have a prefix of their own and are removed afterwards. \`sentinel-bench recover\` removes the keys of
a load that was killed.

Exit status: 0 all well; 1 an operation failed, was not confirmed as requested, or the rate was not sustained; 2 bad arguments;
3 the load could not run, the figures could not be written, or keys are left.`,
    )
    .action((options) => load(options, typedOptions(command)));
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
  if (ops === undefined) return { seconds: seconds({ duration }) };
  return { operations: ops, ...(duration !== undefined && { seconds: duration / 1000 }) };
}

/** @param {Record<string, any>} options */
function seconds({ duration = DEFAULT_SECONDS * 1000 }) {
  return duration / 1000;
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
