/**
 * One round: the load thread's timed part, with what the nodes and the machine used meanwhile.
 */
import { decodeHistogram, latencyOf } from '../measure/histogram.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { nodeUse, sampleNodes } from '../measure/nodes.js';
import { untilAborted } from './interruption.js';

/**
 * @typedef {import('../load/types.js').RoundPlan} RoundPlan
 * @typedef {import('../load/types.js').OpenLoopSample} OpenLoopSample
 * @typedef {import('../report/schema.js').RoundResult} RoundResult
 */

/** A schedule counts as kept when this share of its operations left in the time asked for … */
const SUSTAINED = 0.999;
/** … or so little later: that is a moment's delay at the end, not a backlog that grew. */
const LATE_END_SECONDS = 0.02;
const BYTES_PER_KB = 1024;

/**
 * @param {Object} options
 * @param {import('../load/load-thread.js').LoadThread} options.loadThread
 * @param {RoundPlan} options.plan
 * @param {ReadonlyMap<string, import('../cluster/control.js').Control>} options.controls of the Redis nodes that are sampled
 * @param {string} options.primaryId
 * @param {AbortSignal} options.signal
 * @param {(operations: number) => void} [options.onProgress] told now and then how many operations have ended
 * @param {(firstError: string) => void} [options.onTrouble] told the text of the first error, if there was any; texts may name
 *   places, so that a result only has their kinds
 * @returns {Promise<RoundResult>} rejects when the round cannot be run, or with the abort's reason
 */
export async function timeRound({ loadThread, plan, controls, primaryId, signal, onProgress, onTrouble }) {
  await untilAborted(loadThread.prepare(plan), signal);
  /** @type {Record<string, 'primary' | 'replica'>} */
  const roles = Object.fromEntries([...controls.keys()].map((id) => [id, id === primaryId ? 'primary' : 'replica']));
  const startedAt = new Date().toISOString();
  const machineBefore = sampleMachine();
  const nodesBefore = await sampleNodes(controls);
  const cpuBefore = process.cpuUsage();
  const { openLoop, firstError, load, ...sample } = await untilAborted(loadThread.go(onProgress), signal);
  const ownUse = useOf(process.cpuUsage(cpuBefore), sample.operations);
  if (firstError !== null) onTrouble?.(firstError);
  const nodesAfter = await sampleNodes(controls);
  const machineCpu = machineUse(machineBefore, sampleMachine());
  return {
    startedAt,
    ...sample,
    load: { ...ownUse, ...load },
    throughput: sample.seconds > 0 ? sample.outcomes.acked / sample.seconds : 0,
    machineCpu,
    nodes: nodeUse(nodesBefore, nodesAfter, roles),
    ...(openLoop && plan.openLoop && { openLoop: describeOpenLoop(openLoop, plan.openLoop) }),
  };
}

/**
 * All threads of this process count: the load thread's own time leaves out what collects its garbage and compiles its code.
 *
 * @param {NodeJS.CpuUsage} cpu during the round
 * @param {number} operations
 * @returns {Pick<RoundResult['load'], 'cpuPerOperationNs' | 'peakMemoryBytes'>} of a load that this process made
 */
function useOf({ user, system }, operations) {
  return {
    cpuPerOperationNs: operations > 0 ? ((user + system) * 1000) / operations : null,
    peakMemoryBytes: process.resourceUsage().maxRSS * BYTES_PER_KB,
  };
}

/**
 * @param {OpenLoopSample} sample
 * @param {NonNullable<RoundPlan['openLoop']>} asked
 * @returns {NonNullable<RoundResult['openLoop']>}
 */
function describeOpenLoop(sample, { rate, arrivals }) {
  const { due, dueSeconds, sent, sendingSeconds, serviceHistogram, latenessHistogram } = sample;
  const achievedRate = sent / sendingSeconds;
  return {
    askedRate: rate,
    achievedRate,
    arrivals,
    due,
    unsent: due - sent,
    sustained:
      sent >= SUSTAINED * due && sendingSeconds <= Math.max(dueSeconds / SUSTAINED, dueSeconds + LATE_END_SECONDS),
    serviceNs: latencyOf(decodeHistogram(serviceHistogram)),
    serviceHistogram,
    latenessNs: latencyOf(decodeHistogram(latenessHistogram)),
    latenessHistogram,
  };
}
