/** @import { Benchmark, Profile } from './types.js' */

/**
 * How much is measured. `quick` gives an answer in two minutes; the others give narrower intervals.
 * @type {Readonly<Record<Profile['name'], Profile>>}
 */
export const PROFILES = Object.freeze({
  quick: {
    name: 'quick',
    rounds: 5,
    seconds: 0.17,
    warmUpSeconds: 0.03,
    trials: 1,
    healthySeconds: 1.5,
    writesPerSecond: 1000,
    preloadKeys: 2000,
  },
  standard: {
    name: 'standard',
    rounds: 11,
    seconds: 1,
    warmUpSeconds: 0.2,
    trials: 3,
    healthySeconds: 3,
    writesPerSecond: 1000,
    preloadKeys: 5000,
  },
  full: {
    name: 'full',
    rounds: 21,
    seconds: 5,
    warmUpSeconds: 1,
    trials: 7,
    healthySeconds: 10,
    writesPerSecond: 2000,
    preloadKeys: 375_795,
  },
});

/**
 * @param {Profile} profile that the user asked for
 * @param {readonly Benchmark[]} benchmarks of the run
 * @returns {Profile} one for the whole run, with as many and as long rounds as the most demanding needs
 */
export function profileFor(profile, benchmarks) {
  const leasts = benchmarks.flatMap((each) => (each.kind === 'load' && each.least) || []);
  return {
    ...profile,
    rounds: Math.max(profile.rounds, ...leasts.map(({ rounds }) => rounds)),
    seconds: Math.max(profile.seconds, ...leasts.map(({ seconds }) => seconds)),
  };
}
