/** What stacks say to people, from texts.yaml. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { badInput, messageOf, UserError } from '../errors.js';
import { once } from '../once.js';
import { formatAddress } from './address.js';

/**
 * @import { Address } from './types.js'
 *
 * @typedef {Readonly<Record<string, unknown>>} Values of `${…}`: lists are joined by commas, addresses are `host:port`, errors their message without a full
 *   stop
 */

/** @type {() => {phrases: Record<string, string>, texts: Record<string, string>, problems: Record<string, {what: string, remedy: string, input?: true}>}} */
const all = once(() => parse(readFileSync(new URL('texts.yaml', import.meta.url), 'utf8')));

/**
 * @param {string} name in `problems`
 * @param {Values} [values]
 * @param {{cause?: unknown, detail?: string}} [more]
 * @returns {UserError}
 */
export function problem(name, values, more) {
  const [what, remedy] = words(name, values);
  return all().problems[name].input ? badInput(what, remedy, more) : new UserError(what, remedy, more);
}

/** @param {string} name in `problems` @param {Values} [values] @returns {[what: string, remedy: string]} for errors of another class */
export function words(name, values = {}) {
  const { what, remedy } = all().problems[name];
  return [filled(what, values), filled(remedy, values)];
}

/** @param {string} name in `texts` @param {Values} [values] @returns {string} */
export function text(name, values = {}) {
  return filled(all().texts[name], values);
}

/** @param {string} template @param {Values} values @returns {string} */
export function filled(template, values) {
  const { phrases } = all();
  return template.replace(/\$\{([\w-]+)\}/g, (_, name) => {
    if (name in phrases) return phrases[name];
    if (!(name in values)) throw new RangeError(`\${${name}} has no value in: ${template}`);
    return inWords(values[name]);
  });
}

/** @param {unknown} value */
function inWords(value) {
  if (value instanceof Error) return messageOf(value).replace(/\.$/, '');
  if (Array.isArray(value)) return value.join(', ');
  return value !== null && typeof value === 'object' ? formatAddress(/** @type {Address} */ (value)) : String(value);
}
