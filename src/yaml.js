/** Data and texts of ours, which stand in YAML beside the code. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** @param {URL} file @returns {any} its content; `<<` merges what an anchor names @throws {Error} it cannot be read, or is no YAML */
export function readYaml(file) {
  return parse(readFileSync(file, 'utf8'), { merge: true });
}
