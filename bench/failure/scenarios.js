/** What the suite measures: of each experiment the modes, by profile, as selection.yaml says. */
import { readSelection, selectedBenchmark } from '../experiments/selection.js';
import { SAID } from './scenario-checks.js';

/** @type {readonly import('../../src/run/types.js').TrialBenchmark[]} */
export const SCENARIOS = Object.freeze(
  readSelection(new URL('selection.yaml', import.meta.url)).map((each) =>
    selectedBenchmark(each, SAID[each.experiment]),
  ),
);
