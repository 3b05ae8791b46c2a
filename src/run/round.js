/**
 * One timed round, with what the nodes, the machine and this process used during it.
 * @import { AgentPart, AgentsLoad } from '../agents/agents-load.js'
 * @import { LoadThread, Turns } from '../load/load-thread.js'
 * @import { OpenLoopSample, RoundPlan } from '../load/types.js'
 * @import { LoadProcessSample, MachineSample } from '../measure/machine.js'
 * @import { SuiteFigures } from '../result/parts.js'
 * @import { RoundResult } from '../result/schema.js'
 * @import { Control, ResourceSample, System } from '../stacks/types.js'
 * @import { Testbed } from './rounds.js'
 */
import pTimeout from 'p-timeout';
import { messageOf } from '../errors.js';
import { loadProcessUse, machineUse, sampleLoadProcess, sampleMachine } from '../measure/machine.js';
import { nodeUse, nodeUseInStretches, sampleBackend, sampleCpu, sampleState, withBackend } from '../measure/nodes.js';
import { findClient } from '../registry/clients.js';
import { decodeHistogram, latencyOf } from '../stats/histogram.js';
import { shuffle } from '../stats/random.js';
import { sum } from '../stats/statistics.js';
import { limitedBy } from '../stats/summary.js';
import { KIB, NS_A_SECOND } from '../units.js';
import { untilAborted } from './interruption.js';

/** A schedule was kept if this share of its operations was sent in the time asked for … */
const SUSTAINED = 0.999;
/** … or this much later: a short delay at the end is not a growing backlog. */
const LATE_END_SECONDS = 0.02;
/** For ending a round early: load threads close connections without a reply after a second. */
const END_EARLY_MS = 3000;
/** A node that hangs must not keep the user waiting. */
const SAMPLE_AT_ABORT_MS = 1000;

/**
 * @typedef {Object} SampledNodes
 * @property {System} system @property {string | undefined} primaryId
 * @property {ReadonlyMap<string, Control>} controls of the nodes that are sampled; they have to answer before and after
 * @property {(() => Promise<ResourceSample[]>) | null} [stats] of a backend that counts resources; all its data nodes are in `controls`
 * @property {boolean} [mayEnd] a node may be gone at the end, and is then left out; default: that is an error
 * @typedef {Object} RoundOptions
 * @property {LoadThread & Partial<Pick<AgentsLoad, 'aim' | 'parts'>>} loadThread @property {RoundPlan} plan @property {AbortSignal} signal
 * @property {boolean} [endsEarly] an abort during the timed part ends it, and what was measured counts; default: the promise rejects
 * @property {(operations: number) => void} [onProgress] called now and then with the number of operations that have ended
 * @property {(firstError: string | null, lostConnections: number) => void} [onTrouble] if there was either. The text may contain addresses
 */

/**
 * @param {Pick<Testbed, 'stack' | 'controls'>} testbed @param {string | undefined} primaryId
 * @param {{counted?: boolean}} [options] counted: by the backend, too; a look takes Docker's engine up to a second @returns {SampledNodes}
 */
export function sampledNodes({ stack, controls }, primaryId, { counted = true } = {}) {
  const stats = counted && stack.can.has('stats') ? stack.host.stats : null;
  return { system: stack.database, controls, primaryId, stats };
}

/** @param {RoundOptions & SampledNodes} options @returns {Promise<RoundResult>} rejects if it cannot be run, or with the abort's reason */
export async function timeRound({ loadThread, plan, endsEarly = false, onProgress, onTrouble, ...nodes }) {
  const { signal } = nodes;
  await untilAborted(loadThread.prepare(plan), signal);
  if (loadThread.aim) await untilAborted(loadThread.aim(), signal);
  const { result, used } = await usedMeanwhile(nodes, () => {
    const running = loadThread.go(onProgress);
    return endsEarly && loadThread.stop
      ? stoppedByAbort(running, loadThread.stop, signal)
      : untilAborted(running, signal);
  });
  const { openLoop, firstError, lostConnections = 0, load, ...sample } = result;
  if (firstError !== null || lostConnections > 0) onTrouble?.(firstError, lostConnections);
  const described = openLoop && plan.openLoop && describeOpenLoop(openLoop, plan.openLoop);
  // A round that was ended early is whole; only a further request to stop gives it up.
  const endedEarly = endsEarly && signal.aborted;
  const parts =
    loadThread.parts && (await (endedEarly ? loadThread.parts() : untilAborted(loadThread.parts(), signal)));
  const process = loadThread.elsewhere || findClient(plan.client)?.program ? null : used.process;
  return {
    ...roundOf(used, sample, { ...useOf(used.processCpuSeconds, sample.operations), ...load, process }),
    ...(described && { openLoop: described }),
    ...(parts && { agents: describeParts(parts, described?.sustained) }),
  };
}

/**
 * @template T @param {Promise<T>} running @param {() => void} stop makes `running` resolve soon @param {AbortSignal} signal
 * @returns {Promise<T>} rejects with the abort's reason only if `running` does not settle in time
 */
async function stoppedByAbort(running, stop, signal) {
  const aborted = await untilAborted(running, signal).then(
    () => false,
    () => signal.aborted,
  );
  if (!aborted) return running;
  stop();
  return pTimeout(running, { milliseconds: END_EARLY_MS, fallback: () => Promise.reject(signal.reason) });
}

/**
 * Closed-loop rounds in parts, in random order among the parts of the others: a disturbance that is longer than a part hits all alike.
 * @param {SampledNodes & { loadThread: Turns, plans: RoundPlan[], partSeconds: number, random: () => number, signal: AbortSignal}} options
 *   plans: of writes, all of the same length; partSeconds: about how long a part is; random: decides the order
 * @returns {Promise<RoundResult[]>} in the order of the plans; their nodes have no counters. Rejects as {@link timeRound} does
 */
export async function timeTurns(options) {
  const { loadThread, plans, partSeconds, random, system, controls, primaryId, signal } = options;
  const parts = Math.max(1, Math.round(plans[0].seconds / partSeconds));
  const startedAt = plans.map(() => '');
  await untilAborted(loadThread.prepareTurns(plans), signal);
  const sample = async () => ({
    machine: sampleMachine(),
    cpu: await sampleCpu(system, controls),
    process: sampleLoadProcess(),
  });
  /** By plan. @type {[before: Awaited<ReturnType<typeof sample>>, after: Awaited<ReturnType<typeof sample>>][][]} */
  const uses = plans.map(() => []);
  // The end of a part is the beginning of the next: asking the nodes twice between parts would take longer than what lies between.
  let before = await sample();
  for (let part = 0; part < parts; part++) {
    for (const index of shuffle([...plans.keys()], random)) {
      startedAt[index] ||= new Date().toISOString();
      await untilAborted(loadThread.turn(index, plans[index].seconds / parts), signal);
      const after = await sample();
      uses[index].push([before, after]);
      before = after;
    }
  }
  const samples = await untilAborted(loadThread.endTurns(), signal);
  const state = await sampleState(system, controls);
  const roles = rolesOf(controls, primaryId);
  return samples.map(({ openLoop, firstError, lostConnections, load, ...sample }, index) => {
    const stretches = uses[index];
    const [begin, end] = sumOfSamples(stretches.map(([a, b]) => [a.process, b.process]));
    const machineCpu = machineUse(...sumOfSamples(stretches.map(([a, b]) => [a.machine, b.machine])));
    const cpu = stretches.map(([a, b]) => /** @type {const} */ ([a.cpu, b.cpu]));
    const used = { startedAt: startedAt[index], machineCpu, nodes: nodeUseInStretches(cpu, state, roles) };
    const ofProcess = useOf(end.cpuSeconds - begin.cpuSeconds, sample.operations);
    return roundOf(used, sample, { ...ofProcess, ...load, process: loadProcessUse(begin, end) });
  });
}

/**
 * @template {Pick<RoundResult, 'seconds' | 'outcomes'>} Sample
 * @param {Pick<RoundResult, 'startedAt' | 'machineCpu' | 'nodes'>} used @param {Sample} sample @param {RoundResult['load']} load
 */
function roundOf({ startedAt, machineCpu, nodes }, sample, load) {
  const throughput = sample.seconds > 0 ? sample.outcomes.acked / sample.seconds : 0;
  return { startedAt, ...sample, load, throughput, machineCpu, nodes };
}

/**
 * @template {MachineSample | LoadProcessSample} T @param {[before: T, after: T][]} stretches at least one
 * @returns {[T, T]} of the last stretch; its first sample is moved so that what lies between is the sum of all stretches
 */
function sumOfSamples(stretches) {
  const [last, end] = stretches[stretches.length - 1];
  const valueIn = (/** @type {T} */ sample, /** @type {string} */ name) => Number(Reflect.get(sample, name));
  const moved = Object.entries(end).map(([name, to]) => {
    const between = sum(stretches.map(([before, after]) => valueIn(after, name) - valueIn(before, name)));
    return [name, to === null ? null : Number(to) - between];
  });
  return [{ ...last, ...Object.fromEntries(moved) }, end];
}

/** @param {ReadonlyMap<string, Control>} controls @param {string | undefined} primaryId @returns {Record<string, 'primary' | 'replica'>} */
function rolesOf(controls, primaryId) {
  return Object.fromEntries([...controls.keys()].map((id) => [id, id === primaryId ? 'primary' : 'replica']));
}

/** The load thread's own time lacks its garbage collection. @param {number} cpuSeconds of this process, all threads @param {number} operations */
function useOf(cpuSeconds, operations) {
  return {
    cpuPerOperationNs: operations > 0 ? (cpuSeconds * NS_A_SECOND) / operations : null,
    peakMemoryBytes: process.resourceUsage().maxRSS * KIB,
  };
}

/** @param {OpenLoopSample} sample @param {NonNullable<RoundPlan['openLoop']>} plan @returns {NonNullable<RoundResult['openLoop']>} */
function describeOpenLoop(sample, { rate, arrivals }) {
  const { due, dueSeconds, sent, sendingSeconds, serviceHistogram, latenessHistogram, waiting } = sample;
  const achievedRate = sent / sendingSeconds;
  return {
    askedRate: rate,
    achievedRate,
    arrivals,
    due,
    unsent: due - sent,
    ...(waiting && { waiting }),
    sustained:
      sent >= SUSTAINED * due && sendingSeconds <= Math.max(dueSeconds / SUSTAINED, dueSeconds + LATE_END_SECONDS),
    serviceNs: latencyOf(decodeHistogram(serviceHistogram)),
    serviceHistogram,
    latenessNs: latencyOf(decodeHistogram(latenessHistogram)),
    latenessHistogram,
  };
}

/**
 * @typedef {Sampled & SuiteFigures} OwnSample with the figures of its suite
 * @typedef {Object} Sampled
 * @property {number} seconds that `operations` took @property {number} operations that were attempted
 * @property {RoundResult['outcomes']} outcomes @property {Record<string, number>} errors how often each kind was seen
 * @property {string} histogram base64, HdrHistogram V2 compressed, nanoseconds
 * @property {{cpu: number | null, eventLoopUtilization: number}} load of the thread that made the load
 */

/**
 * @param {Pick<Testbed, 'stack' | 'controls' | 'primary'>} testbed its controls: of the nodes that the result is to name
 * @param {() => Promise<OwnSample>} work the measured part only, without its preparation @param {Pick<SampledNodes, 'mayEnd'>} [options]
 */
export async function roundAround({ stack, controls, primary }, work, { mayEnd } = {}) {
  const { result, used } = await usedMeanwhile({ ...sampledNodes({ stack, controls }, primary?.id), mayEnd }, work);
  const { load, ...sample } = result;
  const latencyNs = latencyOf(decodeHistogram(sample.histogram));
  return roundOf(used, { ...sample, latencyNs }, { ...load, process: used.process });
}

/**
 * @template T @param {SampledNodes & {signal?: AbortSignal}} nodes signal: once it is aborted, nodes have to answer soon
 * @param {() => Promise<T>} work the measured part only, without its preparation
 */
async function usedMeanwhile({ system, controls, primaryId, stats, mayEnd = false, signal }, work) {
  const roles = rolesOf(controls, primaryId);
  /** @template T @param {Promise<T>} answer @returns {Promise<T | never[]>} */
  const afterwards = (answer) =>
    (signal?.aborted ? pTimeout(answer, { milliseconds: SAMPLE_AT_ABORT_MS }) : answer).catch((error) => {
      if (mayEnd) return [];
      throw error;
    });
  // Nested: each later question to the nodes lies outside the more precise samples.
  const stateBefore = await sampleState(system, controls);
  const backendBefore = stats && (await sampleBackend(stats));
  const startedAt = new Date().toISOString();
  const machineBefore = sampleMachine();
  const cpuBefore = await sampleCpu(system, controls);
  const processBefore = sampleLoadProcess();
  const result = await work();
  const processAfter = sampleLoadProcess();
  const cpuAfter = await afterwards(sampleCpu(system, controls));
  const machineCpu = machineUse(machineBefore, sampleMachine());
  const backendAfter = stats && (await sampleBackend(stats));
  const stateAfter = await afterwards(sampleState(system, controls));
  const redis = nodeUse({ cpu: cpuBefore, state: stateBefore }, { cpu: cpuAfter, state: stateAfter }, roles);
  return {
    result,
    used: {
      startedAt,
      machineCpu,
      nodes: backendBefore && backendAfter ? withBackend(redis, backendBefore, backendAfter) : redis,
      process: loadProcessUse(processBefore, processAfter),
      processCpuSeconds: processAfter.cpuSeconds - processBefore.cpuSeconds,
    },
  };
}

/** @typedef {LoadThread & Partial<Pick<AgentsLoad, 'repeatable'>>} AnyLoad of this machine, or of agents */

/** Rounds of one load, when agents are lost again and again. */
const MOST_TRIES = 3;

/**
 * @param {readonly AgentPart[]} parts @param {boolean} [sustained] the whole load kept its schedule
 * @returns {NonNullable<RoundResult['agents']>}
 */
function describeParts(parts, sustained) {
  return parts.map(({ sample, skewMs, ...part }) => {
    const { operations, seconds, outcomes, latencyNs, histogram, load } = sample;
    const { cpu, eventLoopUtilization } = load;
    const { machineCpu } = part;
    return {
      ...part,
      operations,
      seconds,
      outcomes,
      latencyNs,
      histogram,
      load: { cpu, eventLoopUtilization },
      limitedBy: limitedBy({ loadCpu: cpu, eventLoopUtilization, primaryMainThreadCpu: null, machineCpu, sustained }),
      startSkewMs: skewMs,
    };
  });
}

/**
 * A round that lost an agent is invalid. It is repeated once the agent is back, and never counts without it. @template T
 * @param {() => Promise<T>} round @param {{load: AnyLoad, tell: (line: string) => void, signal: AbortSignal}} site @returns {Promise<T>}
 */
export async function repeated(round, { load, tell, signal }) {
  for (let tries = 1; ; tries++) {
    try {
      return await round();
    } catch (error) {
      const again = tries < MOST_TRIES && !signal.aborted && load.repeatable?.(error);
      if (!again) throw error;
      tell(`${messageOf(error)} The round is invalid; it is repeated when the agent is back.`);
      await again(signal);
    }
  }
}
