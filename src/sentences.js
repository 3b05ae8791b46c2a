/** Sentences in a YAML file: what is wrong, or what is wrong and what to do about it. `{name}` stands for a value. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { UserError } from './errors.js';

/** @typedef {Readonly<Record<string, unknown>>} SentenceValues */

/** @param {URL} file id → a text, or a `message` and a `remedy` */
export function sentencesIn(file) {
  /** @type {Readonly<Record<string, string | {message: string, remedy: string}>>} */
  const texts = parse(readFileSync(file, 'utf8'));

  /** @param {string} id @param {SentenceValues} values */
  function parts(id, values) {
    const fill = (/** @type {string} */ text) =>
      text.trim().replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) => {
        if (!(name in values)) throw new Error(`the sentence ${id} needs ${name}`);
        return String(values[name]);
      });
    const text = texts[id];
    if (typeof text === 'string') return { message: fill(text), remedy: '' };
    return { message: fill(text.message), remedy: fill(text.remedy) };
  }

  return {
    parts,
    /** @param {string} id @param {SentenceValues} [values] @returns {string} with the remedy, if there is one */
    text(id, values = {}) {
      const { message, remedy } = parts(id, values);
      return `${message} ${remedy}`.trimEnd();
    },
    /** @param {string} id @param {string} other id, if there is no such sentence @returns {string} */
    textOr(id, other) {
      return this.text(id in texts ? id : other);
    },
    /** @param {string} id @param {SentenceValues} [values] @param {ConstructorParameters<typeof UserError>[2]} [more] */
    error(id, values = {}, more) {
      const { message, remedy } = parts(id, values);
      return new UserError(message, remedy, more);
    },
  };
}
