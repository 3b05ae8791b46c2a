/**
 * What benchmarks of this suite share: their texts, and how precisely the headline costs are measured, those of WAIT on one connection.
 *
 * @import { Pace, Precision, Profile } from '../../src/run/types.js'
 */

import { readYaml } from '../../src/yaml.js';

export const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));

export const WAITS = /** @type {const} */ ([1, 2]);
export const WAIT_MODES = /** @type {const} */ (['pipelined', 'sequential']);
/** Every client is measured at this depth, and at a depth of 1. */
export const DEEP = 100;
/** Rounds of headline cases are short and many. All cases get the first rounds, as a pilot. */
const HEADLINE_PACE = { rounds: 8, warmUpSeconds: 0.015 };
const LEAST_ROUNDS = 20;
const MOST_ROUNDS = 400;
/** Seconds for all rounds of a benchmark in the larger profiles. */
const BUDGETS = { standard: 600, full: 3600 };

/** @param {Profile} profile @param {number} seconds of a quick round @returns {Pace} of a benchmark with headline costs */
export function headlinePace(profile, seconds) {
  return profile.name === 'quick' ? { ...HEADLINE_PACE, seconds } : profile;
}

/**
 * Headline costs are those of one connection, to depth 100.
 * @param {Profile} profile
 * @param {number} seconds for all quick rounds of the benchmark
 * @returns {Precision} ± 10 points
 */
export function headlinePrecision({ name }, seconds) {
  return {
    headline: ({ params }) => params.connections === 1 && params.pipeline <= DEEP,
    halfWidth: 0.1,
    least: LEAST_ROUNDS,
    most: MOST_ROUNDS,
    seconds: name === 'quick' ? seconds : BUDGETS[name],
  };
}
