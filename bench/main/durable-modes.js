/**
 * The benchmark `durable-modes`: what the modes that the pages let a reader choose between cost, with one connection and many.
 *
 * @import { BenchmarkResult, CaseParams } from '../../src/result/schema.js'
 * @import { Benchmark, Case, CaseOptions, Pace, Profile } from '../../src/run/types.js'
 */

import { rate } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { isSustained } from '../../src/stats/summary.js';
import { CHOSEN_MODES, MODES, modesFor, modeTitle } from '../modes.js';
import { TEXTS } from './headline.js';

/** @typedef {Partial<CaseParams> & Pick<CaseParams, 'connections'>} ModeLoad */

/** All other modes are compared with it: no minimum of replicas, no file, no WAIT. */
const BASELINE = { wait: 0, mode: 'async', settings: MODES.async.settings };
/** One connection, and many. @type {readonly ModeLoad[]} */
export const LOADS = [{ connections: 1 }, { connections: 50 }];
/** Many writes at once, and the rate at which the sweep compares response times. @type {readonly ModeLoad[]} */
export const LARGER_LOADS = [
  { connections: 1, pipeline: 100 },
  { connections: 10, rate: 1000 },
];

/** @type {Benchmark} */
export default {
  name: 'durable-modes',
  ...TEXTS['durable-modes'],
  needs: ['configure'],
  kind: 'load',
  pace: modePace,
  cases: (options) => loadsFor(options).flatMap((load) => modeCases(load, options)),
  table: [
    column.left('mode', ({ params }) => modeTitle(params)),
    column.connections,
    column.batch,
    column.right('offered', ({ params }) => (params.rate === undefined ? 'closed loop' : rate(params.rate))),
    ...column.MEASURED,
  ],
  checks: (result) => [sustainedWritesAcked(result)],
};

/** @param {Pick<CaseOptions, 'profile'>} options @returns {readonly ModeLoad[]} */
function loadsFor({ profile }) {
  return profile.name === 'quick' ? LOADS : [...LOADS, ...LARGER_LOADS];
}

/**
 * @param {ModeLoad} load
 * @param {Pick<CaseOptions, 'client' | 'server' | 'replicas'>} options
 * @returns {Case[]} one for each mode
 */
export function modeCases(load, { client, server, replicas }) {
  return [
    makeCase({ client, ...load, ...BASELINE }),
    ...modesFor(CHOSEN_MODES, { server, replicas }).map(({ name, mode: { wait, settings } }) =>
      makeCase({ client, ...load, wait, mode: name, settings }, BASELINE),
    ),
  ];
}

/** @param {Profile} profile @returns {Pace} making the settings takes longer than a quick round */
export function modePace(profile) {
  return profile.name === 'quick' ? { rounds: 8, seconds: 0.25, warmUpSeconds: 0.05 } : profile;
}

/** @param {BenchmarkResult} result @returns {ReturnType<typeof everyWriteAcked>} without rates that were too high for the mode */
export function sustainedWritesAcked(result) {
  const cases = result.cases.filter(({ params, rounds }) => params.rate === undefined || isSustained(rounds));
  return everyWriteAcked({ ...result, cases });
}
