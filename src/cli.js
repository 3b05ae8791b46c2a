#!/usr/bin/env node
/**
 * The command line: parse, validate, dispatch, exit status.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import chalk, { chalkStderr } from 'chalk';
import { Command, CommanderError, Option } from 'commander';
import { allBenchmarks, SUITES, selectBenchmarks } from '../bench/index.js';
import { addAuditCommand } from './cli-audit.js';
import { addCompareCommand } from './cli-compare.js';
import { addLoadCommand } from './cli-load.js';
import { addClusterOptions, clusterOptions, credentials, parseSeed, parseSlo, publicCommand } from './cli-options.js';
import {
  collectCommands,
  commandsFor,
  DEFAULT_LANES,
  parseDownAfter,
  parseLanes,
  parseLatency,
  trialParams,
} from './cli-trials.js';
import { clientNames } from './client/index.js';
import { examine } from './cluster/doctor.js';
import { attachCluster, openCluster } from './cluster/index.js';
import { renderStatus } from './cluster/status.js';
import { ExitStatus, UserError } from './errors.js';
import { toolVersion } from './measure/version.js';
import { readResult } from './report/read.js';
import { shortAnswer } from './report/short-answer.js';
import { checkWritable, createRunFolder, renderReport, writeRun } from './report/write.js';
import { abortable } from './run/interruption.js';
import { PROFILES, profileFor } from './run/profiles.js';
import { createProgress } from './run/progress.js';
import { recover } from './run/recover.js';
import { runSuite } from './run/suite.js';

const STATUS_REFRESH_MS = 1000;
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

/** @param {string} text */
const print = (text) => void process.stdout.write(`${text}\n`);
/** @param {string} line */
const tell = (line) => void process.stderr.write(`${line}\n`);

// Whoever read what is printed may have seen enough, as `head` has: that is no error of ours.
let readerGone = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error;
    readerGone = true;
  });
}

const program = new Command('sentinel-bench')
  .description('What Redis durability settings cost, and what they save: evidence from your own machine.')
  .version(toolVersion)
  .showHelpAfterError('Add --help to see what is possible.')
  .exitOverride();

addClusterOptions(
  program
    .command('run')
    .summary('measure, and write a report')
    .description('Measures a suite, or the benchmarks named, and writes result.json, report.md and histograms.')
    .argument('[benchmark...]', 'benchmarks to run; see `sentinel-bench list`')
    .addOption(
      new Option('--suite <name>', 'the suite to run when no benchmark is named').choices(SUITES).default('main'),
    )
    .addOption(new Option('--profile <name>', 'how much to measure').choices(Object.keys(PROFILES)).default('quick'))
    .addOption(new Option('--client <name>', 'measure with this client only').choices(clientNames))
    .option('--slo <limit>', 'latency-curve: search for the highest rate that keeps to it, such as p99<2ms', parseSlo)
    .option('--out <folder>', 'where the folder of this run is made', 'results')
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
      'external: the shell command that does it to a node; {id}, {host} and {port} name it',
      collectCommands,
    )
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
  sentinel-bench run primary-paused --sentinel 10.0.0.5:26379 \\
    --act 'pause=ssh {host} pkill -STOP redis-server' --act 'resume=ssh {host} pkill -CONT redis-server'`,
  )
  .action(run);

addLoadCommand(program.command('load'));
addClusterOptions(program.command('up').description('start a stack and leave it running')).action(up);
addClusterOptions(program.command('down').description('take down what `up` started')).action(down);
addClusterOptions(program.command('status').description('show each node, and what each Sentinel believes'))
  .option('--watch', 'refresh it every second until Ctrl-C')
  .action(status);
program.command('list').description('list the benchmarks and the question each answers').action(list);
program
  .command('report')
  .description('make report.md again from result.json')
  .argument('<folder>', 'a run’s folder')
  .action(report);
addCompareCommand(program.command('compare'));
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
  const cluster = clusterOptions(options);
  cluster.commands = commandsFor(options, cluster.backend);
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
    // Printed first: a disk that is full by now must not keep it.
    print(options.json ? JSON.stringify(result, null, 2) : shortAnswer(result));
    const written = await writeRun(result, allBenchmarks, { out: options.out, folder: await folder, logs });
    if (!options.json) print(`\nReport: ${written}/report.md`);
    if (stopped) throw stopped;
    signal.throwIfAborted();
    const failed = result.benchmarks.some(({ status, checks }) => status === 'failed' || checks.some(({ ok }) => !ok));
    process.exitCode = failed ? ExitStatus.checkFailed : ExitStatus.ok;
  }, tell);
}

/** @param {Record<string, any>} options */
async function up(options) {
  const progress = createProgress();
  progress.now('starting the stack');
  const cluster = await abortable(
    (signal) => openCluster({ ...clusterOptions(options), detached: true, tell: progress.tell, signal }),
    tell,
  ).finally(progress.stop);
  print(renderStatus(await cluster.observe()));
  await cluster.close();
}

/** @param {Record<string, any>} options */
async function down(options) {
  const cluster = await attachCluster(clusterOptions(options));
  if (!cluster) {
    tell('No stack is up.');
    return;
  }
  await cluster.down();
  tell(`The ${cluster.backend} stack is down.`);
}

/** @param {Record<string, any>} options */
async function status(options) {
  const cluster = await attachCluster(clusterOptions(options));
  if (!cluster) throw new UserError('No stack is up.', 'Start one with `sentinel-bench up` (or ./s/start.sh).');
  try {
    if (!options.watch) {
      print(renderStatus(await cluster.observe()));
      return;
    }
    // Ctrl-C is how watching ends.
    await abortable(
      async (signal) => {
        while (!signal.aborted && !readerGone) {
          const text = renderStatus(await cluster.observe());
          print(process.stdout.isTTY ? `${CLEAR_SCREEN}${text}` : text);
          await delay(STATUS_REFRESH_MS, undefined, { signal }).catch(() => {});
        }
      },
      () => {},
    );
  } finally {
    await cluster.close();
  }
}

function list() {
  for (const suite of SUITES) {
    print(chalk.bold(suite));
    for (const { name, question, suite: own } of allBenchmarks.values()) {
      if (own === suite) print(`  ${name.padEnd(18)} ${question}`);
    }
  }
}

async function doctor() {
  const { symptoms, canRun } = await examine();
  const marks = { ok: chalk.green('ok     '), note: chalk.yellow('note   '), missing: chalk.red('missing') };
  for (const { state, text } of symptoms) print(`${marks[state]}  ${text}`);
  if (!canRun)
    throw new UserError(
      'No stack can be started here.',
      'Mend what is missing above; one of local and docker is enough.',
    );
}

/** @param {string} folder */
async function report(folder) {
  const result = await readResult(folder);
  print(await renderReport(result, allBenchmarks, folder));
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said it already; what it calls an error is a bad argument.
    process.exitCode = error.exitCode === 0 ? ExitStatus.ok : ExitStatus.badInput;
  } else if (error instanceof UserError) {
    tell(`${chalkStderr.red('error:')} ${error.message}\n${error.remedy}`);
    if (error.detail) tell(`\n${error.detail}`);
    process.exitCode = error.exitStatus;
  } else {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = ExitStatus.checkFailed;
  }
}
