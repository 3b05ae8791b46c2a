/** What published fault searches found against workloads. perf/attacked.js writes attacked.yaml from results/searches. */

import { readYaml } from '../../src/yaml.js';

export const FILE = new URL('./attacked.yaml', import.meta.url);

/**
 * @typedef {Object} Attacked a workload in a search
 * @property {string} workload
 * @property {string} mode
 * @property {number} schedules that were tried
 * @property {number} broke those that broke its invariant
 * @property {string} search its folder in results/searches
 * @property {string} command that repeats it
 */

/** @type {readonly Attacked[]} */
export const ATTACKED = readYaml(FILE);

/**
 * @param {string} search its folder
 * @param {{workload?: string, mode: string, command: string, tried: number, losing: readonly {broke?: readonly string[]}[]}} document its search.json
 * @returns {Attacked[]} none if it attacked no workload
 */
export function attackedIn(search, { workload: names, mode, command, tried, losing }) {
  return (names?.split(',') ?? []).map((workload) => ({
    workload,
    mode,
    schedules: tried,
    broke: losing.filter(({ broke = [workload] }) => broke.includes(workload)).length,
    search,
    command: command.replace(/ --out \S+/, ''),
  }));
}
