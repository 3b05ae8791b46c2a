#!/usr/bin/env node
/**
 * The command line: parse, validate, dispatch, exit status.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import chalk, { chalkStderr } from 'chalk';
import { Command, CommanderError, Option } from 'commander';
import { allBenchmarks, selectBenchmarks, suites } from '../../bench/index.js';
import { clientNames } from '../clients/index.js';
import { ExitStatus, ownFault, UserError } from '../errors.js';
import { toolVersion } from '../measure/version.js';
import { shortAnswer } from '../report/terminal.js';
import { checkWritable, createRunFolder, orDefect, renderReport, saveResult, writeReport } from '../report/write.js';
import { RESULT_FILE, readResult } from '../result/read.js';
import { abortable } from '../run/interruption.js';
import { PROFILES, profileFor } from '../run/profiles.js';
import { createProgress } from '../run/progress.js';
import { recover } from '../run/recover.js';
import { runSuite } from '../run/suite.js';
import { examine } from '../stacks/doctor.js';
import { cleanLine } from '../untrusted.js';
import { addAuditCommand } from './audit.js';
import { addCompareCommand } from './compare.js';
import { addExportCommand } from './export.js';
import { addHistoryCommand } from './history.js';
import { addLinkCommand } from './link.js';
import { addLoadCommand } from './load.js';
import {
  addClusterOptions,
  clusterOptions,
  collectSettings,
  credentials,
  parseSeed,
  parseSlo,
  publicCommand,
} from './options.js';
import { print, printJson, tell } from './output.js';
import { addRecommendCommand } from './recommend.js';
import { addStackCommands } from './stack.js';
import { checkHeeded, collectDataDirs, DEFAULT_SLOW_VOLUME_MS, parsePreloadKeys, parseSlowVolume } from './storage.js';
import {
  collectCommands,
  commandsFor,
  DEFAULT_LANES,
  parseDownAfter,
  parseLanes,
  parseLatency,
  trialParams,
} from './trials.js';

/** @import { Result } from '../result/schema.js' */

const DEFAULT_OUT = 'results';

const program = new Command('sentinel-bench')
  .description('What Redis durability settings cost, and what they save: evidence from your own machine.')
  .version(toolVersion)
  .showHelpAfterError('Add --help to see what is possible.')
  .configureOutput({
    writeOut: (text) => print(text.replace(/\n$/, '')),
    writeErr: (text) => tell(text.replace(/\n$/, '')),
  })
  .exitOverride();

addClusterOptions(
  program
    .command('run')
    .summary('measure, and write a report')
    .description(
      'Measures a suite, or the benchmarks named, and writes result.json, report.md with pictures, report.html and histograms.',
    )
    .argument('[benchmark...]', 'benchmarks to run; see `sentinel-bench list`')
    .addOption(
      new Option('--suite <name>', 'the suite to run when no benchmark is named')
        .choices(suites.map(({ name }) => name))
        .default('main'),
    )
    .addOption(new Option('--profile <name>', 'how much to measure').choices(Object.keys(PROFILES)).default('quick'))
    .addOption(new Option('--client <name>', 'measure with this client only').choices(clientNames))
    .option('--slo <limit>', 'latency-curve: search for the highest rate that keeps to it, such as p99<2ms', parseSlo)
    .option('--out <folder>', 'where the folder of this run is made', DEFAULT_OUT)
    .option('--seed <number>', 'draw the same order and keys as an earlier run', parseSeed)
    .option('--link-latency <time>', 'failure: what a round trip between nodes takes longer, such as 1ms', parseLatency)
    .option(
      '--down-after <time>',
      'failure: how long the Sentinels wait for an answer (down-after-milliseconds)',
      parseDownAfter,
    )
    .option('--lanes <number>', 'failure: trials side by side, each on a stack of its own', parseLanes, DEFAULT_LANES)
    .option(
      '--act <action=command>',
      'external: the shell command that does it to the node $SENTINEL_BENCH_ID at $SENTINEL_BENCH_HOST, $SENTINEL_BENCH_PORT',
      collectCommands,
    )
    .option(
      '--set <name=value>',
      'set on every Redis node for the whole run, and put back; repeat it for more',
      collectSettings,
    )
    .option('--data-dir <label=path>', 'persistence: compare this storage, too; repeat it for more', collectDataDirs)
    .option(
      '--slow-volume <time>',
      'persistence: emulate storage that takes this long for each write; 0: do not',
      parseSlowVolume,
      DEFAULT_SLOW_VOLUME_MS,
    )
    .option('--preload-keys <number>', 'persistence: keys of the loaded data set', parsePreloadKeys)
    .option('--json', 'print the result document to standard output, and nothing else'),
)
  .addHelpText(
    'after',
    `
Examples:
  sentinel-bench run                           the main suite in about a minute and a half
  sentinel-bench run pipeline --profile full   one benchmark, measured for long
  sentinel-bench run --backend docker          on the containers of docker-compose.yml
  sentinel-bench run --sentinel 10.0.0.5:26379 on a deployment that exists
  sentinel-bench run --suite failure           kill, pause and cut nodes, and look for every acknowledged write
  sentinel-bench run primary-killed --link-latency 5ms
  sentinel-bench run --suite config-sweep      cost and loss of each configuration, and what to choose
  sentinel-bench run --suite persistence --data-dir network=/mnt/volume
  sentinel-bench run --set repl-backlog-size=64mb --set hz=50
  sentinel-bench run primary-paused --sentinel 10.0.0.5:26379 \\
    --act 'pause=ssh -- "$SENTINEL_BENCH_HOST" pkill -STOP redis-server' \\
    --act 'resume=ssh -- "$SENTINEL_BENCH_HOST" pkill -CONT redis-server'`,
  )
  .action(run);

addLoadCommand(program.command('load'));
addStackCommands(program);
program.command('list').description('list the benchmarks and the question each answers').action(list);
program
  .command('report')
  .description('make report.md, its pictures and report.html again from result.json')
  .argument('<folder>', 'a run’s folder, or its result.json')
  .action(report);
addCompareCommand(program.command('compare'));
addHistoryCommand(program.command('history'));
addRecommendCommand(program.command('recommend'));
addExportCommand(program.command('export'));
addLinkCommand(program.command('link'));
addAuditCommand(program.command('audit'));
program
  .command('doctor')
  .description('tell what this machine can run a stack with, and what stands in the way')
  .action(doctor);
program
  .command('recover')
  .description('put back what a run that was killed left behind')
  .option('--tls-cert <file>', 'certificate to show to a deployment that exists')
  .option('--tls-key <file>', 'its key')
  .action(async (options) => {
    await recover({ tell, credentials: credentials(options) });
    tell('Nothing of a dead run is left.');
  });

/**
 * @param {string[]} names
 * @param {Record<string, any>} options
 */
async function run(names, options) {
  const benchmarks = selectBenchmarks(names, options.suite, options.profile);
  checkHeeded(options, benchmarks);
  const cluster = clusterOptions(options);
  Object.assign(cluster, { commands: commandsFor(options, cluster.backend), settings: options.set });
  await checkWritable(options.out);
  const progress = createProgress();
  const suite = names.length === 0 ? options.suite : names.join('+');
  /** @type {Promise<string> | undefined} */
  let folder;
  await abortable(async (signal) => {
    const { result, logs, stopped } = await runSuite({
      suite,
      lanes: options.lanes,
      trialParams: trialParams(options),
      storage: { dataDirs: options.dataDir, slowVolumeMs: options.slowVolume },
      preloadKeys: options.preloadKeys,
      folder() {
        folder ??= createRunFolder({ startedAt: new Date().toISOString(), suite }, options.out);
        return folder;
      },
      benchmarks,
      profile: profileFor(PROFILES[/** @type {keyof typeof PROFILES} */ (options.profile)], benchmarks),
      client: options.client,
      slo: options.slo,
      seed: options.seed ?? randomInt(2 ** 32),
      command: publicCommand(process.argv.slice(2)),
      cluster,
      progress,
      signal,
    });
    // Nothing that may fail comes before it.
    const saved = await saveResult(result, {
      out: options.out,
      folder: await folder?.catch(() => undefined),
      instead: otherPlaces(options.out),
    });
    const asDocument = options.json || saved.folder === null;
    if (asDocument) printJson(result);
    if (saved.valid) await show(result, { ...saved, logs, print: asDocument ? tell : print, brief: !options.json });
    if (saved.problem && (stopped || signal.aborted)) tell(`${saved.problem.message}\n${saved.problem.remedy}`);
    if (stopped) throw stopped;
    signal.throwIfAborted();
    if (saved.problem) throw saved.problem;
    const failed = result.benchmarks.some(({ status, checks }) => status === 'failed' || checks.some(({ ok }) => !ok));
    // A suite may hold what this backend cannot do; whoever names a benchmark wants that one.
    const skipped = result.benchmarks.filter(({ status }) => status === 'skipped').length;
    const missed = skipped > 0 && (names.length > 0 || skipped === result.benchmarks.length);
    process.exitCode = failed || missed ? ExitStatus.checkFailed : ExitStatus.ok;
  }, progress.tell);
}

/**
 * @param {string} out that takes no results
 * @returns {(() => string)[]} where the run's folder is made instead
 */
function otherPlaces(out) {
  const own = path.resolve(out) === path.resolve(DEFAULT_OUT) ? [] : [() => DEFAULT_OUT];
  // A new folder that is nobody else's: others may write to the one for temporary files.
  return [...own, () => mkdtempSync(path.join(tmpdir(), 'results-of-sentinel-bench-'))];
}

/**
 * @param {Result} result
 * @param {Object} options
 * @param {string | null} options.folder of the run; null: there is none
 * @param {ReadonlyMap<string, readonly string[]>} options.logs
 * @param {(text: string) => void} options.print
 * @param {boolean} options.brief print the short answer, too
 */
async function show(result, { folder, logs, print, brief }) {
  const file = folder === null ? 'standard output' : path.join(folder, RESULT_FILE);
  if (brief) print(orDefect(file, () => shortAnswer(result, suites, { columns: process.stdout.columns || undefined })));
  if (folder === null) return;
  await writeReport(result, suites, { folder, logs });
  print(`${brief ? '\n' : ''}${reportPaths(folder)}`);
}

/** @param {string} folder of a run */
function reportPaths(folder) {
  const relative = path.relative('', folder);
  const shown = relative.startsWith('..') ? path.resolve(folder) : relative;
  return `Report: ${path.join(shown, 'report.html')}\n        ${path.join(shown, 'report.md')}`;
}

function list() {
  const longest = Math.max(...[...allBenchmarks.keys()].map((name) => name.length));
  for (const { name: suite, benchmarks } of suites) {
    print(chalk.bold(suite));
    for (const { name, question } of benchmarks) print(`  ${name.padEnd(longest)} ${question}`);
  }
}

async function doctor() {
  const { symptoms, canRun } = await examine();
  const marks = { ok: chalk.green('ok     '), note: chalk.yellow('note   '), missing: chalk.red('missing') };
  for (const { state, text } of symptoms) print(`${marks[state]}  ${cleanLine(text)}`);
  if (!canRun)
    throw new UserError(
      'No stack can be started here.',
      'Mend what is missing above; one of local and docker is enough.',
    );
}

/** @param {string} folder */
async function report(folder) {
  const result = await readResult(folder);
  print(await renderReport(result, suites, folder));
}

// Where nothing else sees to it; Node itself would print the error's fields, among them the arguments of a login.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return;
  fail(error);
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  fail(error);
}

/** @param {unknown} error is told, and decides the exit status */
function fail(error) {
  if (error instanceof CommanderError) {
    // Commander has said it already; what it calls an error is a bad argument.
    process.exitCode = error.exitCode === 0 ? ExitStatus.ok : ExitStatus.badInput;
  } else if (error instanceof UserError) {
    tell(`${chalkStderr.red('error:')} ${error.message}\n${error.remedy}`);
    if (error.detail) tell(`\n${error.detail}`);
    process.exitCode = error.exitStatus;
  } else if (ownFault(error)) {
    fail(new UserError(`It cannot go on: ${ownFault(error)?.what}.`, String(ownFault(error)?.remedy)));
  } else {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = ExitStatus.checkFailed;
  }
}
