/** The experiments of catalogue.yaml and catalogue.js. */
/** @import { CaseParams } from '../types.js' */
/** @import { Experiment, ExperimentTexts, Performed, Variation } from './types.js' */
import * as catalogue from './catalogue.js';
import { LISTED } from './data.js';
import { WITH_GROUPS, whyNotWithinHost } from './groups.js';
import { hasLength, lengthsFor } from './lengths.js';
import { stepsOf } from './steps.js';
import { WITH_REPLICA } from './with-replica.js';

/** What an experiment with groups of the network declares: `network` in catalogue.yaml. */
const NETWORKS = {
  groups: WITH_GROUPS,
  'within-host': { ...WITH_GROUPS, whyNot: whyNotWithinHost },
  'with-replica': WITH_REPLICA,
};
/** Lengths near down-after: in every profile, and in the larger ones only. @type {Readonly<Record<string, Experiment['lengths']>>} */
const LENGTHS = {
  near: lengthsFor,
  'near-in-larger': (profile) => (profile.name === 'quick' ? [] : lengthsFor(profile)),
};

/** @type {readonly (Performed & Partial<ExperimentTexts>)[]} */
const PERFORMED = Object.values(catalogue).flat();

/** By id, those of catalogue.yaml first. @type {ReadonlyMap<string, Experiment>} */
const BY_ID = new Map(
  [...new Set([...Object.keys(LISTED), ...PERFORMED.map(({ id }) => id)])].map((id) => [id, experimentOf(id)]),
);

/** @param {string} id @returns {Experiment} what is listed, and what its module says beside or instead */
function experimentOf(id) {
  const { network, lengths, promotes, steps, ...said } = LISTED[id] ?? {};
  return {
    id,
    ...(network && NETWORKS[/** @type {keyof typeof NETWORKS} */ (network)]),
    ...said,
    ...(lengths && { lengths: LENGTHS[lengths] }),
    ...(promotes && { promotes: promotes === 'without-length' ? (params) => !hasLength(params) : true }),
    ...(steps && { steps: stepsOf(steps) }),
    ...PERFORMED.find((each) => each.id === id),
  };
}

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze([...BY_ID.values()]);

/** @param {string} id @returns {Experiment | undefined} undefined: of another version */
export function findExperiment(id) {
  return BY_ID.get(id);
}

/** @param {string} id @returns {Experiment} @throws {RangeError} nothing has this name */
export function experimentNamed(id) {
  const found = BY_ID.get(id);
  if (!found) throw new RangeError(`there is no experiment ${id}`);
  return found;
}

/** @param {Experiment} experiment @returns {Readonly<Record<string, Variation>>} all of its variations, by name */
export function variationsOf({ durations, placements, settings, ways }) {
  return { ...durations, ...placements, ...settings, ...ways };
}

/** @param {Experiment['promotes']} rule @param {string} [way] of all cases @returns {boolean} it holds for the cases without a length */
export function applies(rule, way) {
  return typeof rule === 'function' ? rule(/** @type {CaseParams} */ ({ way })) : rule === true;
}

/** Lengths and graded settings: the same fault, of which the worst counts. @type {ReadonlySet<string>} */
export const GRADES = new Set(
  EXPERIMENTS.flatMap((experiment) => [
    ...Object.keys(experiment.durations ?? {}),
    ...Object.entries(variationsOf(experiment)).flatMap(([name, { graded }]) => (graded ? [name] : [])),
  ]),
);

/** Titles of variations. Where two experiments have one of the same name, it has the same title. @type {Readonly<Record<string, string>>} */
export const VARIATION_TITLES = Object.freeze(
  Object.fromEntries(
    EXPERIMENTS.flatMap((experiment) =>
      Object.entries(variationsOf(experiment)).map(([name, { title }]) => [name, title]),
    ),
  ),
);
