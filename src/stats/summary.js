/**
 * The rounds of a case in a few figures.
 */
import { latencyOf, mergeHistograms } from './histogram.js';
import { limitedBy } from './limited-by.js';
import { bootstrapInterval, knownMedian, median, pairedRatio } from './statistics.js';

/** @import { CaseSummary, RoundResult } from '../result/schema.js' */

/**
 * @param {readonly RoundResult[]} rounds at least one, in the order of their numbers
 * @param {readonly RoundResult[] | null} baselineRounds the baseline's in the same order: the first belongs with the
 *   first. Rounds that only one side has are left out of the ratio. null: no baseline
 * @param {{baselineId?: string, seed: number}} options baselineId: needed with a baseline; seed: of the intervals
 * @returns {CaseSummary} without `relativeToBaseline` when a round of the baseline had no acked write: no ratio exists
 * @throws {RangeError} when there is no round
 * @throws {Error} when a round's histogram cannot be read
 */
export function summarise(rounds, baselineRounds, { baselineId = '', seed }) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  const ratio = throughputRatio(rounds, baselineRounds ?? [], seed);
  return {
    throughput: intervalOf(rounds, ({ throughput }) => throughput, seed),
    p50Ns: intervalOf(rounds, ({ latencyNs }) => latencyNs.p50, seed),
    p99Ns: intervalOf(rounds, ({ latencyNs }) => latencyNs.p99, seed),
    latencyNs: latencyOf(merged),
    samples: merged.totalCount,
    ...(ratio && { relativeToBaseline: { baseline: baselineId, throughput: ratio } }),
    limitedBy: limitedBy({
      loadCpu: knownMedian(rounds.map(({ load }) => load.cpu)),
      eventLoopUtilization: median(rounds.map(({ load }) => load.eventLoopUtilization)),
      primaryMainThreadCpu: knownMedian(rounds.map(primaryCpu)),
      machineCpu: median(rounds.map(({ machineCpu }) => machineCpu)),
      // An idle node is never the bottleneck.
      sustained: isSustained(rounds) || rounds.every(({ operations }) => operations === 0),
    }),
  };
}

/**
 * @param {readonly RoundResult[]} rounds
 * @param {(round: RoundResult) => number} value
 * @param {number} seed
 */
function intervalOf(rounds, value, seed) {
  return bootstrapInterval(rounds.map(value), { seed });
}

/**
 * @param {readonly RoundResult[]} rounds
 * @param {readonly RoundResult[]} baselineRounds
 * @param {number} seed
 */
function throughputRatio(rounds, baselineRounds, seed) {
  const pairs = Math.min(rounds.length, baselineRounds.length);
  const [values, baseline] = [rounds, baselineRounds].map((side) =>
    side.slice(0, pairs).map(({ throughput }) => throughput),
  );
  if (pairs === 0 || baseline.includes(0)) return null;
  return pairedRatio(values, baseline, { seed });
}

/**
 * The whole process stands in where a server does not tell its command thread apart: that errs towards naming the primary.
 *
 * @param {RoundResult} round
 * @returns {number | null}
 */
function primaryCpu({ nodes }) {
  const primary = nodes.find(({ role }) => role === 'primary');
  return primary?.mainThreadCpu ?? primary?.cpu ?? null;
}

/**
 * @param {readonly RoundResult[]} rounds
 * @returns {boolean} the load left on a schedule, and more than half of the rounds kept it
 */
export function isSustained(rounds) {
  return rounds.filter(({ openLoop }) => openLoop?.sustained).length > rounds.length / 2;
}
