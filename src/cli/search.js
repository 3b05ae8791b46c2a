/**
 * `sentinel-bench search`: tries random schedules of faults against a durability mode, and shortens those that lose acknowledged writes.
 */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { Option } from 'commander';
import { search } from '../../bench/index.js';
import { badInput, ExitStatus, UserError } from '../errors.js';
import { writeWhole } from '../files.js';
import { toolCommit, toolVersion } from '../measure/environment.js';
import { countBetween } from '../quantities.js';
import { makeDocument } from '../report/document.js';
import { checkWritable, createRunFolder, readableJson, removeIfEmpty, writeDocument } from '../report/write.js';
import { abortable } from '../run/interruption.js';
import { createProgress } from '../run/progress.js';
import { recover } from '../run/recover.js';
import { whyNoFirewall } from '../stacks/network/firewall.js';
import { PLACEMENTS } from '../stacks/network/hosts.js';
import { checkStateFolder } from '../stacks/records.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { whyNoVolatileDisk } from '../stacks/volatile-disk.js';
import { clockMs } from '../stats/clock.js';
import { parseSeed, publicCommand } from './options.js';
import { print, printJson } from './output.js';
import { DEFAULT_LANES, parseDownAfter } from './run-options.js';

/**
 * @import { Figures } from '../report/document.js'
 * @import { Placement } from '../stacks/network/hosts.js'
 * @import { Command } from 'commander'
 */

/**
 * @typedef {Object} SearchCommandOptions
 * @property {Parameters<typeof search.run>[0]['mode']} mode
 * @property {string} [workload]
 * @property {number} minutes
 * @property {number} [schedules]
 * @property {1 | 2} faultyNodes
 * @property {Placement} placement
 * @property {number} downAfter milliseconds
 * @property {number} [lanes]
 * @property {boolean} [first]
 * @property {Parameters<typeof search.run>[0]['steps']} [steps]
 * @property {number} [seed]
 * @property {string} [replay]
 * @property {number} tries of a replayed schedule
 * @property {string} [server]
 * @property {string} out
 * @property {boolean} [json]
 */

const MOST_LANES = 32;
/** Schedules mostly wait, so three times as many fit as trials with a high load. */
const SEARCH_LANES = Math.min(MOST_LANES, 3 * DEFAULT_LANES);
const DEFAULT_MINUTES = 10;

/** @param {Command} program gets the command */
export function addSearchCommand(program) {
  program
    .command('search')
    .summary('look for faults in which a durability mode loses acknowledged writes')
    .description(
      'Tries random schedules of faults against one durability mode: each on a stack of its own, every write audited. It shortens each schedule ' +
        'that loses acknowledged writes to the fewest and shortest steps that still lose, and prints the command that shows it again. ' +
        'Needs root, because faults divide the network of a stack.',
    )
    .addOption(new Option('--mode <name>', 'durability mode to attack').choices(search.modes).makeOptionMandatory())
    .option(
      '--workload <names>',
      `break the invariants of these workloads, instead of losing writes, with commas between them: ${search.workloads.join(', ')}`,
      parseWorkloads,
    )
    .option(
      '--minutes <number>',
      'for all, shortening included',
      countBetween({ least: 1, most: 1440, shown: '1 and 1,440' }),
      DEFAULT_MINUTES,
    )
    .option(
      '--schedules <number>',
      'stop after so many schedules',
      countBetween({ least: 1, most: 1e6, shown: '1 and 1m' }),
    )
    .option('--first', 'stop at the first loss, then shorten it')
    .option(
      '--faulty-nodes <number>',
      'hosts that one schedule may harm, 1 or 2',
      countBetween({ least: 1, most: 2, shown: '1 and 2' }),
      2,
    )
    .addOption(
      new Option(
        '--placement <name>',
        'of the Sentinels: colocated (one beside each node) or apart (two beside the last replica)',
      )
        .choices(PLACEMENTS)
        .default('colocated'),
    )
    .option(
      '--steps <kinds>',
      `steps to try, with commas between them: ${search.stepKinds.join(', ')}, or all; default: ${search.usualSteps.join(', ')}`,
      parseKinds,
    )
    .option('--down-after <time>', 'down-after-milliseconds of the Sentinels, such as 2s', parseDownAfter, 1000)
    .option(
      '--lanes <number>',
      'schedules side by side; default: as many as suit this machine',
      countBetween({ least: 1, most: MOST_LANES, shown: `1 and ${MOST_LANES}` }),
    )
    .option('--seed <number>', 'seed of an earlier search: the same schedules', parseSeed)
    .option(
      '--replay <schedule>',
      'try this schedule only, such as freeze:primary@0+2.1, or an experiment such as partition-with-replica',
    )
    .option(
      '--tries <number>',
      'with --replay: how often',
      countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' }),
      5,
    )
    .option('--server <program>', 'the Redis or Valkey server to run, a name or a path')
    .option('--out <folder>', 'folder in which the search makes its own folder', 'results')
    .option('--json', 'print the search document to standard output, and nothing else')
    .addHelpText(
      'after',
      `
Exit status: 0 no schedule lost acknowledged writes; 1 one did.

Examples:
  sentinel-bench search --mode wait1-min1-aof --minutes 10 --placement apart
  sentinel-bench search --mode wait2-aof --minutes 60
  sentinel-bench search --mode min1 --workload lock --first
  sentinel-bench search --mode wait2-min2-aof-always --workload lock,counter,queue --minutes 30
  sentinel-bench search --mode wait1 --replay 'partition:primary+replica-1@0+6' --placement apart --tries 10`,
    )
    .action(run);
}

/** @param {string} text @returns {string} names with commas between them, each once */
function parseWorkloads(text) {
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const wrong = names.find((name) => !search.workloads.includes(name));
  if (wrong === undefined) return names.join(',');
  throw badInput(`There is no workload called ${wrong}.`, `Choose from: ${search.workloads.join(', ')}.`);
}

/** @param {string} text */
function parseKinds(text) {
  if (text.trim() === 'all') return [...search.stepKinds];
  const kinds = text.split(',').map((kind) => kind.trim());
  const wrong = kinds.find((kind) => !search.stepKinds.some((each) => each === kind));
  if (wrong === undefined) return kinds;
  throw badInput(`There is no step called ${wrong}.`, `Choose from: ${search.stepKinds.join(', ')}.`);
}

/**
 * @param {SearchCommandOptions} options
 * @param {boolean} disks schedules need disks of their own
 * @returns the server that they are tried on
 * @throws {UserError} this machine cannot try the schedules
 */
async function checkPossible({ server: name, mode }, disks) {
  const why = await whyNoFirewall();
  if (why !== null)
    throw new UserError(`Schedules cannot be tried here: ${why}`, 'Run it as root, with nftables installed.');
  const noDisk = disks ? await whyNoVolatileDisk() : null;
  if (noDisk !== null) throw new UserError(noDisk, 'Choose other steps with --steps.');
  const server = await findServer(name);
  if (!server) throw new UserError('There is no Redis or Valkey server on this machine.', `${INSTALL_SERVER}.`);
  if (!search.isPossible(mode, server)) {
    throw new UserError(
      `${server.name} ${server.version} has no WAITAOF, which the mode ${mode} needs.`,
      'Name a server that has it with --server: Redis 7.2 or later, or Valkey.',
    );
  }
  return server;
}

/** @param {SearchCommandOptions} options */
async function run(options) {
  const replay = options.replay === undefined ? null : search.parseSchedule(options.replay);
  const isKnown = replay?.every(({ hosts }) => hosts.every((host) => host < HOSTS)) ?? true;
  if (!isKnown)
    throw badInput(
      'The schedule names a host that does not exist.',
      'A stack has the hosts primary, replica-1 and replica-2.',
    );
  const disks = search.needDisk(replay?.map(({ kind }) => kind) ?? options.steps ?? []);
  const server = await checkPossible(options, disks);
  checkStateFolder();
  await checkWritable(options.out);
  const progress = createProgress();
  let folder = '';
  await abortable(async (signal) => {
    await recover({ tell: progress.tell });
    const startedAt = new Date().toISOString();
    folder = await createRunFolder({ startedAt, suite: 'search' }, options.out);
    const outcome = await search.run({
      ...options,
      server,
      lanes: options.lanes ?? SEARCH_LANES,
      downAfterMs: options.downAfter,
      faultyHosts: options.faultyNodes,
      hosts: HOSTS,
      seed: options.seed ?? randomInt(2 ** 32),
      replay,
      folder,
      progress,
      signal,
      now: () => clockMs() / 1000,
    });
    progress.stop();
    const document = {
      schema: search.schemaId,
      startedAt,
      command: publicCommand(process.argv.slice(2)),
      tool: { version: toolVersion, commit: await toolCommit() },
      ...outcome,
    };
    const title = `Search for losses: ${search.titleOf(document)}`;
    const render = (/** @type {Figures} */ figures) => `${search.page(document, figures)}\n`;
    await writeWhole(path.join(folder, 'search.json'), `${readableJson(document)}\n`);
    await writeDocument(folder, 'report', makeDocument(title, render));
    if (options.json) printJson(document);
    else print([search.answer(document), ...search.replays(document), '', path.join(folder, 'report.md')].join('\n'));
    process.exitCode = document.losing.length > 0 ? ExitStatus.checkFailed : ExitStatus.ok;
    signal.throwIfAborted();
  }, progress.tell).finally(() => folder !== '' && removeIfEmpty(folder));
}

const HOSTS = 3;
