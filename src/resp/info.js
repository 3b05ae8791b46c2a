/** Parses the reply of INFO. */
import { cleanLine } from '../untrusted.js';

/** @param {string} text `field:value` lines, `# Section` lines, empty lines @returns {Record<string, string>} values safe to show */
export function parseInfo(text) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) fields[line.slice(0, colon)] = cleanLine(line.slice(colon + 1));
  }
  return fields;
}
