/**
 * What is known about servers of Redis and Valkey, as redis.yaml lists it.
 *
 * @typedef {{title: string, command: string, running: string, status: string}} FileWork what a node does in the background; running: the
 *   field of INFO that is 1 while it runs; status: the field of INFO that is `ok` if the last one succeeded
 */

import { readYaml } from '../../yaml.js';

/**
 * @type {{
 *   barred: readonly string[],
 *   plain: Readonly<Record<string, {value: string, details?: string}>>,
 *   lists: Readonly<Record<string, number>>,
 *   counters: Readonly<Record<string, string>>,
 *   works: Readonly<Record<'rewrite' | 'snapshot', FileWork>>,
 * }}
 */
export const KNOWN = readYaml(new URL('redis.yaml', import.meta.url));
