/**
 * Benchmarks on stacks of their own: cases that agree in replicas, place of the files and data set share one. And the stacks of trials.
 * @import { BenchmarkResult } from '../result/schema.js'
 * @import { Stack, StackOptions } from '../stacks/types.js'
 * @import { Estimate } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { Testbed } from './rounds.js'
 * @import { PlannedRounds, Run } from './suite.js'
 * @import { Case, Profile, RoundBenchmark as Benchmark, TrialBenchmark } from './types.js'
 * @typedef {{keys: number, payloadBytes: number, cases: Case[]}} Loaded keys: written before anything is measured; payloadBytes: of each
 * @typedef {Loaded & Pick<Case['params'], 'replicas' | 'server' | 'storage' | 'replicaStorage'>} Stage what its cases agree in; undefined:
 *   all replicas, the server of the run, the backend's own place, the same place
 * @typedef {{testbed: Testbed, stopped: string[], close: () => Promise<void>}} StageStack of one stage. stopped: nodes that do not run, on
 *   purpose; close: takes it down, with the stacks that were started with it
 */

import { settingsForBlocking } from '../faults/settings.js';
import { bytes, count, plural } from '../format.js';
import { startStack } from '../stacks/index.js';
import { LINK_ABILITIES } from '../stacks/network/relay/relay.js';
import { allEnded } from '../wait.js';
import { abilitiesFor } from './abilities.js';
import { benchmarkDocument, reportFailure } from './document.js';
import { NotPutBack } from './interruption.js';
import { fillKeys, keyspaceFor, newKeyPrefix } from './keys.js';
import { measureCases, paceOf, roundPiece } from './rounds.js';
import { closeTestbed, connectControls, createTestbed } from './testbed.js';

/** What starting a stack and loading it takes, roughly. The first estimate uses it. */
const STACK_SECONDS = 3;

/** @param {Pick<Benchmark, 'name'>} benchmark */
const stackPiece = ({ name }) => ({ of: name, seconds: STACK_SECONDS });

/** @param {readonly Case[]} cases @param {{custom?: boolean}} [options] custom: the rounds write what they need themselves */
export function stagesOf(cases, { custom = false } = {}) {
  /** @type {Map<string, Stage>} */
  const stages = new Map();
  for (const theCase of cases) {
    const { replicas, server, storage, replicaStorage, preloadKeys, payloadBytes } = theCase.params;
    const places = [replicas, server, storage, replicaStorage];
    const key = JSON.stringify(custom ? places : [...places, preloadKeys, payloadBytes]);
    const keys = custom ? 0 : keyspaceFor(theCase.params);
    const stage = stages.get(key) ?? { replicas, server, storage, replicaStorage, keys, payloadBytes, cases: [] };
    stage.cases.push(theCase);
    stages.set(key, stage);
  }
  return [...stages.values()];
}

/** @param {Estimate} estimate @param {PlannedRounds} planned @param {Profile} profile */
export function planRounds(estimate, { benchmark, cases }, profile) {
  estimate.plan(roundPiece(benchmark, profile), cases.length * paceOf(benchmark, profile).rounds);
  const stages = benchmark.stacks ? stagesOf(cases, { custom: benchmark.kind === 'custom' }) : [];
  estimate.plan(stackPiece(benchmark), stages.length);
}

/**
 * @param {PlannedRounds} planned @param {Run} run its stack is taken down, and names the backend
 * @returns {Promise<BenchmarkResult>} a failed one keeps what was measured until then; rejects if the run was interrupted
 */
export async function measureOnStacks({ benchmark, cases }, run) {
  // The stack that the run began with was described. Left up, it would only keep the machine busy.
  await run.testbed.stack.down();
  /** @type {BenchmarkResult['cases']} */
  const measured = [];
  /** @type {string | undefined} */
  let reason;
  const stages = stagesOf(cases, { custom: benchmark.kind === 'custom' });
  for (const together of benchmark.stacks?.interleaved ? [stages] : stages.map((stage) => [stage])) {
    const outcome = await measureStages(benchmark, together, run);
    measured.push(...outcome.cases);
    reason = outcome.reason;
    if (reason !== undefined) break;
  }
  return benchmarkDocument(benchmark, {
    reason,
    cases: cases.flatMap(({ id }) => measured.find((one) => one.id === id) ?? []),
    pace: paceOf(benchmark, run.profile),
    storages: run.storages,
    parameters: run.parameters,
  });
}

/**
 * @param {Benchmark} benchmark @param {readonly Stage[]} stages whose stacks are up at the same time; their rounds are in one random order
 * @param {Run} run
 * @returns {Promise<{cases: BenchmarkResult['cases'], reason?: string}>} reason: why it failed; rejects when the run cannot go on
 */
async function measureStages(benchmark, stages, run) {
  const prefix = newKeyPrefix();
  /** @type {StageStack[]} */
  const open = [];
  try {
    for (const stage of stages) {
      run.progress.now(`starting a stack for ${plural(stage.cases.length, 'case')}`);
      const stack = await startStage(benchmark, stage, run);
      open.push(stack);
      if (stage.keys > 0) await load(stack.testbed, stage, prefix, run.progress);
      run.estimate.ended(stackPiece(benchmark));
    }
    const testbedOf = (/** @type {Case} */ theCase) =>
      open[stages.findIndex(({ cases }) => cases.includes(theCase))].testbed;
    const cases = stages.flatMap((stage) => stage.cases);
    return { cases: await measureCases(open[0].testbed, benchmark, cases, { prefix }, { ...run, testbedOf }) };
  } catch (error) {
    if (run.signal.aborted || error instanceof NotPutBack) throw error;
    const { testbed, stopped } = open.at(-1) ?? {};
    const where = { ...run, name: benchmark.name, stack: testbed?.stack, stopped };
    return { cases: [], reason: await reportFailure(error, where) };
  } finally {
    await allEnded(open.map((stack) => stack.close()));
  }
}

/** @param {Benchmark} benchmark @param {Stage} stage @param {Run} run */
function startStage(benchmark, stage, { testbed, stack: how, storages, progress, profile }) {
  const { settings, links, shards, sentinels } = benchmark.stacks ?? {};
  const pathOf = (/** @type {string | undefined} */ wanted) => storages.find(({ label }) => label === wanted)?.path;
  const wanted = {
    ...how,
    ...programFor(stage, how),
    backend: startable(testbed.stack),
    links,
    shards,
    settings: { ...settings, ...how.settings },
    dataDir: pathOf(stage.storage),
    replicaDataDir: pathOf(stage.replicaStorage),
  };
  const run = { ...testbed, profile: { ...profile, ...paceOf(benchmark, profile) }, now: progress.now };
  return openStageStack(wanted, { replicas: stage.replicas, withoutSentinels: sentinels === false, run });
}

/**
 * Writes every key that the cases use once, so that reads find a value and writes replace one of the same size.
 * @param {Testbed} testbed @param {Stage} stage @param {string} keyPrefix @param {Progress} progress
 */
async function load({ stack, replicas, signal }, { keys, payloadBytes }, keyPrefix, progress) {
  const { address } = await stack.database.primary();
  const { client } = stack.database;
  const begins = performance.now();
  const onProgress = (/** @type {number} */ done) => progress.now(`${count(done)} of ${count(keys)} keys loaded`);
  const wanted = { keyPrefix, count: keys, payloadBytes, client, replicas: replicas?.length, signal, onProgress };
  await fillKeys({ ...address, credentials: stack.access.credentials }, wanted);
  const seconds = (performance.now() - begins) / 1000;
  progress.tell(`${count(keys)} keys of ${bytes(payloadBytes)} loaded in ${seconds.toFixed(1)} s`);
}

/**
 * @param {{server?: string}} params of a case @param {Pick<StackOptions, 'servers' | 'backend'>} how
 * @returns {Pick<StackOptions, 'server' | 'image'>} the program or image that the case names; empty: it names none
 */
function programFor({ server }, { servers = [], backend }) {
  const found = servers.find(({ id }) => id === server);
  if (!found) return {};
  return backend === 'docker' ? { image: found.path } : { server: found.path };
}

/**
 * @param {StackOptions & {backend: 'docker' | 'local'}} how @param {Object} options
 * @param {number} [options.replicas] how many run; default: all @param {boolean} [options.withoutSentinels]
 * @param {Pick<Testbed, 'profile' | 'random' | 'now' | 'tell' | 'agents'> & {signal: AbortSignal}} options.run
 * @returns {Promise<StageStack>} everything that was started is gone when it rejects
 */
export async function openStageStack(how, options) {
  const { replicas: wanted, withoutSentinels = false, run } = options;
  const stack = await startStack({ ...how, signal: run.signal });
  const testbed = createTestbed(stack, run);
  /** @type {StageStack[]} */
  const others = [];
  /** @type {string[]} */
  const stopped = [];
  const close = () => allEnded([...others.splice(0).map((other) => other.close()), closeTestbed(testbed)]);
  try {
    const [primary, all] = await Promise.all([stack.database.primary(), stack.database.replicas()]);
    testbed.replicas = all.slice(0, wanted);
    const sentinels = withoutSentinels ? stack.nodes.filter(({ kind }) => kind === 'sentinel') : [];
    for (const { id } of [...sentinels, ...all.slice(testbed.replicas.length)]) {
      await stack.host.act(id, 'stop');
      stopped.push(id);
    }
    await connectControls(testbed, stopped);
    if (withoutSentinels) testbed.primary = primary;
    testbed.others = async (count) => {
      while (others.length < count) others.push(await openStageStack(how, options));
      return others.slice(0, count).map((other) => other.testbed);
    };
    return { testbed, stopped, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Pick<Stack, 'about'>} stack of ours @returns {'docker' | 'local'} the backend that starts another stack of its kind */
function startable({ about: { backend } }) {
  if (backend === 'external') throw new Error('a deployment of somebody else cannot be started');
  return backend;
}

/** What a node can do that has a disk of its own. @type {readonly string[]} */
export const OF_DISKS = ['power-loss', 'fill'];

/**
 * @param {Pick<TrialBenchmark, 'disks'>} benchmark @param {readonly string[]} abilities that it needs
 * @param {readonly {id: string, kind: string}[]} nodes of the stack
 */
export function disksFor({ disks }, abilities, nodes) {
  if (!abilities.some((ability) => OF_DISKS.includes(ability))) return [];
  // A new stack begins with its first node as the primary.
  return disks === 'all' ? nodes.filter(({ kind }) => kind !== 'sentinel').map(({ id }) => id) : [nodes[0].id];
}

/**
 * @param {{benchmark: TrialBenchmark, theCase: Case}} trial @param {Testbed} testbed @param {StackOptions} how stacks are started
 * @returns {Promise<Stack>} end it with {@link endTrialStack}
 */
export async function openTrialStack({ benchmark, theCase: { params } }, testbed, how) {
  const abilities = abilitiesFor(benchmark, params);
  const needs = (/** @type {readonly string[]} */ some) => abilities.some((ability) => some.includes(ability));
  const size = {
    replicas: params.replicas ?? how.replicas,
    sentinelCount: params.sentinels ?? how.sentinelCount,
  };
  if (!testbed.stack.about.ours) {
    if (!testbed.startOnAgents) return testbed.stack;
    return testbed.startOnAgents({ ...size, placement: params.placement, disk: needs(OF_DISKS) });
  }
  const backend = startable(testbed.stack);
  return startStack({
    ...how,
    ...programFor(params, how),
    ...size,
    backend,
    // Docker's own networks cut links.
    links: backend === 'local' && !how.hosts && needs(LINK_ABILITIES),
    network: needs(['group-partition']),
    ...(needs(['virtual-address']) && { hosts: true, virtualAddress: true }),
    volatileDisks: disksFor(benchmark, abilities, testbed.stack.nodes),
    ...(needs(['blocking-command']) && {
      settings: { ...settingsForBlocking(testbed.stack.about.server), ...how.settings },
    }),
    signal: testbed.signal,
  });
}

/** @param {Stack | undefined} stack of a trial; undefined: it never started @param {Testbed} testbed */
export async function endTrialStack(stack, testbed) {
  if (stack?.about.ours) await stack.down();
  else if (stack !== testbed.stack) await stack?.close();
}
