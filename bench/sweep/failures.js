/**
 * The failure half of the configuration sweep: every mode through every fault, and with frozen replicas.
 *
 * @import { Case, CaseOptions, TrialBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 * @import { DecisionFault } from '../experiments/decision-faults.js'
 */
import { benchmarkOf, downAfterOf, writersFor } from '../experiments/benchmark.js';
import { failureCases } from '../experiments/cases.js';
import { auditChecks, failoverChecks } from '../experiments/checks.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { experimentNamed } from '../experiments/index.js';
import { COLOCATED } from '../experiments/placement.js';
import { CHOSEN_MODES, MODES, modesFor, modesNamed } from '../modes.js';

const QUICK_MODES = modesNamed(['swept']);
const LEFT_OUT = modesNamed(['unswept']);
/** What the larger profiles measure. */
const EVERY_MODE = Object.keys(MODES).filter((name) => !LEFT_OUT.includes(name));
/** Sentinel's down-after acts on all modes of a kind alike: one of each. */
const DOWN_AFTER_MODES = ['async', 'min1', 'wait1'];
/** In addition to the stack's 5 s. */
const DOWN_AFTER_SECONDS = [1, 30];

/** The benchmark of each fault. @type {readonly TrialBenchmark[]} */
export const faultBenchmarks = Object.freeze(FAULTS.map(benchmarkOfFault));

/** Which modes still take writes while replicas are frozen. @type {readonly TrialBenchmark[]} */
export const pausing = Object.freeze(
  ['one-replica-paused', 'both-replicas-paused'].map((id) =>
    benchmarkOf(experimentNamed(id), {
      cases: (options) => sweepCases(options),
      own: { name: `sweep-${id}` },
    }),
  ),
);

/** @param {DecisionFault} fault @returns {TrialBenchmark} */
function benchmarkOfFault({ trial, way, benchmark, promotes, variesDownAfter, besideToo, larger, lengths }) {
  return benchmarkOf(trial, {
    way,
    cases: (options) =>
      sweepCases(options, {
        varied: variesDownAfter === true,
        beside: besideToo === true,
        lengths: lengths?.(options.profile),
        writers: writersFor(trial),
        ...downAfterOf(trial, way),
      }),
    own: {
      name: benchmark,
      needsFailover: promotes,
      ...(larger && { profiles: /** @type {const} */ (['standard', 'full']) }),
      checks: promotes ? failoverChecks : auditChecks,
    },
  });
}

/** @param {Pick<CaseOptions, 'profile'>} options @returns {readonly ModeName[]} as far as server and stack can do them */
function sweptModes({ profile }) {
  return profile.name === 'quick' ? QUICK_MODES : EVERY_MODE;
}

/** @param {Pick<CaseOptions, 'profile' | 'server' | 'replicas'>} options @returns {ReturnType<typeof modesFor>} */
export function sweepModes({ profile, server, replicas }) {
  return modesFor(sweptModes({ profile }), { server, replicas });
}

/**
 * @param {Pick<CaseOptions, 'profile' | 'client' | 'server' | 'replicas'>} options
 * @param {Object} [wanted]
 * @param {boolean} [wanted.varied] the larger profiles also vary down-after-milliseconds; default false
 * @param {boolean} [wanted.beside] try the modes of the pages with one Sentinel beside each node, too; default false
 * @param {string[]} [wanted.lengths] of the fault, as variants; modes beyond those of `quick` get the last one only
 * @param {readonly string[]} [wanted.writers]
 * @param {number} [wanted.downAfterMs] of the Sentinels; default: the stack's
 * @returns {Case[]}
 */
function sweepCases(options, { varied: isVaried = false, beside = false, lengths, writers, downAfterMs } = {}) {
  const how = { downAfterMs, ...(writers && { writers }) };
  const modes = sweptModes(options);
  const last = lengths?.at(-1);
  const usual =
    lengths === undefined
      ? failureCases(options, { modes, ...how })
      : lengths.flatMap((length) =>
          failureCases(options, { modes: length === last ? modes : QUICK_MODES, variation: { length }, ...how }),
        );
  if (beside)
    return [...usual, ...failureCases(options, { modes: CHOSEN_MODES, variation: { placement: COLOCATED }, ...how })];
  if (!isVaried || options.profile.name === 'quick') return usual;
  const varied = DOWN_AFTER_SECONDS.flatMap((seconds) =>
    failureCases(options, {
      modes: DOWN_AFTER_MODES,
      variation: { setting: `down-after-${seconds}s` },
      downAfterMs: seconds * 1000,
    }),
  );
  return [...usual, ...varied];
}
