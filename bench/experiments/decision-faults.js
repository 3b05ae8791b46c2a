/**
 * The faults that a decision is made of: experiments of the catalogue, each with its name for `recommend --faults` and its benchmark of this suite.
 *
 * @import { Profile } from '../../src/run/types.js'
 * @import { Experiment, Variation } from './types.js'
 */

import { BY_HAND, COORDINATED } from './failover-script.js';
import { applies, experimentNamed, variationsOf } from './index.js';
import { lengthBeyond, lengthsFor } from './lengths.js';
import { IN_PLACE } from './primary-power-lost.js';

/**
 * @typedef {'kill' | 'machine' | 'partition' | 'frozen' | 'failover' | 'runbook' | 'coordinated' | 'stop' | 'restart' | 'power' |
 *   'partition-with-replica' | 'one-way' | 'flapping' | 'sentinels-cut-off' | 'host-briefly' | 'frozen-briefly' | 'blocked' |
 *   'confirming-lost' | 'stale-preferred'} FaultId
 *
 * @typedef {Object} ChosenFault
 * @property {FaultId} id for `--faults`
 * @property {string} [trials] the name of its benchmark without `sweep-`; default: the experiment's
 * @property {string} experiment its id
 * @property {string} [way] of the experiment
 * @property {true} [larger] only the larger profiles measure it: it lost nothing in any mode, or another fault tells the same modes apart
 * @property {(profile: Profile) => string[]} [lengths] of its cases; the worst one counts. Default: one length
 * @property {true} [besideToo] the modes of the pages are tried with one Sentinel beside each node, too
 * @property {true} [variesDownAfter] the larger profiles also vary down-after-milliseconds
 * @property {{name: string, version: [major: number, minor: number], text: string}} [since] the only server that has it, from that version
 *   on; text: such as `Valkey 9.0 or later`. Default: every server has it
 *
 * @typedef {Object} FaultTexts by the experiment
 * @property {string} benchmark of the sweep that measures it
 * @property {string} title such as `network partition`
 * @property {string} [explained] what a reader may not guess from the title
 * @property {string} [avoid] what keeps it from happening, or from losing much
 * @property {number} perYear how often it happens in a year: an assumption that `--faults-per-year` changes
 * @property {string} [blind] why it may show no loss with any mode on this machine; after a colon
 * @property {boolean} promotes a trial without a promotion shows nothing, unless it found that nobody could promote a replica
 * @property {Experiment} trial
 *
 * @typedef {Omit<ChosenFault, 'experiment' | 'trials'> & FaultTexts} DecisionFault
 */

/** The first one ends while the Sentinels fail over. */
const BLOCKED_LENGTHS = [1000, 500].map(lengthBeyond);

/** In the order of tables. @type {readonly ChosenFault[]} */
const CHOSEN = [
  { id: 'kill', trials: 'killed', experiment: 'primary-killed', larger: true, variesDownAfter: true },
  { id: 'machine', trials: 'machine-lost', experiment: 'primary-machine-lost' },
  { id: 'partition', trials: 'partition', experiment: 'primary-partition', variesDownAfter: true },
  { id: 'frozen', trials: 'paused', experiment: 'primary-paused', larger: true },
  { id: 'failover', trials: 'failover', experiment: 'planned-failover' },
  { id: 'runbook', trials: 'failover-held', experiment: 'planned-failover', way: BY_HAND },
  {
    id: 'coordinated',
    trials: 'failover-coordinated',
    experiment: 'planned-failover',
    way: COORDINATED,
    since: { name: 'valkey', version: [9, 0], text: 'Valkey 9.0 or later' },
  },
  { id: 'stop', trials: 'stopped', experiment: 'primary-stopped', larger: true },
  { id: 'restart', trials: 'restarted', experiment: 'primary-restarted-empty' },
  { id: 'power', trials: 'power-lost', experiment: 'primary-power-lost', way: IN_PLACE },
  { id: 'partition-with-replica', experiment: 'partition-with-replica', besideToo: true },
  { id: 'one-way', experiment: 'partition-one-way', larger: true },
  { id: 'flapping', experiment: 'partition-flapping', larger: true },
  { id: 'sentinels-cut-off', experiment: 'sentinels-cut-off', larger: true },
  { id: 'host-briefly', experiment: 'host-partitioned-briefly', lengths: lengthsFor },
  { id: 'frozen-briefly', trials: 'paused-briefly', experiment: 'primary-paused-briefly', lengths: lengthsFor },
  { id: 'blocked', trials: 'blocked', experiment: 'primary-blocked', larger: true, lengths: () => BLOCKED_LENGTHS },
  { id: 'confirming-lost', experiment: 'confirming-replica-lost', larger: true },
  { id: 'stale-preferred', experiment: 'stale-replica-preferred', larger: true },
];

/** In the order of tables. @type {readonly DecisionFault[]} */
export const FAULTS = Object.freeze(CHOSEN.map(told));

/** @param {ChosenFault} chosen @returns {DecisionFault} */
function told({ experiment, trials = experiment, ...chosen }) {
  const trial = experimentNamed(experiment);
  const { way } = chosen;
  /** @type {Partial<Variation>} */
  const variation = way === undefined ? {} : variationsOf(trial)[way];
  const { explained, avoid, perYear = 0, blind } = { ...trial, ...variation };
  return {
    ...chosen,
    benchmark: `sweep-${trials}`,
    title: variation.fault ?? trial.title,
    ...{ explained, avoid, perYear, blind, trial },
    promotes: applies(trial.promotes, way),
  };
}

/** @param {FaultId} id @returns {DecisionFault} */
export function faultNamed(id) {
  const found = FAULTS.find((fault) => fault.id === id);
  if (!found) throw new RangeError(`no fault is called ${id}`);
  return found;
}

/**
 * @param {FaultId} id
 * @param {{name: string, version: string | null}} server
 * @returns {boolean} the server has what the fault takes; true also if it hides its version
 */
export function isAvailable(id, { name, version }) {
  const { since } = faultNamed(id);
  if (since === undefined) return true;
  if (name !== since.name) return false;
  if (version === null) return true;
  const [major, minor] = version.split('.').map(Number);
  return major > since.version[0] || (major === since.version[0] && minor >= since.version[1]);
}

/**
 * @param {readonly FaultId[]} ids of faults that not every server has
 * @returns {string} such as `coordinated failover (Valkey 9.0 or later)`
 */
export function sinceTitles(ids) {
  return ids.map((id) => `${faultNamed(id).title} (${faultNamed(id).since?.text ?? 'every server'})`).join(', ');
}
