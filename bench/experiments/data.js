/** catalogue.yaml as it is written, with the numbers of each experiment in its texts and steps. */

import { filled } from '../../src/sentences.js';
import { readYaml } from '../../src/yaml.js';

/** By id, in the order of tables. @type {Readonly<Record<string, any>>} */
const WRITTEN = readYaml(new URL('catalogue.yaml', import.meta.url));

/** @param {string} id of an experiment @returns {Readonly<Record<string, number>>} its numbers, by name */
export const numbersOf = (id) => WRITTEN[id].numbers;

/** @type {Readonly<Record<string, any>>} */
export const LISTED = Object.fromEntries(
  Object.entries(WRITTEN).map(([id, { numbers = {}, ...entry }]) => [id, withNumbers(entry, numbers)]),
);

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
