/** catalogue.yaml as it is written, with the numbers of each experiment in its texts and steps. */

import { filled } from '../../src/sentences.js';
import { readYaml } from '../../src/yaml.js';

/** A name with a typing error would be ignored: a step without its end, for example. */
const HAPPENS =
  'numbers needs network promotes late disks oneLane placed lengths course steps durations placements settings ways';
const SAID = 'title explained avoid question method varied perYear blind';
const ENTRY = new Set(`${HAPPENS} ${SAID}`.split(' '));
const STEP = new Set('fault at when lasts until on plus within prepares only'.split(' '));

/** By id, in the order of tables. @type {Readonly<Record<string, any>>} */
const WRITTEN = readYaml(new URL('catalogue.yaml', import.meta.url));

/** @param {string} id of an experiment @returns {Readonly<Record<string, number>>} its numbers, by name */
export const numbersOf = (id) => WRITTEN[id].numbers;

/** @type {Readonly<Record<string, any>>} */
export const LISTED = Object.fromEntries(
  Object.entries(WRITTEN).map(([id, entry]) => {
    const { numbers = {}, ...listed } = entry;
    checkNames(id, entry);
    return [id, withNumbers(listed, numbers)];
  }),
);

/** @param {string} id @param {Record<string, any>} entry @throws {RangeError} a name in it means nothing */
export function checkNames(id, entry) {
  const steps = Array.isArray(entry.steps) ? entry.steps : [];
  const unknown = [
    ...Object.keys(entry).filter((name) => !ENTRY.has(name)),
    ...steps.flatMap((step, i) =>
      Object.keys(step)
        .filter((name) => !STEP.has(name))
        .map((name) => `steps.${i}.${name}`),
    ),
  ];
  if (unknown.length > 0)
    throw new RangeError(`catalogue.yaml: ${id}: nothing is called ${unknown.join(' or ')} there`);
}

/**
 * @param {unknown} value
 * @param {Readonly<Record<string, number>>} numbers
 * @returns {unknown} the same with a number for each `${name}` in it
 */
function withNumbers(value, numbers) {
  if (typeof value === 'string') {
    const text = filled(value, numbers);
    return /^\$\{\w+\}$/.test(value) ? Number(text) : text;
  }
  if (Array.isArray(value)) return value.map((each) => withNumbers(each, numbers));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNumbers(each, numbers)]));
}
