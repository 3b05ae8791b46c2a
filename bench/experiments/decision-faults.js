/** The faults that a decision is made of: those of decision-faults.yaml, with what their experiments say. */
/** @import { Profile } from '../types.js' */
/** @import { Experiment, Variation } from './types.js' */
/** @typedef {string} FaultId for `--faults` */
/** @typedef {ChosenFault & FaultOfExperiment & Pick<Experiment, 'title' | 'explained' | 'avoid' | 'blind'>} DecisionFault */
/**
 * @typedef {Object} ChosenFault decision-faults.yaml says what the fields mean
 * @property {string} [way] of the experiment
 * @property {true} [larger]
 * @property {true} [besideToo]
 * @property {true} [variesDownAfter]
 * @property {{name: string, version: [major: number, minor: number], text: string}} [since] from that version on; default: every server has it
 *
 * @typedef {Object} FaultOfExperiment
 * @property {FaultId} id
 * @property {(profile: Profile) => string[]} [lengths] default: one length
 * @property {string} benchmark of the sweep that measures it
 * @property {number} perYear how often it happens in a year: an assumption that `--faults-per-year` changes
 * @property {boolean} promotes a trial without a promotion shows nothing, unless it found that nobody could promote a replica
 * @property {Experiment} trial
 */
import { readYaml } from '../../src/yaml.js';
import { applies, experimentNamed, variationsOf } from './index.js';

/** @type {Readonly<Record<FaultId, ChosenFault & {experiment: string, trials?: string, lengths?: string[] | 'named'}>>} */
const CHOSEN = readYaml(new URL('decision-faults.yaml', import.meta.url));

/** In the order of tables. @type {readonly DecisionFault[]} */
export const FAULTS = Object.freeze(
  Object.entries(CHOSEN).map(([id, { experiment, trials = experiment, lengths, ...chosen }]) => {
    const trial = experimentNamed(experiment);
    const { way } = chosen;
    /** @type {Partial<Variation>} */
    const variation = way === undefined ? {} : variationsOf(trial)[way];
    const { explained, avoid, perYear = 0, blind } = { ...trial, ...variation };
    return {
      ...{ id, ...chosen },
      ...(lengths && { lengths: lengths === 'named' ? trial.lengths : () => lengths }),
      benchmark: `sweep-${trials}`,
      title: variation.fault ?? trial.title,
      ...{ explained, avoid, perYear, blind, trial },
      promotes: applies(trial.promotes, way),
    };
  }),
);

/** @param {FaultId} id @returns {DecisionFault} */
export function faultNamed(id) {
  const found = FAULTS.find((fault) => fault.id === id);
  if (!found) throw new RangeError(`no fault is called ${id}`);
  return found;
}

/** @param {FaultId} id @param {{name: string, version: string | null}} server which has what the fault takes; true also if it hides its version */
export function isAvailable(id, { name, version }) {
  const { since } = faultNamed(id);
  if (since === undefined) return true;
  if (name !== since.name) return false;
  if (version === null) return true;
  const [major, minor] = version.split('.').map(Number);
  return major > since.version[0] || (major === since.version[0] && minor >= since.version[1]);
}

/** @param {readonly FaultId[]} ids that not every server has @returns {string} such as `coordinated failover (Valkey 9.0 or later)` */
export function sinceTitles(ids) {
  return ids.map((id) => `${faultNamed(id).title} (${faultNamed(id).since?.text ?? 'every server'})`).join(', ');
}
