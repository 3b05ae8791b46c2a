/** What the modes that the pages let a reader choose between cost, with one connection and many: `durable-modes`, and with the nodes apart `distance`. */
/** @import { BenchmarkResult, CaseOptions, CaseParams, LoadBenchmark, Profile } from './types.js' */
/** @typedef {Partial<CaseParams> & Pick<CaseParams, 'connections'>} ModeLoad */
import { rate } from '../src/format.js';
import { everyWriteAcked } from '../src/report/checks.js';
import * as column from '../src/report/columns.js';
import { makeCase } from '../src/run/case.js';
import { whyNoLatency } from '../src/stacks/network/links.js';
import { isSustained } from '../src/stats/summary.js';
import { CHOSEN_MODES, MODES, modesFor, modeTitle } from './modes.js';
import { declaredIn } from './pages/declared.js';

const DECLARED = declaredIn(new URL('mode-costs.yaml', import.meta.url));
/** All other modes are compared with it: no minimum of replicas, no file, no WAIT. */
const BASELINE = { wait: 0, mode: 'async', settings: MODES.async.settings };
/** One connection, and many. @type {readonly ModeLoad[]} */
const LOADS = [{ connections: 1 }, { connections: 50 }];
/** Many writes at once, and the rate at which the sweep compares response times. @type {readonly ModeLoad[]} */
const LARGER_LOADS = [...LOADS, { connections: 1, pipeline: 100 }, { connections: 10, rate: 1000 }];
/** Added to a round trip between nodes: another zone. */
export const APART_MS = 1;
/** Of one connection in larger profiles: the relay alone, the same rack, and another region. */
const OTHER_MS = [0, 0.5, 5];

/** @param {CaseOptions} options */
const loadsFor = ({ profile }) => (profile.name === 'quick' ? LOADS : LARGER_LOADS);

/** @param {CaseOptions} options */
function loadsApart(options) {
  const apart = loadsFor(options).map((load) => ({ ...load, linkLatencyMs: APART_MS }));
  const others = OTHER_MS.map((linkLatencyMs) => ({ ...LOADS[0], linkLatencyMs }));
  return options.profile.name === 'quick' ? apart : [...apart, ...others];
}

export const durableModes = modeBenchmark('durable-modes', loadsFor, [
  column.connections,
  column.batch,
  column.right('offered', ({ params }) => (params.rate === undefined ? 'closed loop' : rate(params.rate))),
]);

/** @type {LoadBenchmark} */
export const distance = {
  ...modeBenchmark('distance', loadsApart, [
    column.right('round trip longer by', ({ params }) => `${params.linkLatencyMs ?? 0} ms`),
    column.connections,
    column.batch,
  ]),
  needs: ['slow-all', 'configure'],
  whyNotCase: ({ params: { linkLatencyMs = 0 } }, stack) => whyNoLatency(stack, linkLatencyMs),
  stacks: { links: true },
};

/** @param {string} name @param {(options: CaseOptions) => readonly ModeLoad[]} loads @param {NonNullable<LoadBenchmark['table']>} columns @returns {LoadBenchmark} */
function modeBenchmark(name, loads, columns) {
  return {
    kind: 'load',
    ...DECLARED[name],
    needs: ['configure'],
    pace: modePace,
    cases: (options) => loads(options).flatMap((load) => modeCases(load, options)),
    table: [column.left('mode', ({ params }) => modeTitle(params)), ...columns, ...column.MEASURED],
    checks: (result) => [sustainedWritesAcked(result)],
  };
}

/** @param {ModeLoad} load @param {Pick<CaseOptions, 'client' | 'server' | 'replicas'>} options one case for each mode */
function modeCases(load, { client, server, replicas }) {
  return [
    makeCase({ client, ...load, ...BASELINE }),
    ...modesFor(CHOSEN_MODES, { server, replicas }).map(({ name, mode: { wait, settings } }) =>
      makeCase({ client, ...load, wait, mode: name, settings }, BASELINE),
    ),
  ];
}

/** @param {Profile} profile making the settings takes longer than a quick round */
function modePace(profile) {
  return profile.name === 'quick' ? { rounds: 8, seconds: 0.25, warmUpSeconds: 0.05 } : profile;
}

/** @param {BenchmarkResult} result without rates that were too high for the mode */
function sustainedWritesAcked(result) {
  const cases = result.cases.filter(({ params, rounds }) => params.rate === undefined || isSustained(rounds));
  return everyWriteAcked({ ...result, cases });
}
