/** catalogue.yaml as it is written, with the numbers of each experiment in its texts and steps. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** By id, in the order of tables. @type {Readonly<Record<string, any>>} */
const WRITTEN = parse(readFileSync(new URL('catalogue.yaml', import.meta.url), 'utf8'));

/** @param {string} id of an experiment @returns {Readonly<Record<string, number>>} its numbers, by name */
export const numbersOf = (id) => WRITTEN[id].numbers;

/** @type {Readonly<Record<string, any>>} */
export const LISTED = Object.fromEntries(
  Object.entries(WRITTEN).map(([id, { numbers = {}, ...entry }]) => [id, filled(entry, numbers)]),
);

/**
 * @param {unknown} value
 * @param {Readonly<Record<string, number>>} numbers
 * @returns {unknown} the same with a number for each `${name}` in it
 * @throws {RangeError} there is no such number
 */
export function filled(value, numbers) {
  const numberNamed = (/** @type {string} */ name) => {
    if (name in numbers) return numbers[name];
    throw new RangeError(`catalogue.yaml: \${${name}} is none of the numbers of its experiment`);
  };
  if (typeof value === 'string') {
    const [, whole] = /^\$\{(\w+)\}$/.exec(value) ?? [];
    return whole ? numberNamed(whole) : value.replaceAll(/\$\{(\w+)\}/g, (_, name) => String(numberNamed(name)));
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, numbers));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, numbers)]));
}
