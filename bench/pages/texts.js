/** The texts of each benchmark of a suite, from a YAML file. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/**
 * @param {URL} file
 * @returns {Readonly<Record<string, {title?: string, question: string, method: string}>>} by the name of the benchmark
 */
export function textsOf(file) {
  return parse(readFileSync(file, 'utf8'));
}
