/** The limit for response times that a user may ask `latency-curve` to meet. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { durationBetween } from '../../src/quantities.js';
import { LoadParameters } from '../../src/run/parameters.js';

/** @import { OptionGroup } from '../types.js' */

const Slo = z.object({
  percentile: z.enum(['p50', 'p90', 'p95', 'p99', 'p999']),
  ns: z.number().positive(),
  text: z.string(),
});

/** @typedef {z.infer<typeof Slo>} SloValue `text` is as the user wrote it */

export const SloParameters = LoadParameters.extend({ slo: Slo }).partial();

const latencyLimit = durationBetween('0.001ms and 60s');

/** @param {string} text such as `p99<2ms` @returns {SloValue} */
export function parseSlo(text) {
  const match = /^(p50|p90|p95|p99|p99\.9)<(.+)$/.exec(text.replaceAll(' ', ''));
  if (!match) throw new InvalidArgumentError('It must be a percentile and a time, for instance p99<2ms or p99.9<20ms.');
  const percentile = /** @type {SloValue['percentile']} */ (match[1].replace('.', ''));
  return { percentile, ns: latencyLimit(match[2]) * 1e6, text: `${match[1]}<${match[2]}` };
}

/** @type {OptionGroup} */
export const options = {
  title: 'Benchmark latency-curve',
  options: [
    {
      flags: '--slo <limit>',
      description: 'find the highest rate within this limit, such as p99<2ms',
      parse: parseSlo,
    },
  ],
};
