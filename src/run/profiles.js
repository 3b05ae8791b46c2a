/** @import { Benchmark, Profile } from './types.js' */

import { readYaml } from '../yaml.js';

/** @type {Readonly<Record<Profile['name'], Omit<Profile, 'name'>>>} */
const listed = readYaml(new URL('profiles.yaml', import.meta.url));

export const PROFILES = /** @type {Readonly<Record<Profile['name'], Profile>>} */ (
  Object.fromEntries(Object.entries(listed).map(([name, profile]) => [name, Object.freeze({ name, ...profile })]))
);

/**
 * @param {Profile} profile that the user asked for @param {readonly Benchmark[]} benchmarks of the run
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
