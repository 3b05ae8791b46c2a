/**
 * The histograms of a case in the two formats that the tools of HdrHistogram read. Durations are in milliseconds.
 */

import { HistogramLogWriter } from 'hdr-histogram-js';
import { decodeHistogram, mergeHistograms } from '../stats/histogram.js';
import { NS_A_MS } from '../units.js';

/**
 * @import { CaseResult } from './schema.js'
 */

const TICKS_PER_HALF_DISTANCE = 5;

/**
 * @param {Pick<CaseResult, 'rounds'>} result
 * @returns {string} `.hgrm`: the percentile distribution of all rounds together
 */
export function percentileDistribution({ rounds }) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  return merged.outputPercentileDistribution(TICKS_PER_HALF_DISTANCE, NS_A_MS);
}

/**
 * @param {CaseResult} result
 * @returns {string} `.hlog`: one interval a round; times are seconds since the epoch, values in the histograms nanoseconds
 */
export function histogramLog({ rounds }) {
  let text = '';
  const writer = new HistogramLogWriter((line) => {
    text += line;
  });
  const start = Date.parse(rounds[0].startedAt) / 1000;
  writer.outputLogFormatVersion();
  // Not outputStartTime, which writes the date in the language and time zone of the machine.
  writer.outputComment(`[StartTime: ${start.toFixed(3)} (seconds since epoch), ${rounds[0].startedAt}]`);
  writer.outputLegend();
  for (const { startedAt, seconds, histogram } of rounds) {
    const from = Date.parse(startedAt) / 1000;
    writer.outputIntervalHistogram(decodeHistogram(histogram), from, from + seconds, NS_A_MS);
  }
  return text;
}
