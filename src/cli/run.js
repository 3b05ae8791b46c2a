/** `sentinel-bench run`: measures, writes the results and the report. */
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { Option } from 'commander';
import { ResultSchema, suites, suiteTerms } from '../../bench/index.js';
import { ExitStatus } from '../errors.js';
import { clientNames } from '../registry/clients.js';
import { shortAnswer } from '../report/terminal.js';
import { checkWritable, createRunFolder, orDefect, removeIfEmpty, saveResult, writeReport } from '../report/write.js';
import { RESULT_FILE } from '../result/read.js';
import { abortable } from '../run/interruption.js';
import { PROFILES } from '../run/profiles.js';
import { createProgress } from '../run/progress.js';
import { runSuite } from '../run/suite.js';
import { PLACEMENTS } from '../stacks/network/hosts.js';
import { checkStateFolder } from '../stacks/records.js';
import { findServers } from '../stacks/redis/local/server.js';
import { typedOptions } from './applicable.js';
import { addNatsOptions, natsOptions } from './nats-options.js';
import { addStartOptions, keyPrefixOption, parseSeed, publicCommand } from './options.js';
import { print, printJson, tell } from './output.js';
import {
  collectAllowed,
  collectCommands,
  collectSettings,
  DEFAULT_LANES,
  parseDownAfter,
  parseLanes,
  parseLatency,
  parseTrials,
} from './run-options.js';
import { requestOf } from './run-request.js';
import { addOptionGroup, ownOptions } from './suite-options.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { StackOptions } from '../stacks/types.js'
 * @import { Command } from 'commander'
 */

const DEFAULT_OUT = 'results';

/** @param {Command} program gets the command */
export function addRunCommand(program) {
  const command = program
    .command('run')
    .summary('measure, and write a report')
    .description(
      'Measures a suite, or the named benchmarks. Writes result.json, report.md with charts, report.html and histograms. ' +
        'An option that none of the chosen benchmarks uses is an error.',
    )
    .argument('[benchmark...]', 'benchmarks to run; see `sentinel-bench list`')
    .optionsGroup('What to measure:')
    .addOption(
      new Option('--suite <name>', 'suite to run if no benchmark is named')
        .choices(suites.map(({ name }) => name))
        .default('main'),
    )
    .addOption(
      new Option('--profile <name>', 'number and length of rounds').choices(Object.keys(PROFILES)).default('quick'),
    )
    .addOption(new Option('--client <name>', 'measure with this client only').choices(clientNames))
    .option(
      '--set <name=value>',
      'set this on every Redis node during the run, and restore it afterwards; repeatable',
      collectSettings,
    )
    .option('--seed <number>', 'seed of an earlier run: the same order and keys', parseSeed)
    .option(
      '--agents <name...>',
      'agents that send the load of rounds and run the writers of trials, or all; see docs/machines.md',
    )
    .optionsGroup('Results:')
    .option('--out <folder>', 'folder in which the run makes its own folder', DEFAULT_OUT)
    .option('--json', 'print the result document to standard output, and nothing else');
  addStartOptions(command, { several: true })
    .optionsGroup('Benchmarks of failures:')
    .option('--trials <number>', 'trials a case; default: by profile', parseTrials)
    .option('--link-latency <time>', 'added to a round trip between nodes, such as 1ms', parseLatency)
    .addOption(
      new Option('--placement <name>', 'which Sentinels share a host with which node, for faults of hosts').choices(
        PLACEMENTS,
      ),
    )
    .option('--down-after <time>', 'down-after-milliseconds of the Sentinels, such as 1s', parseDownAfter)
    .option('--lanes <number>', 'trials side by side, each on a stack of its own', parseLanes, DEFAULT_LANES)
    .option(
      '--act <action=command>',
      'existing deployment: shell command that does ACTION to the node $SENTINEL_BENCH_ID at $SENTINEL_BENCH_HOST, $SENTINEL_BENCH_PORT; repeatable',
      collectCommands,
    )
    .addOption(keyPrefixOption())
    .option(
      '--allow <what>',
      'existing deployment: allow the run to do this to it; failover: ask a Sentinel to promote a replica. The new roles stay',
      collectAllowed,
    );
  for (const { options: group } of suites) if (group) addOptionGroup(command, group);
  addNatsOptions(command);
  command
    .addHelpText(
      'after',
      `
Examples:
  sentinel-bench run                           the main suite, about two minutes
  sentinel-bench run pipeline --profile full   one benchmark, for longer
  sentinel-bench run --backend docker          on the containers of docker-compose.yml
  sentinel-bench run --sentinel 10.0.0.5:26379 on an existing deployment
  sentinel-bench run --suite failure           kill, pause and partition nodes, then count lost writes
  sentinel-bench run primary-killed --link-latency 5ms
  sentinel-bench run primary-partition --trials 30 --down-after 1s
  sentinel-bench run partition-with-replica --replicas 4 --sentinels 5 --placement colocated
  sentinel-bench run --suite config-sweep      cost and losses of each durability mode
${suites.flatMap(({ options: group }) => (group?.examples ?? []).map((example) => `  sentinel-bench run ${example}\n`)).join('')}  sentinel-bench run --set repl-backlog-size=64mb --set hz=50
  sentinel-bench run primary-paused --sentinel 10.0.0.5:26379 \\
    --act 'pause=ssh -- "$SENTINEL_BENCH_HOST" pkill -STOP redis-server' \\
    --act 'resume=ssh -- "$SENTINEL_BENCH_HOST" pkill -CONT redis-server'`,
    )
    .action((names, options) => run(names, options, typedOptions(command)));
}

/**
 * @param {string[]} names of benchmarks
 * @param {Record<string, any>} options
 * @param {readonly string[]} typed attribute names of the options that the user typed
 */
async function run(names, options, typed) {
  const { servers: named, agents, ...request } = requestOf(names, options, typed);
  const servers = await lookAtServers(named);
  checkStateFolder();
  await checkWritable(options.out);
  const progress = createProgress();
  const { suite } = request;
  /** @type {Promise<string> | undefined} */
  let folder;
  await abortable(async (signal) => {
    const { result, logs, stopped } = await runSuite({
      ...request,
      ...(agents && { agents: { nats: natsOptions(options, 'sentinel-bench run'), wanted: agents } }),
      folder() {
        folder ??= createRunFolder({ startedAt: new Date().toISOString(), suite }, options.out);
        return folder;
      },
      seed: options.seed ?? randomInt(2 ** 32),
      command: publicCommand(
        process.argv.slice(2),
        ownOptions.flatMap(({ isPrivate, flag }) => (isPrivate ? flag : [])),
      ),
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
  }, progress.tell).finally(() => folder?.then(removeIfEmpty, () => {}));
}

/**
 * @param {ReturnType<typeof requestOf>['servers']} named
 * @returns {Promise<StackOptions['servers']>} undefined: at most one was named
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
 * @param {boolean} named the user named the benchmarks. Then each of them has to be measured. A suite may hold benchmarks that the
 *   backend cannot do
 */
function exitStatus({ benchmarks }, named) {
  const failed = benchmarks.some(({ status, checks }) => status === 'failed' || checks.some(({ ok }) => !ok));
  const skipped = benchmarks.filter(({ status }) => status === 'skipped').length;
  const missed = skipped > 0 && (named || skipped === benchmarks.length);
  return failed || missed ? ExitStatus.checkFailed : ExitStatus.ok;
}

/**
 * @param {Result} result
 * @param {Object} options
 * @param {string | null} options.folder of the run; null: it could not be made
 * @param {ReadonlyMap<string, readonly string[]>} options.logs
 * @param {(text: string) => void} options.print
 * @param {boolean} options.brief print the short answer, too
 */
async function show(result, { folder, logs, print, brief }) {
  const file = folder === null ? 'standard output' : path.join(folder, RESULT_FILE);
  if (brief) print(orDefect(file, () => shortAnswer(result, suites, { columns: process.stdout.columns || undefined })));
  if (folder === null) return;
  const inTheWay = await writeReport(result, suites, {
    folder,
    terms: suiteTerms,
    logs,
  });
  if (inTheWay !== null)
    print(`${inTheWay} is not a link, so it does not lead to this run. Move it away for the next one.`);
  print(`${brief ? '\n' : ''}${reportPaths(folder)}`);
}

/** @param {string} folder of a run */
function reportPaths(folder) {
  const relative = path.relative('', folder);
  const shown = relative.startsWith('..') ? path.resolve(folder) : relative;
  return `Report: ${path.join(shown, 'report.html')}\n        ${path.join(shown, 'report.md')}`;
}
