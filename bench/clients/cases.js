/**
 * The cases of the suite: every driver that is there writes side by side in one trial, so that all meet the same failure.
 *
 * @import { Case, CaseOptions, Titles } from '../../src/run/types.js'
 */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverWriter } from '../../src/drivers/writer-name.js';
import { writerTitle } from '../../src/registry/writers.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { caseTitle } from '../failure/cases.js';
import { TRIAL_MODES } from '../failure/modes.js';

/** A careful client without a library, to compare with: it leaves the old primary as soon as a Sentinel says so. */
export const REFERENCE = 'failover-aware';
const MODES = /** @type {const} */ (['async', 'wait1']);
/** Writes that an application has under way at once. */
const CONCURRENCY = 10;
/** A write every 20 ms. More than twenty clients share the machine with the servers. */
const RATE = 50;
/** By name in result.json: what a case does with the libraries. */
export const BEST = 'best';

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) => caseTitle(params),
  writer: writerTitle,
});

/**
 * @param {Pick<CaseOptions, 'profile' | 'client'>} options
 * @returns {Case[]} the larger profiles add the libraries with their best options
 */
export function libraryCases({ profile, client }) {
  if (client !== undefined && client !== 'native') return [];
  const variants = profile.name === 'quick' ? ['defaults'] : ['defaults', BEST];
  return variants.flatMap((variant) => MODES.map((mode) => libraryCase(mode, variant)));
}

/**
 * @param {typeof MODES[number]} mode
 * @param {string} variant of the drivers
 * @returns {Case}
 */
function libraryCase(mode, variant) {
  const { wait, settings } = TRIAL_MODES[mode];
  const isDefault = variant === 'defaults';
  return {
    id: isDefault ? mode : `${mode}-${variant}`,
    params: {
      ...DEFAULT_PARAMS,
      client: 'native',
      wait,
      waitMode: 'sequential',
      connections: CONCURRENCY,
      rate: RATE,
      mode,
      ...(!isDefault && { variant }),
      writers: [REFERENCE, ...driversThere(variant)],
      settings: { ...settings },
    },
  };
}

/**
 * @param {string} variant
 * @returns {string[]} the writers of all drivers that can run and have the variant
 */
function driversThere(variant) {
  return readLanguages().flatMap(({ drivers }) =>
    drivers
      .filter(({ missing, variants }) => missing === null && Object.hasOwn(variants, variant))
      .map(({ name }) => driverWriter(name, variant)),
  );
}
