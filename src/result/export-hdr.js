/** The histograms of a case in the format that the plotters of HdrHistogram read. Durations are in milliseconds. */

import { mergeHistograms } from '../stats/histogram.js';
import { NS_A_MS } from '../units.js';

/** @import { CaseResult } from './schema.js' */

const TICKS_PER_HALF_DISTANCE = 5;

/** @param {Pick<CaseResult, 'rounds'>} result @returns {string} `.hgrm`: the percentile distribution of all rounds together */
export function percentileDistribution({ rounds }) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  return merged.outputPercentileDistribution(TICKS_PER_HALF_DISTANCE, NS_A_MS);
}
