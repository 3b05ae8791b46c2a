/** What the words of `sentinel-bench run` ask for. Nothing is started or read here: an option that would be ignored is an error at once. */
import { selectBenchmarks, suites } from '../../bench/index.js';
import { PROFILES, profileFor } from '../run/profiles.js';
import { checkUsed, parametersFor } from './applicable.js';
import { NATS_RULE } from './nats-options.js';
import { stackOptions } from './options.js';
import { refusal } from './refusals.js';
import { checkUndoable } from './run-options.js';
import { ownOptions } from './suite-options.js';

/**
 * @import { Parameters } from '../run/parameters.js' @import { Benchmark, Profile } from '../run/types.js'
 * @import { StackOptions } from '../stacks/types.js'
 */

/**
 * @param {string[]} names of benchmarks @param {Record<string, any>} options
 * @param {readonly string[]} typed attribute names of the options that the user typed
 * @returns what `runSuite` takes, without what a run finds out itself; `servers`: the flag and the values, if several are compared
 * @throws {UserError} an option that the run would ignore, or that contradicts another
 */
export function requestOf(names, options, typed) {
  const benchmarks = selectBenchmarks(names, options.suite, options.profile);
  checkUsed(typed, options, [
    {
      options: ['suite'],
      isUsed: () => names.length === 0,
      where: 'when no benchmark is named',
      instead: 'Leave out the names of benchmarks',
    },
    NATS_RULE,
  ]);
  const parameters = parametersFor(options, typed, { benchmarks, suites });
  const profile = profileFor(PROFILES[/** @type {keyof typeof PROFILES} */ (options.profile)], benchmarks);
  if (typed.includes('lanes')) checkLanes(parameters.lanes ?? 1, benchmarks, profile);
  const stack = stackOptions(options, typed);
  const system = systemOf(benchmarks);
  const servers = severalServers(options, benchmarks);
  checkUndoable(parameters.act);
  if (parameters.agents) checkReachable(options, stack, system);
  for (const { name, check } of ownOptions) check?.(parameters[name]);
  const { trials = profile.trials, act, allow, agents } = parameters;
  return {
    suite: names.length === 0 ? options.suite : names.join('+'),
    benchmarks,
    profile: { ...profile, trials },
    ...runParameters(parameters),
    ...(agents && { agents }),
    stack: { ...stack, system, commands: act, allow, settings: options.set },
    ...(servers && { servers }),
  };
}

/** Refuses if none runs so many trials side by side. @param {number} lanes @param {readonly Benchmark[]} benchmarks @param {Profile} profile */
function checkLanes(lanes, benchmarks, profile) {
  const most = Math.max(
    ...benchmarks.map((each) => (each.kind === 'trial' ? (each.mostLanes?.(profile) ?? Infinity) : 0)),
  );
  if (lanes > most) throw most === 1 ? refusal('one-trial-at-a-time') : refusal('few-trials-at-a-time', { most });
}

/**
 * @param {{server?: string[], image?: string[]}} wanted the backend takes one of these options
 * @param {readonly Benchmark[]} benchmarks of the run @returns undefined: at most one was named
 * @throws {UserError} several were named, and no benchmark takes several
 */
function severalServers({ server = [], image = [] }, benchmarks) {
  /** @type {'--server' | '--image'} */
  const option = image.length > 0 ? '--image' : '--server';
  const values = option === '--image' ? image : server;
  if (values.length < 2) return undefined;
  if (benchmarks.some((each) => each.servers)) return { option, values };
  const takers = suites.filter((suite) => suite.benchmarks.some((each) => each.servers)).map(({ name }) => name);
  throw refusal('several-servers', { option, suites: takers.map((name) => `--suite ${name}`).join(' or ') });
}

/**
 * Refuses if the agents of `agents up` cannot reach such a stack.
 * @param {Record<string, any>} options @param {StackOptions} stack @param {StackOptions['system']} system
 */
function checkReachable({ nats }, { backend, hosts }, system) {
  if (nats || hosts || backend === 'external') return;
  throw refusal('out-of-reach', { backend: system === 'mariadb' ? 'agents' : 'hosts' });
}

/** @param {readonly Benchmark[]} benchmarks of a run @throws {UserError} they measure different systems; a run has one stack */
function systemOf(benchmarks) {
  const [system = 'redis', ...others] = new Set(benchmarks.map((each) => each.system ?? 'redis'));
  if (others.length === 0) return system;
  throw refusal('several-systems', { systems: [system, ...others].join(', ') });
}

/** @param {Parameters} parameters @returns what `runSuite` takes of them */
function runParameters(parameters) {
  const { client, lanes, linkLatency, downAfter, placement, replicas, sentinels, agents: _, ...others } = parameters;
  const given = { linkLatencyMs: linkLatency || undefined, downAfterMs: downAfter, placement, replicas, sentinels };
  const trialParams = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { client, lanes, trialParams, parameters: others };
}
