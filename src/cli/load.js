/**
 * `sentinel-bench load`: its options, and what it prints.
 */
import { randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { clientNames } from '../clients/index.js';
import { ExitStatus, UserError } from '../errors.js';
import { renderLoad } from '../report/load-table.js';
import { percentileDistribution } from '../result/hdr-files.js';
import { abortable } from '../run/interruption.js';
import { runLoad } from '../run/load.js';
import { createProgress } from '../run/progress.js';
import { bytesBetween, countBetween, durationBetween, parseShare, rateBetween } from '../units.js';
import {
  addConnectionOptions,
  clusterOptions,
  credentials,
  parseAddress,
  parseSeed,
  publicCommand,
} from './options.js';
import { print, printJson } from './output.js';

/**
 * @import { LoadDocument } from '../result/load-schema.js'
 * @import { Command } from 'commander'
 */

/** A load that nobody bounded ends after this. */
const DEFAULT_SECONDS = 10;
/** As `w`, but a FIFO that nobody reads is an error. */
const WITHOUT_WAITING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK;
/** A string has less than 2^29 characters, and a library puts a value and more into one. */
const LIBRARY_PAYLOAD = 2 ** 28;

/**
 * @param {Command} command gets the options and the action
 */
export function addLoadCommand(command) {
  addConnectionOptions(command)
    .summary('one load against any Redis node')
    .description('Sends one load to a Redis or Valkey node and tells how fast it was answered.')
    .option('--target <host:port>', 'the node; without it and without --sentinel 127.0.0.1:6379', parseAddress)
    .option(
      '--connections <n>',
      'connections, shared by all load threads',
      countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' }),
      50,
    )
    .option('--pipeline <n>', 'operations a batch', countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' }), 1)
    .option('--payload <size>', 'of each value', bytesBetween({ least: 1, most: 2 ** 29, shown: '1b and 512m' }), 64)
    .option('--keys <n>', 'keys to draw from', countBetween({ least: 1, most: 1e9, shown: '1 and 1,000m' }), 100_000)
    .option('--read-ratio <share>', 'share of the batches that read', parseShare, 0)
    .option('--ops <n>', 'end after so many operations', countBetween({ least: 1, most: 1e12, shown: '1 and 1,000g' }))
    .option(
      '--duration <time>',
      `end after this time; default ${DEFAULT_SECONDS}s`,
      durationBetween({ least: 10, most: 86_400_000, shown: '10ms and 24h' }),
    )
    .option(
      '--rate <rate>',
      'send on a schedule, so many operations a second (open loop)',
      rateBetween({ least: 0.1, most: 1e8, shown: '0.1/s and 100m/s' }),
    )
    .addOption(new Option('--arrivals <kind>', 'of the schedule').choices(['constant', 'poisson']).default('constant'))
    .option('--threads <n>', 'load threads', countBetween({ least: 1, most: 64, shown: '1 and 64' }), 1)
    .option(
      '--wait <replicas>',
      'a WAIT for so many replicas after each batch of writes',
      countBetween({ least: 0, most: 100, shown: '0 and 100' }),
      0,
    )
    .option(
      '--wait-timeout <time>',
      'of WAIT and WAITAOF',
      durationBetween({ least: 1, most: 3_600_000, shown: '1ms and 1h' }),
      1000,
    )
    .option('--waitaof <local,replicas>', 'a WAITAOF instead, for instance 1,1', parseWaitAof)
    .addOption(
      new Option('--habit <name>', 'WAIT leaves with the writes, or when they have been answered')
        .choices(['one-flush', 'awaited'])
        .default('one-flush'),
    )
    .addOption(new Option('--client <name>', 'what sends').choices(clientNames).default('native'))
    .option(
      '--warmup <time>',
      'before measuring',
      durationBetween({ least: 0, most: 3_600_000, shown: '0s and 1h' }),
      1000,
    )
    .option('--hdr <file>', 'write the percentile distribution, as HdrHistogram plotters read it')
    .option('--seed <number>', 'draw the same keys as an earlier load', parseSeed)
    .option('--json', 'print the result document to standard output, and nothing else')
    .addHelpText(
      'after',
      `
Examples:
  sentinel-bench load                                       50 connections write to 127.0.0.1:6379 for 10 s
  sentinel-bench load --target db:6379 --wait 1 --pipeline 100
  sentinel-bench load --rate 20k/s --duration 30s           what users would wait at 20,000 writes a second
  sentinel-bench load --sentinel s1:26379 --read-ratio 80%  the primary that the Sentinels name

The keys it writes have a prefix of their own and are removed afterwards; where it was killed, \`sentinel-bench recover\` removes them.

Exit status: 0 all well; 1 some operations were not answered as asked, or the rate could not be sustained; 2 bad arguments;
3 it could not be measured, the figures could not be written where they were asked for, or keys are left.`,
    )
    .action(load);
}

/**
 * @param {string} text
 * @returns {{local: 0 | 1, replicas: number}}
 */
function parseWaitAof(text) {
  const match = /^([01]),(\d{1,2})$/.exec(text);
  if (!match) throw new InvalidArgumentError('It must be LOCAL,REPLICAS: 0 or 1, and 0 to 99; for instance 1,1.');
  return { local: match[1] === '1' ? 1 : 0, replicas: Number(match[2]) };
}

/** @param {Record<string, any>} options */
async function load(options) {
  checkCombination(options);
  const progress = createProgress();
  await abortable(
    (signal, hurry) =>
      runLoad({
        ...(options.sentinel
          ? { cluster: clusterOptions({ ...options, backend: 'external' }) }
          : { target: options.target ?? { host: '127.0.0.1', port: 6379 } }),
        credentials: credentials(options),
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
          habit: options.habit,
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
          await show(document, options);
        },
      }),
    progress.tell,
  ).finally(progress.stop);
}

/**
 * @param {LoadDocument} document
 * @param {Record<string, any>} options
 */
async function show(document, { json, hdr }) {
  const { round } = document;
  if (json) printJson(document);
  else print(renderLoad(document));
  const { underAcked, rejected, unknown } = round.outcomes;
  const notAnswered = underAcked + rejected + unknown + (round.reads?.failed ?? 0);
  // A connection may be lost when all that it was asked has been answered.
  const failed = notAnswered > 0 || Object.keys(round.errors).length > 0;
  process.exitCode = failed || round.openLoop?.sustained === false ? ExitStatus.checkFailed : ExitStatus.ok;
  if (hdr) await writeDistribution(hdr, round);
}

/** @param {Record<string, any>} options */
function secondsAndOperations({ duration, ops }) {
  if (ops === undefined) return { seconds: (duration ?? DEFAULT_SECONDS * 1000) / 1000 };
  return { operations: ops, ...(duration !== undefined && { seconds: duration / 1000 }) };
}

/** @param {Record<string, any>} options */
function checkCombination({ target, sentinel, threads, connections, wait, waitaof, client, payload }) {
  if (target && sentinel) {
    throw badOptions('--target and --sentinel both say where the load goes.', 'Leave out one of the two.');
  }
  if (threads > connections) {
    throw badOptions(
      `${threads} load threads cannot share ${connections} connection${connections === 1 ? '' : 's'}.`,
      'Give at least as many --connections as --threads.',
    );
  }
  if (client !== 'native' && payload > LIBRARY_PAYLOAD) {
    throw badOptions(
      `The ${client} library makes strings of values, and cannot send ${payload / 2 ** 20} MiB in one.`,
      'Use --client native, or values of at most 256m.',
    );
  }
  if (wait > 0 && waitaof) throw badOptions('--wait and --waitaof exclude each other.', 'Leave out one of the two.');
}

/**
 * @param {string} message
 * @param {string} remedy
 */
function badOptions(message, remedy) {
  return new UserError(message, remedy, ExitStatus.badInput);
}

/**
 * @param {string} file
 * @param {LoadDocument['round']} round
 */
async function writeDistribution(file, round) {
  try {
    await writeFile(file, percentileDistribution({ rounds: [round] }), { flag: WITHOUT_WAITING });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new UserError(
      `The percentile distribution cannot be written to ${file} (${code}).`,
      'Name another file with --hdr.',
    );
  }
}
