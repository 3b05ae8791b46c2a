/**
 * What facts need to know of the suites: units that the name of a figure does not say.
 *
 * @import { SuiteTerms } from '../src/facts/index.js'
 */

const STREAM_RATES = ['p50', 'p95', 'p99', 'peak'].map((field) => [
  `link.rates.${field}`,
  { metric: `link-rate-${field}`, unit: 'bytes/s' },
]);

/** @type {SuiteTerms} */
export const suiteTerms = Object.freeze({ metrics: Object.fromEntries(STREAM_RATES) });
