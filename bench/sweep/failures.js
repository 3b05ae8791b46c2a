/** The failure half of the configuration sweep: every mode through every fault, and with frozen replicas. */
/** @import { CaseOptions, TrialBenchmark } from '../types.js' */
/** @import { DecisionFault } from '../experiments/decision-faults.js' */
import { benchmarkOf, downAfterOf, writersFor } from '../experiments/benchmark.js';
import { failureCases } from '../experiments/cases.js';
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

/** @param {Pick<CaseOptions, 'profile'>} options */
const sweptModes = ({ profile }) => (profile.name === 'quick' ? QUICK_MODES : EVERY_MODE);

/** @param {Pick<CaseOptions, 'profile' | 'server' | 'replicas'>} options @returns what server and stack can do of the modes of the sweep */
export const sweepModes = (options) => modesFor(sweptModes(options), options);

/** The benchmark of each fault. @type {readonly TrialBenchmark[]} */
export const faultBenchmarks = Object.freeze(
  FAULTS.map((fault) =>
    benchmarkOf(fault.trial, {
      way: fault.way,
      cases: (options) => casesThrough(fault, options),
      own: {
        name: fault.benchmark,
        ...(fault.larger && { profiles: /** @type {const} */ (['standard', 'full']) }),
      },
    }),
  ),
);

/** Which modes still take writes while replicas are frozen. @type {readonly TrialBenchmark[]} */
export const pausing = Object.freeze(
  ['one-replica-paused', 'both-replicas-paused'].map((id) =>
    benchmarkOf(experimentNamed(id), {
      cases: (options) => failureCases(options, { modes: sweptModes(options) }),
      own: { name: `sweep-${id}` },
    }),
  ),
);

/** At the last of its lengths every mode, at the others the modes of `quick`. @param {DecisionFault} fault @param {CaseOptions} options */
function casesThrough({ trial, way, lengths, besideToo, variesDownAfter }, options) {
  const how = { writers: writersFor(trial), ...downAfterOf(trial, way) };
  const usual = (lengths?.(options.profile) ?? [undefined]).map((length, i, all) => ({
    ...how,
    modes: i === all.length - 1 ? sweptModes(options) : QUICK_MODES,
    variation: { length },
  }));
  const beside = { ...how, modes: CHOSEN_MODES, variation: { placement: COLOCATED } };
  const varied = DOWN_AFTER_SECONDS.map((seconds) => ({
    modes: DOWN_AFTER_MODES,
    variation: { setting: `down-after-${seconds}s` },
    downAfterMs: seconds * 1000,
  }));
  const isVaried = variesDownAfter && options.profile.name !== 'quick';
  return [...usual, ...(besideToo ? [beside] : []), ...(isVaried ? varied : [])].flatMap((set) =>
    failureCases(options, set),
  );
}
