/**
 * A round that a benchmark measures in its own way, with what the nodes and the machine used meanwhile.
 */
import { decodeHistogram, latencyOf } from '../stats/histogram.js';
import { usedMeanwhile } from './meanwhile.js';

/**
 * @import { RoundResult } from '../result/schema.js'
 * @import { Bench } from './rounds.js'
 */

/**
 * @typedef {Object} OwnSample
 * @property {number} seconds that `operations` took
 * @property {number} operations that were attempted
 * @property {RoundResult['outcomes']} outcomes of them
 * @property {Record<string, number>} errors how often each kind was seen
 * @property {string} histogram base64, HdrHistogram V2 compressed, nanoseconds
 * @property {{cpu: number | null, eventLoopUtilization: number}} load the thread that made the load
 * @property {RoundResult['link']} [link]
 * @property {RoundResult['copy']} [copy]
 */

/**
 * @param {Pick<Bench, 'cluster' | 'controls' | 'primary'>} bench with the control connections of the nodes that
 *   are to be in the result; they have to answer before and after
 * @param {() => Promise<OwnSample>} work what is to be measured, nothing of what prepares it
 * @returns {Promise<RoundResult>}
 */
export async function roundAround({ cluster, controls, primary }, work) {
  const stats = cluster.can.has('stats') ? cluster.stats : null;
  const { result, used } = await usedMeanwhile({ controls, primaryId: primary?.id, stats }, work);
  const { load, ...sample } = result;
  return {
    startedAt: used.startedAt,
    ...sample,
    throughput: sample.seconds > 0 ? sample.outcomes.acked / sample.seconds : 0,
    latencyNs: latencyOf(decodeHistogram(sample.histogram)),
    load: { ...load, process: used.process },
    machineCpu: used.machineCpu,
    nodes: used.nodes,
  };
}
