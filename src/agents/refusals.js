/** What controller and agents refuse: the texts are in refusals.yaml. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { UserError } from '../errors.js';

/** @type {Readonly<Record<string, {says: string, remedy: string}>>} */
const REFUSALS = parse(readFileSync(new URL('refusals.yaml', import.meta.url), 'utf8'));

/**
 * @param {string} id of a refusal
 * @param {Readonly<Record<string, unknown>>} [values] of its words in braces
 * @param {ConstructorParameters<typeof UserError>[2]} [more]
 */
export function refusal(id, values = {}, more) {
  const { says, remedy } = REFUSALS[id];
  const fill = (/** @type {string} */ text) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  return new UserError(fill(says), fill(remedy), more);
}
