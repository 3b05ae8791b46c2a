/**
 * Every benchmark there is, in the order in which they run.
 */
import { ExitStatus, UserError } from '../src/errors.js';
import asyncVsWait from './async-vs-wait.js';
import clients from './clients.js';
import concurrency from './concurrency.js';
import copy from './copy.js';
import engine from './engine.js';
import latencyCurve from './latency-curve.js';
import linkCompression from './link-compression.js';
import linkDemand from './link-demand.js';
import linkLoss from './link-loss.js';
import linkShortfall from './link-shortfall.js';
import payload from './payload.js';
import persistence from './persistence.js';
import pipeline from './pipeline.js';
import plannedFailover from './planned-failover.js';
import primaryCut from './primary-cut.js';
import primaryIsolated from './primary-isolated.js';
import primaryKilled from './primary-killed.js';
import primaryPaused from './primary-paused.js';
import primaryRestartedEmpty from './primary-restarted-empty.js';
import readAfterWrite from './read-after-write.js';
import replicaRestart from './replica-restart.js';
import replicaSlow from './replica-slow.js';
import replicasPaused from './replicas-paused.js';
import resources from './resources.js';
import sentinelsLost from './sentinels-lost.js';
import sweepBothReplicasPaused from './sweep-both-replicas-paused.js';
import sweepCut from './sweep-cut.js';
import sweepHealthy from './sweep-healthy.js';
import sweepKilled from './sweep-killed.js';
import sweepOneReplicaPaused from './sweep-one-replica-paused.js';

/** @typedef {import('../src/run/types.js').Benchmark} Benchmark */

/** @type {ReadonlyMap<string, Benchmark>} */
export const allBenchmarks = new Map(
  [
    asyncVsWait,
    pipeline,
    concurrency,
    payload,
    readAfterWrite,
    clients,
    latencyCurve,
    engine,
    replicasPaused,
    replicaRestart,
    primaryKilled,
    primaryPaused,
    primaryCut,
    primaryIsolated,
    plannedFailover,
    primaryRestartedEmpty,
    sentinelsLost,
    replicaSlow,
    sweepHealthy,
    sweepKilled,
    sweepCut,
    sweepOneReplicaPaused,
    sweepBothReplicasPaused,
    persistence,
    resources,
    linkDemand,
    linkShortfall,
    linkCompression,
    linkLoss,
    copy,
  ].map((benchmark) => [benchmark.name, benchmark]),
);

export const SUITES = [...new Set([...allBenchmarks.values()].map(({ suite }) => suite))];

/**
 * @param {string[]} names none: the whole suite, as far as it belongs to the profile
 * @param {string} suite
 * @param {import('../src/run/types.js').Profile['name']} profile
 * @returns {Benchmark[]}
 * @throws {UserError} a name that is not known
 */
export function selectBenchmarks(names, suite, profile) {
  if (names.length === 0) {
    return [...allBenchmarks.values()].filter(
      (benchmark) => benchmark.suite === suite && (benchmark.profiles?.includes(profile) ?? true),
    );
  }
  return [...new Set(names)].map((name) => {
    const benchmark = allBenchmarks.get(name);
    if (benchmark) return benchmark;
    throw new UserError(
      `There is no benchmark called ${name}.`,
      `There are: ${[...allBenchmarks.keys()].join(', ')}.`,
      ExitStatus.badInput,
    );
  });
}
