/** `sentinel-bench run`: measures, writes the results and the report. */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { ResultSchema, suites, suiteTerms } from '../../bench/index.js';
import { ExitStatus } from '../errors.js';
import { clientNames } from '../registry/clients.js';
import { shortAnswer } from '../report/terminal.js';
import { checkWritable, createRunFolder, orDefect, removeIfEmpty, saveResult, writeReport } from '../report/write.js';
import { RESULT_FILE } from '../result/read.js';
import { PROFILES } from '../run/profiles.js';
import { runSuite } from '../run/suite.js';
import { PLACEMENTS } from '../stacks/network/placement.js';
import { checkStateFolder } from '../stacks/records/records.js';
import { findServers } from '../stacks/redis/local/server.js';
import { typedOptions } from './applicable.js';
import { publicCommand } from './declare.js';
import { natsOptions } from './nats-options.js';
import { print, printJson, tell, withProgress } from './output.js';
import * as reading from './run-options.js';
import { requestOf } from './run-request.js';
import { addOptionGroup } from './suite-options.js';

/**
 * @import { Result } from '../result/schema.js' @import { StackOptions } from '../stacks/types.js' @import { Commands } from './declare.js'
 * @import { Command } from 'commander'
 */

const groups = suites.flatMap(({ options }) => options ?? []);

/** @type {Commands} */
export const commands = {
  run: {
    run,
    readings: {
      suite: { choices: suites.map(({ name }) => name), byDefault: 'main' },
      profile: { choices: Object.keys(PROFILES), byDefault: 'quick' },
      client: { choices: clientNames },
      set: { parse: reading.collectSettings },
      trials: { parse: reading.parseTrials },
      linkLatency: { parse: reading.parseLatency },
      placement: { choices: PLACEMENTS },
      downAfter: { parse: reading.parseDownAfter },
      lanes: { parse: reading.parseLanes, byDefault: reading.DEFAULT_LANES },
      act: { parse: reading.collectCommands },
      allow: { parse: reading.collectAllowed },
    },
    values: {
      suiteExamples: groups
        .flatMap(({ examples = [] }) => examples.map((example) => `sentinel-bench run ${example}`))
        .join('\n  '),
    },
    extend(command) {
      for (const group of groups) addOptionGroup(command, group);
    },
  },
};

/** @param {string[]} names of benchmarks @param {Record<string, any>} options @param {Command} command */
async function run(names, options, command) {
  const { servers: named, agents, ...request } = requestOf(names, options, typedOptions(command));
  const servers = await lookAtServers(named);
  checkStateFolder();
  await checkWritable(options.out);
  const { suite } = request;
  /** @type {Promise<string> | undefined} */
  let folder;
  await withProgress(async (progress, signal) => {
    const { result, logs, stopped } = await runSuite({
      ...request,
      ...(agents && { agents: { nats: natsOptions(options, 'sentinel-bench run'), wanted: agents } }),
      folder() {
        folder ??= createRunFolder({ startedAt: new Date().toISOString(), suite }, options.out);
        return folder;
      },
      seed: options.seed ?? randomInt(2 ** 32),
      command: publicCommand(command),
      stack: { ...request.stack, ...(servers && { servers }) },
      progress,
      signal,
    });
    // Results are saved before anything that may fail.
    const saved = await saveResult(result, {
      schema: ResultSchema,
      out: options.out,
      folder: await folder?.catch(() => undefined),
    });
    const asDocument = options.json || saved.folder === null;
    if (asDocument) printJson(result);
    if (saved.valid) await show(result, { ...saved, logs, print: asDocument ? tell : print, brief: !options.json });
    if (saved.problem && (stopped || signal.aborted)) tell(`${saved.problem.message}\n${saved.problem.remedy}`);
    if (stopped) throw stopped;
    signal.throwIfAborted();
    if (saved.problem) throw saved.problem;
    process.exitCode = exitStatus(result, names.length > 0);
  }).finally(() => folder?.then(removeIfEmpty, () => {}));
}

/**
 * @param {ReturnType<typeof requestOf>['servers']} named @returns {Promise<StackOptions['servers']>} undefined: at most one was named
 * @throws {UserError} one cannot be used
 */
async function lookAtServers(named) {
  if (!named) return undefined;
  const { option, values } = named;
  if (option === '--server') return findServers(values);
  // The client of the Docker engine takes long to load.
  const { lookAtImage } = await import('../stacks/redis/docker/image.js');
  return findServers(values, { look: lookAtImage, option });
}

/**
 * @param {Result} result
 * @param {boolean} named the user named the benchmarks, so each has to be measured. A suite may hold some that the backend cannot do
 */
function exitStatus({ benchmarks }, named) {
  const failed = benchmarks.some(({ status, checks }) => status === 'failed' || checks.some(({ ok }) => !ok));
  const skipped = benchmarks.filter(({ status }) => status === 'skipped').length;
  const missed = skipped > 0 && (named || skipped === benchmarks.length);
  return failed || missed ? ExitStatus.checkFailed : ExitStatus.ok;
}

/**
 * @param {Result} result
 * @param {{folder: string | null, logs: ReadonlyMap<string, readonly string[]>, print: (text: string) => void, brief: boolean}} options
 *   folder: of the run; null: it could not be made. brief: print the short answer, too
 */
async function show(result, { folder, logs, print, brief }) {
  const file = folder === null ? 'standard output' : path.join(folder, RESULT_FILE);
  if (brief) print(orDefect(file, () => shortAnswer(result, suites, { columns: process.stdout.columns || undefined })));
  if (folder === null) return;
  const inTheWay = await writeReport(result, suites, { folder, terms: suiteTerms, logs });
  if (inTheWay !== null)
    print(`${inTheWay} is not a link, so it does not lead to this run. Move it away for the next one.`);
  const relative = path.relative('', folder);
  const shown = relative.startsWith('..') ? path.resolve(folder) : relative;
  const paths = [`Report: ${path.join(shown, 'report.html')}`, `        ${path.join(shown, 'report.md')}`];
  print([...(brief ? [''] : []), ...paths].join('\n'));
}
