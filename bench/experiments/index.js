/**
 * The experiments of catalogue.js, with what reports say of them: in their files, or in texts.yaml.
 *
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { Experiment, ExperimentTexts, Performed, Variation } from './types.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as catalogue from './catalogue.js';

/** @type {readonly (Performed & Partial<ExperimentTexts>)[]} */
const PERFORMED = Object.values(catalogue).flat();
/** In the order of tables. @type {Readonly<Record<string, ExperimentTexts>>} */
const TEXTS = parse(readFileSync(new URL('texts.yaml', import.meta.url), 'utf8'));
const IDS = new Set([...Object.keys(TEXTS), ...PERFORMED.map(({ id }) => id)]);

/** By id. @type {ReadonlyMap<string, Experiment>} */
const BY_ID = new Map(
  [...IDS].map((id) => {
    const performed = PERFORMED.find((each) => each.id === id);
    return [id, /** @type {Experiment} */ ({ ...TEXTS[id], ...performed })];
  }),
);

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = Object.freeze([...BY_ID.values()]);

/** @param {string} id @returns {Experiment | undefined} undefined: of another version */
export function findExperiment(id) {
  return BY_ID.get(id);
}

/**
 * @param {string} id
 * @returns {Experiment}
 * @throws {RangeError} nothing has this name
 */
export function experimentNamed(id) {
  const found = BY_ID.get(id);
  if (!found) throw new RangeError(`there is no experiment ${id}`);
  return found;
}

/** @param {Experiment} experiment @returns {Readonly<Record<string, Variation>>} all of its variations, by name */
export function variationsOf({ durations, placements, settings, ways }) {
  return { ...durations, ...placements, ...settings, ...ways };
}

/**
 * @param {Experiment['promotes']} rule
 * @param {string} [way] of all cases
 * @returns {boolean} it holds for the cases without a length
 */
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
