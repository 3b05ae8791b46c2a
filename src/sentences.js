/** Sentences for people, which stand in YAML beside the code that says them. `${name}` stands for a value. */

import { ExitStatus, UserError } from './errors.js';
import { once } from './once.js';
import { readYaml } from './yaml.js';

/**
 * @typedef {Readonly<Record<string, unknown>>} Values by the name that stands in `${…}`
 * @typedef {{what: string, remedy: string, input?: true}} Problem what: is wrong; input: arguments or input are wrong, not the environment
 */

/**
 * @param {string} template with `${name}` in it @param {Values} values @param {(value: unknown) => string} [inWords] shows a value
 * @throws {RangeError} a value is missing
 */
export function filled(template, values, inWords = String) {
  return template.replaceAll(/\$\{([\w-]+)\}/g, (_, name) => {
    if (!(name in values)) throw new RangeError(`\${${name}} has no value in: ${template}`);
    return inWords(values[name]);
  });
}

/**
 * @param {URL} file YAML, read when the first sentence is needed: by id a text, or what is wrong and the remedy. A text may also stand in
 *   place of a value in another sentence, as `${its-id}`
 * @param {(value: unknown) => string} [inWords] shows a value
 */
export function sentencesIn(file, inWords) {
  /** @type {() => Readonly<Record<string, string | Problem>>} */
  const all = once(() => readYaml(file));
  const say = (/** @type {string} */ template, /** @type {Values} */ values) =>
    filled(template, { ...all(), ...values }, inWords).trim();

  /** @param {string} id @param {Values} [values] @returns {[what: string, remedy: string]} */
  function words(id, values = {}) {
    const { what, remedy } = /** @type {Problem} */ (all()[id]);
    return [say(what, values), say(remedy, values)];
  }

  return {
    words,
    /** @param {string} id @returns {boolean} there is such a sentence */
    has: (id) => id in all(),
    /** @param {string} id @param {Values} [values] @returns {string} with the remedy, if there is one */
    text(id, values = {}) {
      const sentence = all()[id];
      return typeof sentence === 'string' ? say(sentence, values) : words(id, values).join(' ');
    },
    /** @param {string} id @param {Values} [values] @param {ConstructorParameters<typeof UserError>[2]} [more] */
    problem(id, values, more) {
      const { input } = /** @type {Problem} */ (all()[id]);
      const exitStatus = input ? ExitStatus.badInput : undefined;
      return new UserError(...words(id, values), { exitStatus, ...more });
    },
  };
}
