/**
 * A run, phase by phase: open the stack, describe it, measure each benchmark, put everything back.
 * @import { WantedAgents } from '../agents/controller.js'
 * @import { AgentsNodes } from '../agents/agents-nodes.js'
 * @import { AgentsOfRun } from '../agents/agents-run.js'
 * @import { Estimate } from './estimate.js'
 * @import { ClientName } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { BenchmarkResult, CaseParams, Result } from '../result/schema.js'
 * @import { StackOptions } from '../stacks/types.js'
 * @import { Progress } from './progress.js'
 * @import { Testbed } from './rounds.js'
 * @import { SuiteParameters, Benchmark, Case, Profile, RoundBenchmark, StorageClass } from './types.js'
 * @typedef {Object} RunOptions
 * @property {string} suite its name, for the folder and the report @property {Benchmark[]} benchmarks @property {Profile} profile
 * @property {ClientName} [client] measure with this client only
 * @property {SuiteParameters} [parameters] what the user asks of the benchmarks of a suite
 * @property {number} seed 32-bit @property {number} [lanes] trials side by side, ≥ 1; default 1
 * @property {Partial<CaseParams>} [trialParams] what the user asks of trials; a case that needs another value is not measured
 * @property {() => Promise<string>} [folder] of the run, made when first asked for; trials need it
 * @property {WantedAgents} [agents] send the load of plain rounds and run the writers of trials, instead of this process
 * @property {string} command the command line, without secrets @property {StackOptions} stack its `settings` apply to every case
 * @property {Progress} progress @property {AbortSignal} signal
 * @typedef {Object} MeasuredSuite
 * @property {BenchmarkResult[]} benchmarks in the order asked for; a benchmark that was not measured says why
 * @property {Map<string, string[]>} logs `<benchmark>.<node>` → the node's last log lines, for each benchmark that failed
 * @property {Result['trials']} [trials] how trials were run
 * @property {unknown} [stopped] why no more was measured, or what could not be put back. The caller throws it once the results are safe
 * @typedef {{benchmark: RoundBenchmark, cases: Case[]}} PlannedRounds
 * @typedef {RunOptions & Omit<MeasuredSuite, 'benchmarks'> & {
 *   testbed: Testbed, storages: readonly StorageClass[], estimate: Estimate, documents: Map<string, BenchmarkResult>}} Run what all
 *   benchmarks share, and what became of them so far; documents: by the name of each benchmark
 */
import { IN_MEMORY_TEXT, plural, serverText } from '../format.js';
import { probeStorage } from '../measure/storage.js';
import { attachDeployed, openStack } from '../stacks/index.js';
import { randomFrom } from '../stats/random.js';
import { benchmarkDocument, describeStack, reportFailure, resultDocument, tellEnd } from './document.js';
import { createEstimate } from './estimate.js';
import { untilAborted } from './interruption.js';
import { newKeys } from './keys.js';
import { planTrials } from './lanes.js';
import { measureOnStacks, OF_DISKS, planRounds } from './own-stacks.js';
import { planBenchmarks } from './plan.js';
import { recoverJournals } from './recover.js';
import { measureBenchmark } from './rounds.js';
import { SENTENCES } from './sentences.js';
import { openStorages } from './storages.js';
import { abandonKeys, closeTestbed, connectControls, createTestbed, healTestbed } from './testbed.js';
import { measureFailures } from './trials.js';

/**
 * @param {RunOptions} options
 * @returns {Promise<Pick<MeasuredSuite, 'logs' | 'stopped'> & {result: Result}>} after a stop the other benchmarks are `skipped`
 * @throws {UserError} the stack cannot be had; interrupted before there was a result
 */
export async function runSuite(options) {
  try {
    const agents = await openAgents(options);
    const runOnStorage = async () => {
      const storage = await storagesFor(options);
      return thenClose(storage.close, () => runOn(storage, agents, options));
    };
    return await thenClose(async () => agents?.close(), runOnStorage);
  } finally {
    options.progress.stop();
  }
}

/** @param {RunOptions} options */
async function openAgents({ agents, benchmarks, progress, stack }) {
  if (!agents) return undefined;
  progress.now('finding the agents');
  // One host needs no NATS: its libraries load only here.
  const { openAgentsOfRun } = await import('../agents/agents-run.js');
  const opened = await openAgentsOfRun(agents, {
    load: benchmarks.some(({ kind }) => kind !== 'trial'),
    writers: benchmarks.some(({ kind }) => kind === 'trial'),
    faults: stack.backend === 'external',
    nodes: stack.onAgents,
    system: stack.system,
  });
  const names = opened.machines.map(({ name, cores }) => `${name} (${plural(cores, 'core')})`).join(', ');
  if (names !== '') progress.tell(`${opened.load ? 'Load' : 'Writers'} on ${names}`);
  return opened;
}

/** @param {Awaited<ReturnType<typeof storagesFor>>} storage @param {AgentsOfRun | undefined} agents @param {RunOptions} options */
async function runOn(storage, agents, options) {
  const { command, suite, profile, seed, progress, signal } = options;
  progress.now('starting the stack');
  const startedAt = new Date().toISOString();
  const stuck = await recoverJournals({ tell: progress.tell, credentials: options.stack.credentials });
  const how = { ...options.stack, faults: agents?.faults, command, signal };
  const disks = options.benchmarks.some(({ needs = [] }) => needs.some((ability) => OF_DISKS.includes(ability)));
  const deployed = await agents?.nodes?.start({ ...options.stack, disks });
  const stack = await openStack({ ...how, ...deployed, tell: progress.tell });
  const unfit = stuck.find(({ identity }) => identity === stack.about.identity);
  if (unfit) {
    await stack.close();
    throw unfit.error;
  }
  const startOnAgents = agents?.nodes && startsOnAgents(agents.nodes, how);
  const random = randomFrom(seed);
  const testbed = createTestbed(stack, { profile, signal, random, tell: progress.tell, agents, startOnAgents });
  const close = () => {
    progress.benchmark?.(null);
    progress.now('taking everything down');
    return closeTestbed(testbed);
  };
  const { benchmarks, logs, trials, stopped, described } = await thenClose(close, async () => {
    if (deployed) await untilAborted(stack.heal(), signal);
    await connectControls(testbed);
    progress.tell(`Measuring ${serverText(stack.about.server)} on ${stack.about.backend}: ${stack.about.why}`);
    if (stack.about.inMemory) progress.tell(`Warning: ${IN_MEMORY_TEXT} Set TMPDIR to a folder on a disk.`);
    const described = await describeStack(stack, testbed.controls);
    return { described, ...(await measureAll(testbed, options, storage.classes)) };
  });
  // Each case says how many keys it had: the profile's number is scaled.
  const { preloadKeys, ...published } = profile;
  const ranBy = agents?.whoRanWhere(benchmarks) ?? [];
  const usesStorage = benchmarks.some(({ cases }) => cases.some(({ params }) => params.storage !== undefined));
  const servers = options.stack.servers?.map(({ name, version }) => ({ name, version }));
  const result = await resultDocument({
    ...{ startedAt, command, suite, profile: published, seed },
    stack: { ...described, ...(servers && servers.length > 1 && { servers }) },
    ...(ranBy.length > 0 && { agents: ranBy }),
    ...(trials && { trials }),
    ...(usesStorage && storage.document),
    benchmarks,
  });
  return { result, logs, stopped };
}

/** Sentinels may promote another node while a stack starts on a busy machine. */
const MOST_STARTS = 3;

/**
 * @param {AgentsNodes} nodes @param {StackOptions} how
 * @returns {NonNullable<Testbed['startOnAgents']>} of a stack that is well, and whose first node is its primary
 */
function startsOnAgents(nodes, how) {
  return async function startOnAgents(wish) {
    for (let time = 1; ; time++) {
      const stack = await attachDeployed({ ...how, ...(await nodes.start(wish)), tell: () => {} });
      const ends = [how.signal, stack.host.faultsLost?.()].flatMap((each) => each ?? []);
      try {
        await untilAborted(stack.heal(), AbortSignal.any(ends));
        if ((await stack.database.primary()).id === stack.nodes[0].id || time === MOST_STARTS) return stack;
      } catch (error) {
        await stack.close();
        throw error;
      }
      await stack.close();
    }
  };
}

/** @param {RunOptions} options */
async function storagesFor({ benchmarks, parameters = {}, progress, signal }) {
  const [choice] = benchmarks.flatMap(({ stacks }) => stacks?.storage?.(parameters) ?? []);
  if (choice === undefined) return { classes: [], document: {}, close: async () => {} };
  const { storages, unavailable, close } = await openStorages({ ...choice, signal, tell: progress.tell });
  try {
    const infos = [];
    for (const each of storages) infos.push(await probeStorage(each, { signal }));
    const document = { storage: infos, ...(unavailable !== null && { storageNotMeasured: unavailable }) };
    return { classes: storages, document, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Keeps the measurements if closing fails. @template {{stopped?: unknown}} T @param {() => Promise<void>} close @param {() => Promise<T>} work */
async function thenClose(close, work) {
  const measured = await work().catch(async (error) => {
    await close();
    throw error;
  });
  return close().then(
    () => measured,
    (stopped) => ({ ...measured, stopped }),
  );
}

/** @param {Testbed} testbed @param {RunOptions} options @param {readonly StorageClass[]} storages */
async function measureAll(testbed, options, storages) {
  const { profile, progress } = options;
  const plan = await planBenchmarks(testbed, options, storages);
  /** @type {Run} */
  const run = { ...options, testbed, storages, estimate: createEstimate(), documents: new Map(), logs: new Map() };
  for (const { benchmark, whyNot } of plan) {
    if (whyNot === null) continue;
    progress.tell(`${benchmark.name}: skipped. ${whyNot}`);
    skip(run, benchmark, whyNot);
  }
  const measurable = plan.filter(({ whyNot }) => whyNot === null);
  const trials = measurable.flatMap(({ benchmark, cases }) => (benchmark.kind === 'trial' ? { benchmark, cases } : []));
  const rounds = measurable
    .flatMap(({ benchmark, cases }) => (benchmark.kind === 'trial' ? [] : { benchmark, cases }))
    // Those on stacks of their own take down the stack that the run began with.
    .sort((a, b) => Number(a.benchmark.stacks !== undefined) - Number(b.benchmark.stacks !== undefined));
  for (const each of rounds) planRounds(run.estimate, each, profile);
  planTrials(trials, testbed, options, run.estimate);
  progress.follow?.(run.estimate);
  for (const [index, planned] of rounds.entries()) {
    progress.benchmark?.(`${planned.benchmark.name}, benchmark ${index + 1} of ${measurable.length}`);
    await measureRoundsOf(run, planned);
  }
  if (trials.length > 0) await measureFailures(trials, run);
  const tells = [...run.documents.values()].some(({ cases, status }) => cases.length > 0 || status === 'failed');
  if (run.stopped !== undefined && !tells) throw run.stopped;
  for (const { benchmark, leftOut, notMeasured } of plan) {
    const document = run.documents.get(benchmark.name);
    const text = SENTENCES.text('left-out', { modes: leftOut.join(', ') });
    if (document && leftOut.length > 0) document.findings.push({ id: 'left-out', text, evidence: [] });
    if (document && notMeasured.length > 0) document.notMeasured = notMeasured;
  }
  const { logs, stopped, trials: pace } = run;
  const benchmarks = plan.flatMap(({ benchmark }) => run.documents.get(benchmark.name) ?? []);
  return { benchmarks, logs, stopped, ...(pace && { trials: pace }) };
}

/** @param {Run} run @param {Benchmark} benchmark @param {string} reason */
function skip({ documents }, benchmark, reason) {
  documents.set(benchmark.name, benchmarkDocument(benchmark, { status: 'skipped', reason }));
}

/** @param {Run} run gets the document, or the error that stopped the run @param {PlannedRounds} planned */
async function measureRoundsOf(run, planned) {
  const { benchmark } = planned;
  if (run.stopped !== undefined) return skip(run, benchmark, SENTENCES.text('run-ended'));
  try {
    const document = await (benchmark.stacks ? measureOnStacks(planned, run) : measureHere(run, planned));
    run.documents.set(benchmark.name, document);
    tellEnd(document, run.progress);
  } catch (error) {
    run.stopped = error;
    skip(run, benchmark, SENTENCES.text(run.signal.aborted ? 'interrupted' : 'not-put-back'));
  } finally {
    run.estimate.drop(benchmark.name);
  }
}

/** On the stack that the run began with. @param {Run} run @param {PlannedRounds} planned */
async function measureHere(run, { benchmark, cases }) {
  const { testbed, progress, signal, logs } = run;
  const { stack } = testbed;
  const keys = newKeys(cases, stack.access.keyPrefix);
  try {
    return await measureBenchmark(testbed, benchmark, cases, keys, run);
  } catch (error) {
    if (signal.aborted) throw await abandonKeys(testbed, keys, signal.reason);
    const reason = await reportFailure(error, { name: benchmark.name, stack, progress, logs });
    try {
      progress.now('healing the stack');
      await healTestbed(testbed, keys);
    } catch (failure) {
      run.stopped = await abandonKeys(testbed, keys, failure);
    }
    return benchmarkDocument(benchmark, { reason });
  }
}
