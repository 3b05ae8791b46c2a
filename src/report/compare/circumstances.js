/**
 * What has to be alike for two runs' figures to be comparable. The seed, the time and the commit need not be.
 */
import { median } from '../../stats/statistics.js';
import { serverText } from '../format.js';
import { isFailureBenchmark } from '../trials/totals.js';

/** @import { CaseParams, CaseResult, Result } from '../../result/schema.js' */

/**
 * @typedef {{what: string, a: string, b: string}} Difference
 */

/** @type {[string, (result: Result) => string | number][]} */
const FACTS = [
  ['server', ({ cluster }) => serverText(cluster.server)],
  ['CPU model', ({ environment }) => environment.cpuModel],
  ['cores', ({ environment }) => environment.cores],
  ['backend', ({ cluster }) => cluster.backend],
  ['path to the nodes', ({ cluster }) => cluster.path],
  ['Redis nodes', ({ cluster }) => cluster.nodes.filter(({ kind }) => kind === 'redis').length],
  ['Node.js', ({ environment }) => Number.parseInt(environment.node, 10)],
  ['profile', ({ profile }) => `${profile.rounds} × ${profile.seconds} s after ${profile.warmUpSeconds} s of warm-up`],
];

/** Settings that say where a server is or how it was started, and do not touch what is measured. */
const IRRELEVANT_SETTING = /port$|^(daemonize|supervised|always-show-logo|set-proc-title|maxclients)$/;
/** Older names of settings that CONFIG GET gives beside the present ones. */
const OLD_NAME = /slave|ziplist|^lua-time-limit$/;

/**
 * @param {Result} a
 * @param {Result} b
 * @param {[string, CaseResult, CaseResult][]} common the cases that both have, with their names
 * @returns {Difference[]} in what matters, the weightiest first
 */
export function differencesBetween(a, b, common) {
  const used = new Set(common.flatMap(([, one, other]) => [one.params.client, other.params.client]));
  return [
    ...FACTS.map(([what, of]) => ({ what, a: String(of(a)), b: String(of(b)) })),
    ...[...used].map((client) => ({
      what: `client ${client}`,
      a: clientVersion(a, client),
      b: clientVersion(b, client),
    })),
    ...configurationPairs(a, b),
    ...loadPairs(a, b),
    ...common.flatMap(([name, one, other]) => parameterPairs(name, one.params, other.params)),
  ].filter((pair) => pair.a !== pair.b);
}

/**
 * How many writes a failure finds on their way.
 *
 * @param {Result} a
 * @param {Result} b
 * @returns {Difference[]} none unless both have failure benchmarks
 */
function loadPairs(a, b) {
  const [one, other] = [a, b].map(({ benchmarks, profile }) =>
    benchmarks.some(isFailureBenchmark) ? profile.writesPerSecond : undefined,
  );
  if (one === undefined || other === undefined) return [];
  return [{ what: 'writes a second of a failure benchmark', a: String(one), b: String(other) }];
}

/**
 * What a neighbour took from the machine while a run was measured: it cannot be had back from the figures.
 *
 * @param {Result} result
 * @returns {number | null} CPUs that neither the load thread nor the nodes used, median over all rounds; null when it cannot
 *   be told: nodes on other machines, a system that does not tell, no rounds
 */
export function otherProgramsCpu({ benchmarks, environment, cluster }) {
  if (cluster.backend === 'external') return null;
  const others = benchmarks
    .flatMap(({ cases }) => cases.flatMap(({ rounds }) => rounds))
    .flatMap(({ load, nodes, machineCpu }) => {
      let others = machineCpu * environment.cores;
      for (const cpu of [load.cpu, ...nodes.map((node) => node.cpu)]) {
        if (cpu === null) return [];
        others -= cpu;
      }
      return [others];
    });
  // The two are sampled at slightly different moments, so that a quiet machine can come out a hair below 0.
  return others.length === 0 ? null : Math.max(0, median(others));
}

/**
 * @param {Result} result
 * @param {CaseParams['client']} client
 */
function clientVersion({ environment, tool }, client) {
  return client === 'native' ? tool.version : (environment.clients[client] ?? 'unknown');
}

/**
 * Settings that only one of the two tells are left out: another version, or a value that is not published.
 *
 * @param {Result} a
 * @param {Result} b
 * @returns {Difference[]} one for each setting and role; one for both roles when they agree
 */
function configurationPairs(a, b) {
  const [rolesOfA, rolesOfB] = [a, b].map(({ cluster }) => ({
    primary: settingsOf(cluster, 'primary'),
    replicas: settingsOf(cluster, 'replica'),
  }));
  const names = new Set([...rolesOfA.primary.keys(), ...rolesOfA.replicas.keys()]);
  return [...names].flatMap((name) => {
    const pairs = /** @type {const} */ (['primary', 'replicas']).flatMap((role) => {
      const [one, other] = [rolesOfA[role].get(name), rolesOfB[role].get(name)];
      return one === undefined || other === undefined ? [] : [{ what: `${name} of the ${role}`, a: one, b: other }];
    });
    const [first, second] = pairs;
    return second && first.a === second.a && first.b === second.b ? [{ ...first, what: name }] : pairs;
  });
}

/**
 * By role, not by node: after a failover another node is the primary, and the stack is as good as before.
 *
 * @param {Result['cluster']} cluster
 * @param {string} role
 * @returns {Map<string, string>} setting → its value, or values, on the nodes of that role
 */
function settingsOf({ nodes, config }, role) {
  /** @type {Map<string, Set<string>>} */
  const values = new Map();
  for (const { id } of nodes.filter((node) => node.role === role)) {
    for (const [name, value] of Object.entries(config[id] ?? {})) {
      if (IRRELEVANT_SETTING.test(name) || OLD_NAME.test(name)) continue;
      values.set(name, (values.get(name) ?? new Set()).add(value === '' ? '""' : value));
    }
  }
  return new Map([...values].map(([name, set]) => [name, [...set].sort().join(' or ')]));
}

/**
 * @param {string} name of the case
 * @param {CaseResult['params']} a
 * @param {CaseResult['params']} b
 * @returns {Difference[]}
 */
function parameterPairs(name, a, b) {
  const [one, other] = [a, b].map((params) => /** @type {Record<string, unknown>} */ (params));
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => ({
    what: `${key} of ${name}`,
    a: String(one[key] ?? 'not set'),
    b: String(other[key] ?? 'not set'),
  }));
}
