/** What stacks say to people, from texts.yaml. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { badInput, messageOf, UserError } from '../errors.js';
import { formatAddress } from './address.js';

/**
 * @import { Address } from './types.js'
 *
 * @typedef {string | number | null | readonly string[] | Error | Address} Value a list is joined by commas, of an error its message is shown without its full stop
 */

/** @type {{phrases: Record<string, string>, texts: Record<string, string>, problems: Record<string, {what: string, remedy: string, input?: true}>}} */
const { phrases, texts, problems } = parse(readFileSync(new URL('texts.yaml', import.meta.url), 'utf8'));

/**
 * @param {string} name in `problems`
 * @param {Readonly<Record<string, Value>>} [values] of its `${…}`
 * @param {{cause?: unknown, detail?: string}} [more]
 * @returns {UserError}
 */
export function problem(name, values = {}, more) {
  const { what, remedy, input } = problems[name];
  const make = input ? badInput : (/** @type {Parameters<typeof badInput>} */ ...words) => new UserError(...words);
  return make(filled(what, values), filled(remedy, values), more);
}

/**
 * @param {string} name in `texts`
 * @param {Readonly<Record<string, Value>>} [values] of its `${…}`
 * @returns {string}
 */
export function text(name, values = {}) {
  return filled(texts[name], values);
}

/** @param {string} template @param {Readonly<Record<string, Value>>} values @returns {string} */
function filled(template, values) {
  return template.replace(/\$\{([\w-]+)\}/g, (_, name) => {
    if (name in phrases) return phrases[name];
    if (!(name in values)) throw new RangeError(`\${${name}} has no value in: ${template}`);
    return inWords(values[name]);
  });
}

/** @param {Value} value */
function inWords(value) {
  if (value instanceof Error) return messageOf(value).replace(/\.$/, '');
  if (Array.isArray(value)) return value.join(', ');
  return value !== null && typeof value === 'object' ? formatAddress(/** @type {Address} */ (value)) : String(value);
}
