/**
 * A suite as a selection: experiments, modes and writers by name. Its pages are those that every result has, unless it gives one.
 * @import { Profile, Suite } from '../../src/run/types.js'
 * @import { StackSize } from './cases.js'
 * @import { CaseSet, SelectedExperiment } from './selection.js'
 */
import { selectedBenchmark } from './selection.js';

/**
 * @param {Object} selection
 * @param {string} selection.name
 * @param {readonly (string | Omit<SelectedExperiment, 'name'>)[]} selection.experiments ids, or what is selected of one
 * @param {CaseSet['modes']} selection.modes of the experiments that are named by their ids only
 * @param {readonly string[]} [selection.writers] default: those of the experiment
 * @param {StackSize} [selection.topology] number of replicas and Sentinels; default: what the user asks for
 * @param {Profile['name'][]} [selection.profiles] default: all
 * @param {Suite['page']} [selection.page] default: a table for each experiment
 * @returns {Suite} whose benchmarks are called `<suite>-<experiment>`
 */
export function suiteOf({ name, experiments, modes, writers, topology, profiles, page }) {
  const how = { ...(writers && { writers }), ...(topology && { size: topology }) };
  const benchmarks = experiments.map((each) => {
    const selected =
      typeof each === 'string' ? { experiment: each, cases: [{ modes, few: /** @type {const} */ (true), how }] } : each;
    return selectedBenchmark(
      { ...selected, name: `${name}-${selected.experiment}` },
      { ...(profiles && { profiles }) },
    );
  });
  return { name, benchmarks, ...(page && { page }) };
}
