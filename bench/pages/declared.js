/** Benchmarks as a YAML file declares them. */
/** @import { Benchmark, Profile } from '../types.js' */
/** @typedef {Record<Profile['name'], [rounds: number, seconds: number, warmUpSeconds?: number]>} Paces */
/** @typedef {Pick<Benchmark, 'name' | 'question' | 'method' | 'pace'>} DeclaredBenchmark */
import { readYaml } from '../../src/yaml.js';

/**
 * @param {URL} file by benchmark: its question and method, by profile its pace, and what else its suite wants to have there
 * @returns {Record<string, DeclaredBenchmark & Record<string, any>>}
 */
export function declaredIn(file) {
  const declared = Object.entries(/** @type {Record<string, any>} */ (readYaml(file)));
  return Object.fromEntries(
    declared.map(([name, { paces, ...others }]) => [name, { name, ...others, ...(paces && { pace: paceOf(paces) }) }]),
  );
}

/** @param {Paces} paces @returns {NonNullable<Benchmark['pace']>} */
const paceOf =
  (paces) =>
  ({ name }) => {
    const [rounds, seconds, warmUpSeconds = 0] = paces[name];
    return { rounds, seconds, warmUpSeconds };
  };
