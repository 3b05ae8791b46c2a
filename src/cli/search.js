/** `sentinel-bench search`: tries random schedules of faults against a durability mode, and shortens those that lose writes. */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { search } from '../../bench/index.js';
import { ExitStatus } from '../errors.js';
import { writeWhole } from '../files.js';
import { toolCommit, toolVersion } from '../measure/environment.js';
import { makeDocument } from '../report/document.js';
import { checkWritable, createRunFolder, readableJson, removeIfEmpty, writeDocument } from '../report/write.js';
import { recover } from '../run/recover.js';
import { whyNoFirewall } from '../stacks/network/firewall.js';
import { PLACEMENTS } from '../stacks/network/placement.js';
import { checkStateFolder } from '../stacks/records/records.js';
import { findServer, INSTALL_SERVER } from '../stacks/redis/local/server.js';
import { whyNoVolatileDisk } from '../stacks/volumes/volatile-disk.js';
import { clockMs } from '../stats/clock.js';
import { publicCommand } from './declare.js';
import { print, printJson, withProgress } from './output.js';
import { refusal } from './refusals.js';
import { DEFAULT_LANES, parseDownAfter } from './run-options.js';

/** @import { Figures } from '../report/document.js' @import { Readings } from './declare.js' @import { Command } from 'commander' */

const HOSTS = 3;
const MOST_LANES = 32;
/** Schedules mostly wait, so three times as many fit as trials with a high load. */
const SEARCH_LANES = Math.min(MOST_LANES, 3 * DEFAULT_LANES);

/** @type {Readings} */
const readings = {
  mode: { choices: search.modes, isMandatory: true },
  workload: { parse: (text) => [...new Set(namesAmong(search.workloads, 'workload', text))].join(',') },
  placement: { choices: PLACEMENTS, byDefault: 'colocated' },
  steps: {
    parse: (text) => (text.trim() === 'all' ? [...search.stepKinds] : namesAmong(search.stepKinds, 'step', text)),
  },
  downAfter: { parse: parseDownAfter, byDefault: 1000 },
  lanes: { count: `1 and ${MOST_LANES}` },
};

export const commands = {
  search: {
    run,
    readings,
    values: {
      workloads: search.workloads.join(', '),
      steps: search.stepKinds.join(', '),
      usualSteps: search.usualSteps.join(', '),
    },
  },
};

/** @param {readonly string[]} known @param {string} what they are @param {string} text names with commas between them */
function namesAmong(known, what, text) {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) throw refusal('no-choice', { what, name: wrong, known: known.join(', ') });
  return names;
}

/**
 * @param {Record<string, any>} options @param {boolean} disks schedules need disks of their own @returns the server that they are tried on
 * @throws {UserError} this machine cannot try the schedules
 */
async function checkPossible({ server: wanted, mode }, disks) {
  const noCuts = await whyNoFirewall();
  if (noCuts !== null) throw refusal('cuts-impossible', { why: noCuts });
  const noDisk = disks ? await whyNoVolatileDisk() : null;
  if (noDisk !== null) throw refusal('disks-impossible', { why: noDisk });
  const server = await findServer(wanted);
  if (!server) throw refusal('no-server', { install: INSTALL_SERVER });
  if (!search.isPossible(mode, server)) throw refusal('no-waitaof', { ...server, mode });
  return server;
}

/** @param {Record<string, any>} options @param {Command} command */
async function run(options, command) {
  const replay = options.replay === undefined ? null : search.parseSchedule(options.replay);
  const isKnown = replay?.every(({ hosts }) => hosts.every((host) => host < HOSTS)) ?? true;
  if (!isKnown) throw refusal('unknown-host');
  const disks = search.needDisk(replay?.map(({ kind }) => kind) ?? options.steps ?? []);
  const server = await checkPossible(options, disks);
  checkStateFolder();
  await checkWritable(options.out);
  let folder = '';
  await withProgress(async (progress, signal) => {
    await recover({ tell: progress.tell });
    const startedAt = new Date().toISOString();
    folder = await createRunFolder({ startedAt, suite: 'search' }, options.out);
    const outcome = await search.run({
      .../** @type {any} */ (options),
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
      command: publicCommand(command),
      tool: { version: toolVersion, commit: await toolCommit() },
      ...outcome,
    };
    const title = `Search for losses: ${search.titleOf(document)}`;
    const render = (/** @type {Figures} */ figures) => `${search.page(document, figures)}\n`;
    await writeWhole(path.join(folder, 'search.json'), `${readableJson(document)}\n`);
    await writeDocument(folder, 'report', makeDocument(title, render));
    if (options.json) printJson(document);
    else print([search.answer(document), ...search.replays(document), '', path.join(folder, 'report.md')].join('\n'));
    const isSafe = document.losing.length === 0 && document.tried > 0;
    process.exitCode = isSafe ? ExitStatus.ok : ExitStatus.checkFailed;
    signal.throwIfAborted();
  }).finally(() => folder !== '' && removeIfEmpty(folder));
}
