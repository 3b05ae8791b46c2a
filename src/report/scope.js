/**
 * What details.md says at its top: when, how much and on what a run measured.
 *
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

import { isFailureBenchmark } from '../audit/of-trials.js';
import { bytes, count, duration, limitsText, plural, range, rate, serverText } from '../format.js';
import { NS_A_MS } from '../units.js';
import { agentsText } from './agents.js';

/**
 * @param {Suite} suite
 * @param {Result} result
 * @returns {BenchmarkResult[]} those of the suite
 */
export function benchmarksOf(suite, { benchmarks }) {
  return benchmarks.filter(({ name }) => suite.benchmarks.some((each) => each.name === name));
}

/**
 * @param {Result} result
 * @returns {string} what was measured, how often
 */
export function scopeText({ startedAt, profile, benchmarks, trials: run, stack }) {
  const { name, rounds, seconds, trials, writesPerSecond } = profile;
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const timed = measured.filter((each) => !isFailureBenchmark(each));
  const lengths = timed.map((each) => each.pace?.seconds ?? seconds);
  const counts = timed.flatMap((each) => roundsOf(each, rounds));
  const parts =
    timed.length === 0
      ? []
      : [
          `each setting timed in ${spread(counts)} round${counts.every((each) => each === 1) ? '' : 's'} of ${spread(lengths)} s`,
        ];
  if (trials !== undefined && measured.some(isFailureBenchmark)) {
    const rates = new Set(
      measured.filter(isFailureBenchmark).flatMap(({ cases }) => cases.map((one) => one.params.rate)),
    );
    const each = rates.size === 1 ? [...rates][0] : writesPerSecond;
    const load = each === undefined ? '' : `, ${rate(each).replace(/ ?\/s$/, ' writes/s')} from each writer`;
    const pace = run === undefined || run.done < 2 ? '' : `; ${plural(run.lanes, 'trial')} at a time`;
    parts.push(
      `each mode in each of its failures tried ${trials === 1 ? 'once' : `${count(trials)} times`}${load}${pace}`,
    );
  }
  parts.push(...loadText(measured, stack));
  const when = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `Measured ${when}, profile ${name}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}`;
}

/**
 * A cost without its payload, connections and depth cannot be compared with that of another page.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {Pick<Result['stack'], 'nodes'>} stack
 * @returns {string[]} empty: nothing was measured
 */
function loadText(benchmarks, { nodes }) {
  const cases = benchmarks.flatMap((each) => each.cases.map(({ params }) => params));
  if (cases.length === 0) return [];
  const of = (/** @type {'payloadBytes' | 'connections' | 'pipeline'} */ name) => cases.map((params) => params[name]);
  const delays = nodes.some(({ kind }) => kind === 'sentinel')
    ? cases.flatMap(({ downAfterMs }) => downAfterMs ?? [])
    : [];
  return [
    [
      `values of ${usual(of('payloadBytes'), bytes)}`,
      `connections ${usual(of('connections'), count)}`,
      `pipeline depth ${usual(of('pipeline'), count)}`,
      ...(delays.length === 0 ? [] : [`down-after ${usual(delays, (ms) => duration(ms * NS_A_MS))}`]),
    ].join(', '),
  ];
}

/**
 * @param {readonly number[]} values at least one
 * @param {(value: number) => string} show
 * @returns {string} the most frequent value, and the range if there are others: `64 B (from 12 B to 256 KiB)`
 */
function usual(values, show) {
  const first = show(mostFrequent(values));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // In words, because numbers in parentheses are intervals elsewhere.
  return low === high ? first : `${first} (from ${show(low)} to ${show(high)})`;
}

/**
 * @template T
 * @param {readonly T[]} values at least one
 */
function mostFrequent(values) {
  const often = (/** @type {T} */ value) => values.filter((each) => each === value).length;
  return [...new Set(values)].sort((a, b) => often(b) - often(a))[0];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} planned by the profile
 * @returns {number[]} rounds: more than planned if headline cases got further ones
 */
function roundsOf({ pace, precision, cases }, planned) {
  return precision ? cases.map((one) => one.rounds.length) : [pace?.rounds ?? planned];
}

/** @param {readonly number[]} values */
function spread(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? String(high) : range(low, high, String);
}

/**
 * @param {Pick<Result, 'stack' | 'environment' | 'agents' | 'benchmarks'>} result
 * @returns {string} where it was measured
 */
export function environmentText({ stack, environment, agents, benchmarks }) {
  const { cores, cpuModel, memoryBytes, os, virtualization } = environment;
  const limits = limitsText(environment);
  const machine = [
    `${plural(cores, 'core')} of ${cpuModel}`,
    bytes(memoryBytes),
    ...(limits === '' ? [] : [`limited to ${limits}`]),
    os,
    ...(virtualization === '' ? [] : [virtualization]),
  ];
  const load = agentsText({ agents, benchmarks });
  const servers = serversOf({ stack, benchmarks }).map(serverText).join(', ');
  return [
    `${servers}, ${[...topology({ stack, benchmarks }), `backend ${stack.backend} (${stack.path}${stack.inMemory ? ', files in memory' : ''})`, ...machine].join(', ')}`,
    ...load,
  ].join('; ');
}

/**
 * @param {Pick<Result, 'stack' | 'benchmarks'>} result
 * @returns {string[]} such as `1 primary, 2 replicas, 3 Sentinels`, and whether nodes keep files; empty: no failure was measured, and
 *   other benchmarks may have stacks of their own
 */
function topology({ stack: { nodes, config }, benchmarks }) {
  if (!benchmarks.some(isFailureBenchmark)) return [];
  const number = (/** @type {string} */ role) => nodes.filter((node) => node.role === role).length;
  const [primaries, replicas, sentinels] = ['primary', 'replica', 'sentinel'].map(number);
  if (primaries !== 1) return [];
  const primary = nodes.find(({ role }) => role === 'primary');
  const { save, appendonly } = (primary && config?.[primary.id]) ?? {};
  return [
    '1 primary',
    plural(replicas, 'replica'),
    ...(sentinels === 0 ? [] : [plural(sentinels, 'Sentinel')]),
    ...(save === '' && appendonly === 'no' ? ['no RDB, no AOF unless named'] : []),
  ];
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
