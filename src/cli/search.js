/**
 * `sentinel-bench search`: tries random schedules of faults against a durability mode, and shortens those that lose acknowledged writes.
 */
import { randomInt } from 'node:crypto';
import path from 'node:path';
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
import { declare } from './declare.js';
import { parseSeed, publicCommand } from './options.js';
import { print, printJson } from './output.js';
import { DEFAULT_LANES, parseDownAfter } from './run-options.js';

/**
 * @import { Figures } from '../report/document.js'
 * @import { Placement } from '../stacks/network/hosts.js'
 * @import { OptionReading } from './declare.js'
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

/** @type {Readonly<Record<string, OptionReading>>} */
const READINGS = {
  mode: { choices: search.modes, isMandatory: true },
  workload: { parse: parseWorkloads },
  minutes: { parse: countBetween({ least: 1, most: 1440, shown: '1 and 1,440' }), byDefault: 10 },
  schedules: { parse: countBetween({ least: 1, most: 1e6, shown: '1 and 1m' }) },
  faultyNodes: { parse: countBetween({ least: 1, most: 2, shown: '1 and 2' }), byDefault: 2 },
  placement: { choices: PLACEMENTS, byDefault: 'colocated' },
  steps: { parse: parseKinds },
  downAfter: { parse: parseDownAfter, byDefault: 1000 },
  lanes: { parse: countBetween({ least: 1, most: MOST_LANES, shown: `1 and ${MOST_LANES}` }) },
  seed: { parse: parseSeed },
  tries: { parse: countBetween({ least: 1, most: 10_000, shown: '1 and 10,000' }), byDefault: 5 },
  out: { byDefault: 'results' },
};

/** @param {Command} program gets the command */
export function addSearchCommand(program) {
  declare(program, 'search', READINGS, {
    workloads: search.workloads.join(', '),
    steps: search.stepKinds.join(', '),
    usualSteps: search.usualSteps.join(', '),
  }).action(run);
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
