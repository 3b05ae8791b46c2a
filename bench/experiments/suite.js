/**
 * A suite as a selection: experiments, modes and writers by name. Its pages are those that every result has, unless it gives one.
 *
 * @import { Profile, Suite } from '../../src/run/types.js'
 * @import { StackSize } from './cases.js'
 * @import { CaseSet, SelectedExperiment } from './selection.js'
 */
import { MODE_STYLES } from '../modes.js';
import { selectedBenchmark } from './selection.js';

/**
 * @typedef {Object} SuiteSelection
 * @property {string} name
 * @property {readonly (string | Omit<SelectedExperiment, 'name'>)[]} experiments ids, or what is selected of one
 * @property {CaseSet['modes']} modes of the experiments that are named by their ids only
 * @property {readonly string[]} [writers] default: those of the experiment
 * @property {StackSize} [topology] number of replicas and Sentinels; default: what the user asks for
 * @property {Profile['name'][]} [profiles] default: all
 * @property {Suite['page']} [page] default: a table for each experiment
 */

/** @param {SuiteSelection} selection @returns {Suite} whose benchmarks are called `<suite>-<experiment>` */
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
  return { name, styles: MODE_STYLES, benchmarks, ...(page && { page }) };
}
