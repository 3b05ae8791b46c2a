/** What a suite selects of an experiment, as data: cases by modes and variations, and for which profiles. */
/** @import { Case, CaseOptions, CaseVariation, TrialBenchmark } from '../types.js' */
/** @import { Experiment } from './types.js' */

import { z } from 'zod';
import { PLACEMENTS } from '../../src/stacks/network/placement.js';
import { readYaml } from '../../src/yaml.js';
import { COMMON_MODES, modesNamed } from '../modes.js';
import { benchmarkOf, downAfterOf, writersFor } from './benchmark.js';
import { failureCases } from './cases.js';
import { experimentNamed } from './index.js';

const Names = z.array(z.string());
const ByProfile = z.union([Names, z.strictObject({ quick: Names, larger: Names })], {
  error: 'must be a list of names, or one for quick and one for larger',
});
const Only = z.literal(true);
const Settings = z.record(z.string(), z.string());
const Placement = z.enum(PLACEMENTS);
const Size = z.strictObject({ replicas: z.number().int(), sentinels: z.number().int() }).partial();

/** Without lengths, placements, settings, ways and variations: the experiment as such. Groups of modes.yaml name several modes. */
const CaseSet = z.strictObject({
  modes: ByProfile,
  lengths: z.union([z.literal('named'), Names], { error: 'must be a list of names, or named' }).optional(),
  placements: z.array(Placement).optional(),
  settings: Names.optional(),
  ways: ByProfile.optional(),
  variations: z.array(z.strictObject({ placement: Placement, setting: z.string() })).optional(),
  larger: Only.optional(),
  common: Only.optional(),
  few: Only.optional(),
  how: z
    .strictObject({
      everyMode: Only,
      libraries: Names,
      examples: Names,
      writers: Names.readonly(),
      settings: Settings,
      replicaSettings: Settings,
      connections: z.number().int(),
      size: Size,
    })
    .partial()
    .optional(),
});
const Selected = z.strictObject({ larger: Only.optional(), cases: z.array(CaseSet).min(1) });

/** @typedef {z.infer<typeof CaseSet>} CaseSet */
/**
 * @typedef {Object} SelectedExperiment
 * @property {string} experiment its id
 * @property {string} [name] of the benchmark; default: the experiment's id
 * @property {readonly CaseSet[]} cases
 * @property {true} [larger] the larger profiles only
 */

/** @param {URL} file entries by experiment: sets of cases, or `larger` and `cases` @returns {SelectedExperiment[]} @throws {RangeError} a wrong entry */
export function readSelection(file) {
  /** @type {Record<string, unknown>} */
  const entries = readYaml(file);
  return Object.entries(entries).map(([experiment, entry]) => {
    const { success, data, error } = Selected.safeParse(Array.isArray(entry) ? { cases: entry } : entry);
    if (success) return { experiment, ...data };
    const [{ path, message }] = error.issues;
    throw new RangeError(
      `${file.pathname.split('/').slice(-2).join('/')}: ${[experiment, ...path].join('.')}: ${message}`,
    );
  });
}

/** @param {SelectedExperiment} selected @param {Partial<TrialBenchmark>} [own] what the suite says otherwise than the experiment */
export function selectedBenchmark({ experiment: id, name, cases, larger }, own) {
  const experiment = experimentNamed(id);
  return benchmarkOf(experiment, {
    varied: true,
    cases: (options) => cases.flatMap((set) => casesOfSet(experiment, set, options)),
    own: {
      ...(name !== undefined && { name }),
      ...(larger && { profiles: /** @type {const} */ (['standard', 'full']) }),
      ...own,
    },
  });
}

/** @param {Experiment} experiment @param {CaseSet} set @param {CaseOptions} options @returns {Case[]} */
function casesOfSet(experiment, set, options) {
  const { modes, larger, common, few, how: { libraries = [], examples = [], ...how } = {} } = set;
  const size = options.profile.name === 'quick' ? 'quick' : 'larger';
  if (larger && size === 'quick') return [];
  return variationsIn(experiment, set, options).flatMap((variation) =>
    failureCases(options, {
      writers: writersFor(experiment),
      ...how,
      modes: modesNamed('quick' in modes ? modes[size] : modes),
      ...((size === 'quick' ? common : !few) && { also: COMMON_MODES }),
      libraries: modesNamed(libraries),
      examples: modesNamed(examples),
      ...downAfterOf(experiment, variation.way),
      variation,
    }),
  );
}

/** @param {Experiment} experiment @param {CaseSet} set @param {CaseOptions} options @returns {CaseVariation[]} */
function variationsIn(experiment, set, { profile }) {
  const { lengths = [], placements = [], settings = [], ways = [], variations = [] } = set;
  const named = lengths === 'named' ? (experiment.lengths?.(profile) ?? []) : lengths;
  const chosen = 'quick' in ways ? ways[profile.name === 'quick' ? 'quick' : 'larger'] : ways;
  const varied = [
    ...named.map((length) => ({ length })),
    ...placements.map((placement) => ({ placement })),
    ...settings.map((setting) => ({ setting })),
    ...chosen.map((way) => ({ way })),
    ...variations,
  ];
  const asSuch = lengths !== 'named' && varied.length === 0;
  return asSuch ? [{}] : varied;
}
