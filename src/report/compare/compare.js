/**
 * Compares two results case by case, and lists what differs in how they were measured. Pure functions of the results.
 * @import { ComparedFailure } from './failures.js'
 * @import { CaseParams, CaseResult, IntervalValue, Result, RoundResult } from '../../result/schema.js'
 * @import { Verdict } from '../../stats/comparison.js'
 * @typedef {{what: string, higherIsBetter: boolean, of: (round: RoundResult) => number, beyond: number}} ComparedMetric a figure of a
 *   round. what: in words; of: the figure; operations a second, or nanoseconds; beyond: percentiles: share of the values beyond it; else 1
 * @typedef {{benchmark: string, id: string}} CaseName
 * @typedef {{what: string, a: string, b: string}} Difference
 * @typedef {Object} ComparedFigure
 * @property {{a: number, b: number}} rounds number of rounds
 * @property {number | null} a median over the rounds; null without rounds @property {number | null} b
 * @property {IntervalValue | null} ratio b / a with its 95% interval; null: too little data
 * @property {Verdict | 'unknown'} verdict @property {string} [reason] of verdict unknown
 * @typedef {CaseName & ComparedFigure} ComparedCase
 * @typedef {Object} Comparison the document that `compare --json` prints
 * @property {typeof SCHEMAS.comparison} schema @property {string} metric a key of {@link METRICS}
 * @property {number} threshold 0 … 1
 * @property {Difference[]} differences in the circumstances of the two runs
 * @property {{a: number | null, b: number | null}} otherProgramsCpu see {@link otherProgramsCpu}
 * @property {ComparedCase[]} cases in both runs, in the order of A
 * @property {CaseName[]} onlyInA @property {CaseName[]} onlyInB
 * @property {{benchmark: string, reason: string}[]} failedInB benchmarks that succeeded in A
 * @property {ComparedFailure[]} [failures] writers of failure benchmarks in both runs; absent: none
 */
import { isFailureBenchmark } from '../../audit/of-trials.js';
import { bytes, percent, range, serverText } from '../../format.js';
import { isOwnClient } from '../../registry/clients.js';
import { SCHEMAS } from '../../result/schema.js';
import { unpairedRatio, verdictOf } from '../../stats/comparison.js';
import { knownMedian, median, sum } from '../../stats/statistics.js';
import { ENOUGH_BEYOND } from '../../stats/summary.js';
import { compareFailures } from './failures.js';

/** @type {Readonly<Record<string, ComparedMetric>>} */
export const METRICS = Object.freeze({
  throughput: { what: 'throughput', higherIsBetter: true, of: (round) => round.throughput, beyond: 1 },
  p50: latency('p50', 'p50', 0.5),
  p90: latency('p90', 'p90', 0.1),
  p95: latency('p95', 'p95', 0.05),
  p99: latency('p99', 'p99', 0.01),
  p999: latency('p999', 'p99.9', 0.001),
});

/**
 * @param {Result} a the base @param {Result} b what is judged
 * @param {{metric: string, threshold: number}} options metric: a key of {@link METRICS}; threshold: 0 … 1 @returns {Comparison}
 */
export function compareResults(a, b, { metric, threshold }) {
  const [casesOfA, casesOfB] = [a, b].map(casesIn);
  const common = casesOfA.flatMap(({ one, ...name }) => {
    const other = casesOfB.find(isNamed(name))?.one;
    return other ? [{ name, one, other }] : [];
  });
  const failures = compareFailures(a, b, { threshold });
  const wentWell = a.benchmarks.filter(({ status }) => status === 'ok').map(({ name }) => name);
  const only = (/** @type {typeof casesOfA} */ cases, /** @type {typeof casesOfA} */ others) =>
    cases.filter((each) => !others.some(isNamed(each))).map(({ benchmark, id }) => ({ benchmark, id }));
  return {
    schema: SCHEMAS.comparison,
    metric,
    threshold,
    differences: differencesBetween(
      a,
      b,
      common.map(({ name: { benchmark, id }, one, other }) => [`${benchmark}/${id}`, one, other]),
    ),
    otherProgramsCpu: { a: otherProgramsCpu(a), b: otherProgramsCpu(b) },
    cases: common.map(({ name, one, other }) => ({ ...name, ...compareCases(one, other, { metric, threshold }) })),
    onlyInA: only(casesOfA, casesOfB),
    onlyInB: only(casesOfB, casesOfA),
    failedInB: b.benchmarks
      .filter(({ name, status }) => status === 'failed' && wentWell.includes(name))
      .map(({ name, reason = 'No reason was given.' }) => ({ benchmark: name, reason })),
    ...(failures.length > 0 && { failures }),
  };
}

/**
 * @param {Pick<CaseResult, 'params' | 'rounds'>} a the base
 * @param {Pick<CaseResult, 'params' | 'rounds'>} b @param {{metric: string, threshold: number}} options as for {@link compareResults} @returns {ComparedFigure}
 */
export function compareCases(a, b, { metric, threshold }) {
  const { of, higherIsBetter } = METRICS[metric];
  const [valuesA, valuesB] = [a, b].map(({ rounds }) => rounds.map(of));
  const reason = whyUnknown(a, 'A', metric) ?? whyUnknown(b, 'B', metric);
  const ratio = reason === null ? unpairedRatio(valuesB, valuesA) : null;
  return {
    rounds: { a: valuesA.length, b: valuesB.length },
    a: knownMedian(valuesA),
    b: knownMedian(valuesB),
    ratio,
    ...(ratio
      ? { verdict: verdictOf(ratio, { threshold, higherIsBetter }) }
      : { verdict: 'unknown', reason: reason ?? 'too few rounds for a 95% interval; measure at least 4 in each run' }),
  };
}

/** @param {Comparison} comparison @param {ComparedCase['verdict']} verdict @returns {ComparedCase[]} */
export const casesThatAre = ({ cases }, verdict) => cases.filter((one) => one.verdict === verdict);

/** @param {Comparison} comparison */
const verdictsOf = ({ cases, failures = [] }) =>
  [...cases, ...failures.flatMap(({ lost, unavailable }) => [lost, unavailable])].map(({ verdict }) => verdict);

/** @param {Comparison} comparison @returns {boolean} a case or a failure got worse, or a benchmark that succeeded in A failed in B */
export const isWorse = (comparison) => verdictsOf(comparison).includes('worse') || comparison.failedInB.length > 0;

/** @param {Comparison} comparison @returns {boolean} at least one case or failure has a verdict */
export const isJudged = (comparison) => verdictsOf(comparison).some((verdict) => verdict !== 'unknown');

/** @param {Pick<CaseResult, 'params' | 'rounds'>} side @param {'A' | 'B'} name @param {string} metric */
function whyUnknown({ params, rounds }, name, metric) {
  const { of, beyond } = METRICS[metric];
  if (rounds.length === 0) return `${name} has no round`;
  if (metric === 'throughput') {
    // If B acknowledges nothing, the ratio is 0: a result to report.
    return name === 'A' && rounds.some((round) => of(round) === 0) ? 'A acknowledged nothing in a round' : null;
  }
  if (rounds.some((round) => of(round) === 0)) return `${name} has no latency in a round`;
  // The operations of a batch complete together, so they are one value.
  const values = sum(rounds.map(({ operations }) => operations)) / Math.max(1, params.pipeline);
  return values * beyond < ENOUGH_BEYOND ? `${name} has too few values beyond that percentile` : null;
}

/** @param {'p50' | 'p90' | 'p95' | 'p99' | 'p999'} field @param {string} what @param {number} beyond @returns {ComparedMetric} */
function latency(field, what, beyond) {
  return { what: `${what} latency`, higherIsBetter: false, of: ({ latencyNs }) => latencyNs[field], beyond };
}

/** @param {Result} result */
function casesIn({ benchmarks }) {
  return benchmarks.flatMap(({ name, cases }) => cases.map((one) => ({ benchmark: name, id: one.id, one })));
}

/** @param {CaseName} name @returns {(other: CaseName) => boolean} */
function isNamed({ benchmark, id }) {
  return (other) => other.benchmark === benchmark && other.id === id;
}

/** @type {[string, (result: Result) => string | number][]} */
const FACTS = [
  ['server', ({ stack }) => serverText(stack.server)],
  ['CPU model', ({ environment }) => environment.cpuModel],
  ['cores', ({ environment }) => environment.cores],
  ['usable cores', ({ environment }) => environment.usableCpus ?? 'all'],
  ['CPU quota', ({ environment }) => environment.cpuQuota ?? 'none'],
  ['memory limit', ({ environment: { memoryLimitBytes: limit } }) => (limit === undefined ? 'none' : bytes(limit))],
  ['backend', ({ stack }) => stack.backend],
  ['path to the nodes', ({ stack }) => stack.path],
  ['Redis nodes', ({ stack }) => stack.nodes.filter(({ kind }) => kind === 'redis').length],
  ['Node.js', ({ environment }) => Number.parseInt(environment.node, 10)],
  ['profile', ({ profile }) => `${profile.rounds} × ${profile.seconds} s after ${profile.warmUpSeconds} s of warm-up`],
];

/** Settings that say where a server is or how it was started; they do not affect the figures. */
const IRRELEVANT_SETTING = /port$|^(daemonize|supervised|always-show-logo|set-proc-title|maxclients)$/;
/** Older names of settings, which CONFIG GET returns beside the present ones. */
const OLD_NAME = /slave|ziplist|^lua-time-limit$/;

/** @param {string} what @param {unknown} a @param {unknown} b @returns {Difference} none if both sides are equal */
const pairOf = (what, a, b) => ({ what, a: String(a), b: String(b) });

/**
 * @param {Result} a @param {Result} b @param {[name: string, one: CaseResult, other: CaseResult][]} common
 * @returns {Difference[]} that affect the figures, most important first
 */
export function differencesBetween(a, b, common) {
  const used = new Set(common.flatMap(([, one, other]) => [one.params.client, other.params.client]));
  const isOfFailures = [a, b].every(({ benchmarks }) => benchmarks.some(isFailureBenchmark));
  return [
    ...FACTS.map(([what, of]) => pairOf(what, of(a), of(b))),
    ...[...used].map((client) => pairOf(`client ${client}`, clientVersion(a, client), clientVersion(b, client))),
    ...configurationPairs(a, b),
    // Losses of a failure grow with the write rate.
    ...(isOfFailures && a.profile.writesPerSecond !== undefined && b.profile.writesPerSecond !== undefined
      ? [pairOf('writes a second of a failure benchmark', a.profile.writesPerSecond, b.profile.writesPerSecond)]
      : []),
    ...common.flatMap(([name, one, other]) => parameterPairs(name, one.params, other.params)),
  ].filter((pair) => pair.a !== pair.b);
}

/**
 * CPU that other programs used during a run. The figures cannot be corrected for it. @param {Result} result
 * @returns {number | null} busy CPUs besides the load thread and the nodes, median over all rounds; null if unknown: nodes on
 *   other machines, a system without these counters, no rounds
 */
export function otherProgramsCpu({ benchmarks, environment, stack }) {
  if (stack.backend === 'external') return null;
  const others = benchmarks
    .flatMap(({ cases }) => cases.flatMap(({ rounds }) => rounds))
    .flatMap(({ load, nodes, machineCpu }) => {
      const used = [load.cpu, ...nodes.map(({ cpu }) => cpu)];
      const known = used.filter((cpu) => cpu !== null);
      return known.length < used.length ? [] : [machineCpu * environment.cores - sum(known)];
    });
  // Both are sampled at slightly different moments, so a quiet machine can come out just below 0.
  return others.length === 0 ? null : Math.max(0, median(others));
}

/** @param {Result} result @param {CaseParams['client']} client */
function clientVersion({ environment, tool }, client) {
  return isOwnClient(client) ? tool.version : (environment.clients[client] ?? 'unknown');
}

/** Without settings that only one run has: of another version, or not published. @param {Result} a @param {Result} b @returns {Difference[]} */
function configurationPairs(a, b) {
  const roles = Object.entries({ primary: 'primary', replicas: 'replica' }).map(([name, role]) => ({
    name,
    one: settingsOf(a.stack, role),
    other: settingsOf(b.stack, role),
  }));
  return [...new Set(roles.flatMap(({ one }) => [...one.keys()]))].flatMap((setting) => {
    const pairs = roles
      .filter(({ one, other }) => one.has(setting) && other.has(setting))
      .map(({ name, one, other }) => pairOf(`${setting} of the ${name}`, one.get(setting), other.get(setting)));
    const [first, second] = pairs;
    return second && first.a === second.a && first.b === second.b ? [{ ...first, what: setting }] : pairs;
  });
}

/** By role, because a failover makes another node the primary. @param {Result['stack']} stack @param {string} role @returns {Map<string, string>} setting → values */
function settingsOf({ nodes, config }, role) {
  const all = nodes
    .filter((node) => node.role === role)
    .flatMap(({ id }) => Object.entries(config[id] ?? {}))
    .filter(([name]) => !IRRELEVANT_SETTING.test(name) && !OLD_NAME.test(name));
  const valuesOf = (/** @type {string} */ name) =>
    all.filter(([other]) => other === name).map(([, value]) => value || '""');
  return new Map(all.map(([name]) => [name, [...new Set(valuesOf(name))].sort().join(' or ')]));
}

/** @param {string} name of the case @param {CaseParams} a @param {CaseParams} b */
function parameterPairs(name, a, b) {
  const [one, other] = [a, b].map(parametersOf);
  return [...new Set([...one.keys(), ...other.keys()])].map((key) =>
    pairOf(`${key} of ${name}`, one.get(key) ?? 'not set', other.get(key) ?? 'not set'),
  );
}

/** One entry for each, and for each field of a record. `ownSettings` are in the configuration of the nodes. @param {CaseParams} params @returns {Map<string, string>} */
function parametersOf({ ownSettings: _, ...params }) {
  return new Map(
    Object.entries(params).flatMap(([key, value]) =>
      typeof value === 'object' && !Array.isArray(value)
        ? Object.entries(value).map(([field, one]) => [`${field} in ${key}`, one === '' ? '""' : one])
        : [[key, String(value)]],
    ),
  );
}

/** @param {Difference} difference @returns {string} such as `server (redis 7.0.15, valkey 8.0.1)` */
export const differenceText = ({ what, a, b }) => `${what} (${a}, ${b})`;

/** @param {Pick<ComparedCase, 'ratio'>} compared @returns {string} such as `−4.2% (−6.1 to −2.0%)`; empty without a ratio */
export function changeText({ ratio }) {
  if (!ratio) return '';
  const { median, low, high } = ratio;
  return `${median > 1 ? '+' : ''}${percent(median - 1)} (${range(low - 1, high - 1, percent)})`;
}
