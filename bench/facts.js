/**
 * What facts need to know of the suites: what the variant of a case says, and units that the name of a figure does not say.
 *
 * @import { SuiteTerms, VariantFields } from '../src/facts/index.js'
 */

import { metricNamed } from '../src/facts/metrics.js';
import { WORKLOADS } from './workloads/index.js';

/** In results the variant is one text; facts have a field for each part. The first form that matches counts; the last is any other setting. */
const FORMS = [
  /^(?<length>plus-\d+ms|until-promoted|long)$/,
  /^(?<placement>colocated|apart)(?:-(?<setting>with-\d+))?$/,
  /^(?<setting>blocked)-(?<length>\d+s)$/,
  /^(?<way>by-.+|coordinated|unannounced|in-place|promoted)$/,
  /^(?<setting>.*)$/,
];

/**
 * @param {string} variant of a case
 * @returns {VariantFields} only those that it says
 */
function splitVariant(variant) {
  const found = FORMS.map((form) => form.exec(variant)).find((match) => match !== null);
  return Object.fromEntries(Object.entries(found?.groups ?? {}).filter(([, text]) => text !== undefined));
}

const STREAM_RATES = ['p50', 'p95', 'p99', 'peak'].map((field) => [
  `link.rates.${field}`,
  { metric: `link-rate-${field}`, unit: 'bytes/s' },
]);

/** Harm to workloads: fewer is better. */
const HARMS = WORKLOADS.flatMap(({ harms }) => Object.keys(harms)).map((figure) => [
  figure,
  { ...metricNamed(figure), better: /** @type {const} */ ('less') },
]);

/** @type {SuiteTerms} */
export const suiteTerms = Object.freeze({
  splitVariant,
  metrics: Object.fromEntries([...STREAM_RATES, ...HARMS]),
  companions: ({ workloads = [] }) =>
    workloads.map(({ workload, source, figures }) => ({ writer: `${workload}.${source}`, figures })),
});
