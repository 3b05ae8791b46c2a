/** The suites. A new one is a file or a folder here, its import, and its place in this list. */
import { badInput } from '../src/errors.js';
import { resultSchema } from '../src/result/schema.js';
import clients from './clients/index.js';
import copy from './copy/index.js';
import engine from './engine/index.js';
import failure from './failure/index.js';
import link from './link/index.js';
import main from './main/index.js';
import persistence from './persistence/index.js';
import proxy from './proxy/index.js';
import resources from './resources/index.js';
import semiSync from './semi-sync/index.js';
import sweep from './sweep/index.js';
import timing from './timing/index.js';
import upgrade from './upgrade/index.js';
import versions from './versions/index.js';
import workloads from './workloads-suite/index.js';

/** @import { Benchmark, Profile, Suite } from './types.js' */

export { answers, articles, claimFacts } from './claims/index.js';
export { suiteTerms } from './facts.js';
export { default as search } from './search/index.js';
export { recommender } from './sweep/index.js';
export { rulesOfDriven } from './workloads/driver-source.js';

/** @type {readonly Suite[]} */
export const suites = [
  main,
  engine,
  failure,
  sweep,
  persistence,
  resources,
  link,
  copy,
  semiSync,
  clients,
  versions,
  upgrade,
  proxy,
  timing,
  workloads,
];

export const ResultSchema = resultSchema(suites);

/** Every benchmark by its name, in the order of the suites. @type {ReadonlyMap<string, Benchmark>} */
export const allBenchmarks = new Map(
  suites.flatMap(({ benchmarks }) => benchmarks.map((benchmark) => [benchmark.name, benchmark])),
);

/**
 * @param {string[]} names none: the whole suite, as far as it belongs to the profile
 * @param {string} suiteName
 * @param {Profile['name']} profile
 * @returns {Benchmark[]}
 * @throws {UserError} an unknown name
 */
export function selectBenchmarks(names, suiteName, profile) {
  if (names.length === 0) {
    const suite = suites.find(({ name }) => name === suiteName);
    return (suite?.benchmarks ?? []).filter(({ profiles }) => profiles?.includes(profile) ?? true);
  }
  return [...new Set(names)].map((name) => {
    const benchmark = allBenchmarks.get(name);
    if (benchmark) return benchmark;
    throw badInput(`There is no benchmark called ${name}.`, `Choose from: ${[...allBenchmarks.keys()].join(', ')}.`);
  });
}
