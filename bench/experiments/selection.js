/**
 * What a suite selects of an experiment, as data: cases by modes and variations, and for which profiles.
 *
 * @import { Case, CaseOptions, TrialBenchmark } from '../../src/run/types.js'
 * @import { CaseVariation } from '../../src/result/variation.js'
 * @import { ModeName } from '../modes.js'
 * @import { Experiment } from './types.js'
 */
import { COMMON_MODES } from '../modes.js';
import { benchmarkOf, writersFor } from './benchmark.js';
import { failureCases } from './cases.js';
import { experimentNamed } from './index.js';

/**
 * @template T
 * @typedef {readonly T[] | {quick: readonly T[], larger: readonly T[]}} ByProfile
 */

/**
 * @typedef {Omit<Parameters<typeof failureCases>[1], 'modes' | 'variation'>} CaseHow
 *
 * @typedef {Object} CaseSet Without lengths, placements, settings and ways: the experiment as such
 * @property {ByProfile<ModeName>} modes
 * @property {readonly string[] | 'named'} [lengths] named: those that the experiment names for the profile
 * @property {readonly NonNullable<CaseVariation['placement']>[]} [placements]
 * @property {readonly string[]} [settings] names of the experiment's settings
 * @property {ByProfile<string>} [ways]
 * @property {true} [larger] the larger profiles only
 * @property {true} [common] the quick profile adds what most people run, too
 * @property {true} [few] the larger profiles do not add what most people run
 * @property {CaseHow} [how]
 *
 * @typedef {Object} SelectedExperiment
 * @property {string} experiment its id
 * @property {string} [name] of the benchmark; default: the experiment's id
 * @property {readonly CaseSet[] | ((options: CaseOptions) => Case[])} cases
 * @property {true} [larger] the larger profiles only
 */

/**
 * @param {SelectedExperiment} selected
 * @param {Partial<TrialBenchmark>} [own] what the suite says otherwise than the experiment
 * @returns {TrialBenchmark}
 */
export function selectedBenchmark({ experiment: id, name, cases, larger }, own) {
  const experiment = experimentNamed(id);
  return benchmarkOf(experiment, {
    varied: true,
    cases: (options) =>
      typeof cases === 'function' ? cases(options) : cases.flatMap((set) => casesOfSet(experiment, set, options)),
    own: {
      ...(name !== undefined && { name }),
      ...(larger && { profiles: /** @type {const} */ (['standard', 'full']) }),
      ...own,
    },
  });
}

/** @param {Experiment} experiment @param {CaseSet} set @param {CaseOptions} options @returns {Case[]} */
function casesOfSet(experiment, set, options) {
  const { modes, larger, common, few, how } = set;
  const size = options.profile.name === 'quick' ? 'quick' : 'larger';
  if (larger && size === 'quick') return [];
  const wanted = {
    ...how,
    modes: 'quick' in modes ? modes[size] : modes,
    ...((size === 'quick' ? common : !few) && { also: COMMON_MODES }),
    writers: writersFor(experiment),
  };
  return variationsIn(experiment, set, options).flatMap((variation) => failureCases(options, { ...wanted, variation }));
}

/** @param {Experiment} experiment @param {CaseSet} set @param {CaseOptions} options @returns {CaseVariation[]} */
function variationsIn(experiment, { lengths = [], placements = [], settings = [], ways = [] }, { profile }) {
  const named = lengths === 'named' ? (experiment.lengths?.(profile) ?? []) : lengths;
  const chosen = 'quick' in ways ? ways[profile.name === 'quick' ? 'quick' : 'larger'] : ways;
  const varied = [
    ...named.map((length) => ({ length })),
    ...placements.map((placement) => ({ placement })),
    ...settings.map((setting) => ({ setting })),
    ...chosen.map((way) => ({ way })),
  ];
  const asSuch = lengths !== 'named' && varied.length === 0;
  return asSuch ? [{}] : varied;
}
