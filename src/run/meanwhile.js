/**
 * What the nodes, the machine and this process used while something was measured.
 */
import { loadProcessUse, sampleLoadProcess } from '../measure/load-process.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { nodeUse, sampleBackend, sampleCpu, sampleState, withBackend } from '../measure/nodes.js';

/**
 * @import { RoundResult } from '../result/schema.js'
 * @import { Control } from '../stacks/redis/control.js'
 * @import { ResourceSample } from '../stacks/types.js'
 */

/**
 * @typedef {Object} Meanwhile
 * @property {string} startedAt
 * @property {number} machineCpu
 * @property {RoundResult['nodes']} nodes
 * @property {ReturnType<typeof loadProcessUse>} process this one
 * @property {number} processCpuSeconds of all threads of this process
 */

/**
 * @template T
 * @param {Object} site
 * @param {ReadonlyMap<string, Control>} site.controls of the Redis nodes that are sampled; they have to
 *   answer before and after
 * @param {string | undefined} site.primaryId
 * @param {(() => Promise<ResourceSample[]>) | null} [site.stats] of the cluster whose Redis nodes are all in
 *   `controls`, where its backend can tell; without it there is only what Redis nodes tell
 * @param {boolean} [site.mayEnd] nodes may be gone after the work, and are then left out of what was used; default: that is an error
 * @param {() => Promise<T>} work what is measured, nothing of what prepares it
 * @returns {Promise<{result: T, used: Meanwhile}>}
 */
export async function usedMeanwhile({ controls, primaryId, stats, mayEnd = false }, work) {
  /** @type {Record<string, 'primary' | 'replica'>} */
  const roles = Object.fromEntries([...controls.keys()].map((id) => [id, id === primaryId ? 'primary' : 'replica']));
  /**
   * @param {unknown} error
   * @returns {never[]}
   */
  const orNothing = (error) => {
    if (mayEnd) return [];
    throw error;
  };
  // From the outside inwards, and back: what is asked of the nodes later must not count as what the work did.
  const stateBefore = await sampleState(controls);
  const backendBefore = stats && (await sampleBackend(stats));
  const startedAt = new Date().toISOString();
  const machineBefore = sampleMachine();
  const cpuBefore = await sampleCpu(controls);
  const processBefore = sampleLoadProcess();
  const result = await work();
  const processAfter = sampleLoadProcess();
  const cpuAfter = await sampleCpu(controls).catch(orNothing);
  const machineCpu = machineUse(machineBefore, sampleMachine());
  const backendAfter = stats && (await sampleBackend(stats));
  const stateAfter = await sampleState(controls).catch(orNothing);
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
