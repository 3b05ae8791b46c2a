/**
 * What a run measured, and on which servers.
 * @import { BenchmarkResult, Result } from '../result/schema.js' @import { Benchmark, Suite } from '../run/types.js'
 */

/**
 * @param {Result} result @param {readonly Suite[]} suites
 * @returns {{suite: Suite, benchmarks: BenchmarkResult[]}[]} each benchmark with one suite: the one that was run, or else the first that has it
 */
export function benchmarksBySuite(result, suites) {
  const ownerOf = (/** @type {string} */ name) => {
    const owners = suites.filter(({ benchmarks }) => benchmarks.some((each) => each.name === name));
    return owners.find((suite) => suite.name === result.suite) ?? owners[0];
  };
  return suites.map((suite) => ({
    suite,
    benchmarks: result.benchmarks.filter(({ name }) => ownerOf(name) === suite),
  }));
}

/** @param {readonly Suite[]} suites @param {string} name @returns {Benchmark | undefined} undefined: no suite has it */
export function benchmarkNamed(suites, name) {
  return suites.flatMap(({ benchmarks }) => benchmarks).find((each) => each.name === name);
}

/** @param {Pick<Result, 'stack' | 'benchmarks'>} result @returns {Result['stack']['server'][]} several if they were compared */
export function serversOf({ stack: { server, servers }, benchmarks }) {
  if (servers !== undefined) return servers;
  // Older results name them in their cases alone.
  const ids = new Set(benchmarks.flatMap(({ cases }) => cases.flatMap(({ params }) => params.server ?? [])));
  const named = [...ids].map((id) => {
    const [name, ...version] = id.split('-');
    return { name, version: version.join('-') };
  });
  return named.length > 1 ? named : [server];
}
