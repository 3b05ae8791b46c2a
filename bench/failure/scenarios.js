/**
 * What the suite measures: of each experiment the modes, by profile, as selection.yaml says.
 *
 * @import { Case, CaseOptions, TrialBenchmark } from '../../src/run/types.js'
 * @import { ByProfile, CaseHow, CaseSet, SelectedExperiment } from '../experiments/selection.js'
 * @import { ModeName } from '../modes.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { failureCases, LATE_DOWN_AFTER_MS, OWN_WRITERS, PLACED_WRITERS } from '../experiments/cases.js';
import { DOWN_AFTER_MS } from '../experiments/primary-loading.js';
import { LOADS, settingOf } from '../experiments/resync-interrupted.js';
import { selectedBenchmark } from '../experiments/selection.js';
import { DIVISIONS, REPLICAS, SENTINELS } from '../experiments/topology.js';
import { DECIDING_MODES, GROUP_MODES, PLANNED_MODES, SAFEST_MODES, WHOLE_MODES } from '../modes.js';
import { SAID } from './scenario-checks.js';

/** By their names in selection.yaml. @type {Readonly<Record<string, readonly ModeName[]>>} */
const GROUPS = Object.freeze({
  usual: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1'],
  whole: WHOLE_MODES,
  deciding: DECIDING_MODES,
  groups: GROUP_MODES,
  planned: PLANNED_MODES,
  safest: SAFEST_MODES,
  // What a power loss takes depends on the file.
  power: ['defaults', 'aof-no', 'aof', 'aof-always', 'wait2-aof-always', 'waitaof-local', 'waitaof'],
});

/** @param {readonly string[]} names @returns {readonly ModeName[]} */
const modesNamed = (names) => names.flatMap((name) => GROUPS[name] ?? /** @type {ModeName} */ (name));

/** @param {any} named @returns {ByProfile<ModeName>} */
const byProfile = (named) =>
  Array.isArray(named) ? modesNamed(named) : { quick: modesNamed(named.quick), larger: modesNamed(named.larger) };

/** @param {any} set of selection.yaml @returns {CaseSet} */
function caseSet({ modes, how: { late, libraries, examples, ...how } = /** @type {any} */ ({}), ...set }) {
  return {
    ...set,
    modes: byProfile(modes),
    how: {
      ...how,
      ...(late && { downAfterMs: LATE_DOWN_AFTER_MS }),
      ...(libraries && { libraries: modesNamed(libraries) }),
      ...(examples && { examples: modesNamed(examples) }),
    },
  };
}

/** Their cases come from the experiment. @type {readonly SelectedExperiment[]} */
const OF_THEIR_OWN = [
  {
    experiment: 'primary-loading',
    larger: true,
    cases: [{ modes: ['aof', 'aof-always', ...DECIDING_MODES], how: { downAfterMs: DOWN_AFTER_MS } }],
  },
  {
    experiment: 'resync-interrupted',
    larger: true,
    cases: (options) =>
      (options.profile.name === 'quick' ? LOADS.slice(-1) : LOADS).flatMap((load) =>
        failureCases(options, {
          modes: GROUP_MODES,
          variation: { setting: settingOf(load) },
          settings: { 'repl-diskless-load': load },
        }),
      ),
  },
  {
    experiment: 'topology',
    larger: true,
    cases: (options) =>
      DIVISIONS.flatMap(({ placement, setting, away }) =>
        failureCases(options, {
          modes: ['wait2-aof', 'wait3-aof', 'wait4-aof'],
          variation: { placement, setting },
          writers: away === undefined ? OWN_WRITERS : PLACED_WRITERS,
          size: { replicas: REPLICAS, sentinels: SENTINELS[placement] },
        }),
      ),
  },
];

/** @type {Record<string, any>} */
const selection = parse(readFileSync(new URL('selection.yaml', import.meta.url), 'utf8'));
/** @type {SelectedExperiment[]} */
const selected = Object.entries(selection).map(([experiment, { larger, cases, ...sets }]) => ({
  experiment,
  ...(larger && { larger }),
  cases: (cases ?? Object.values(sets)).map(caseSet),
}));

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  [...selected, ...OF_THEIR_OWN].map((each) => selectedBenchmark(each, SAID[each.experiment])),
);
