/** Words and specifications of charts of a suite, from a YAML file. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * @param {URL} file
 * @returns {Readonly<Record<string, any>>} the title, question and method of each benchmark by its name, and what else the suite says
 */
export function textsOf(file) {
  return parse(readFileSync(file, 'utf8'));
}

/**
 * @param {string} text with `${name}` in it
 * @param {Readonly<Record<string, string | number>>} values
 * @returns {string}
 * @throws {RangeError} a value is missing
 */
export function filled(text, values) {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new RangeError(`there is no value ${name} for “${text}”`);
    return String(values[name]);
  });
}
