/** The cases of the suite: every driver that is there writes side by side in one trial, so that all meet the same failure. */
/** @import { Case, CaseOptions, DriverEntry } from '../types.js' */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverWriter } from '../../src/drivers/writer-name.js';
import { failureCases } from '../experiments/cases.js';

/** A careful client without a library, to compare with: it leaves the old primary as soon as a Sentinel says so. */
export const REFERENCE = 'failover-aware';
/** The clients of examples/ that write in this process, and the files that people copy. @type {Readonly<Record<string, string>>} */
export const COPIED_WRITERS = Object.freeze({
  'redis-example': 'examples/node-redis.js',
  'ioredis-example': 'examples/ioredis.js',
});
/** Writes that an application has under way at once. */
const CONCURRENCY = 10;
/** A write every 20 ms. More than twenty clients share the machine with the servers. */
const RATE = 50;
/** Variants of drivers. */
const DEFAULTS = 'defaults';
export const BEST = 'best';

/**
 * @param {Pick<CaseOptions, 'profile' | 'client' | 'server' | 'parameters'>} options larger profiles add the best options
 * @param {readonly string[]} [modes]
 * @returns {Case[]}
 */
export function libraryCases({ profile, client, server, parameters = {} }, modes = ['async', 'wait1']) {
  const byProfile = profile.name === 'quick' ? [DEFAULTS] : [DEFAULTS, BEST];
  /** @type {{onlyDriver?: string[], driverVariant?: string[]}} */
  const { onlyDriver, driverVariant: variants = byProfile } = parameters;
  const options = { client, server, profile: { ...profile, writesPerSecond: RATE } };
  return variants.flatMap((variant) => {
    const drivers = driversThere(variant).filter(({ name }) => onlyDriver?.includes(name) ?? true);
    const named = drivers.map(({ name }) => driverWriter(name, variant));
    const how =
      variant === DEFAULTS
        ? { writers: [REFERENCE, ...named, ...Object.keys(COPIED_WRITERS)] }
        : { writers: [REFERENCE, ...named], variation: { setting: variant } };
    const cases = failureCases(options, { modes, connections: CONCURRENCY, ...how });
    // An application awaits its write before it sends the WAIT.
    return cases.map(({ id, params }) => ({ id, params: { ...params, waitMode: 'sequential' } }));
  });
}

/** @param {string} variant @returns {DriverEntry[]} those that can run and have the variant */
function driversThere(variant) {
  return readLanguages().flatMap(({ drivers }) =>
    drivers.filter(({ missing, variants }) => missing === null && Object.hasOwn(variants, variant)),
  );
}
