/**
 * The timed part of a benchmark: the rounds of all its cases, interleaved in random order.
 */
import { shuffle } from '../measure/random.js';
import { untilAborted } from './interruption.js';
import { keyspaceFor } from './keys.js';
import { timeRound } from './round.js';

/** Of benchmarks with a rate: many users do not act in step with each other. */
const ARRIVALS = 'poisson';
/** What is overdue at the end of an open-loop round may still leave for so long. */
const LONGEST_GRACE_SECONDS = 1;

/**
 * @typedef {import('./types.js').Case} Case
 * @typedef {import('../report/schema.js').RoundResult} RoundResult
 *
 * @typedef {Object} Bench what a round needs
 * @property {import('../cluster/types.js').Cluster} cluster
 * @property {Map<string, import('../cluster/control.js').Control>} controls a control connection for each Redis node
 * @property {import('../load/load-thread.js').LoadThread} loadThread
 * @property {import('./types.js').Profile} profile
 * @property {() => number} random
 * @property {AbortSignal} signal
 */

/**
 * @param {Bench} bench
 * @param {import('./types.js').Benchmark} benchmark
 * @param {Case[]} cases
 * @param {string} keyPrefix
 * @param {(round: number, theCase: Case) => void} onRound told before each round, `round` counts from 1
 * @returns {Promise<Map<string, RoundResult[]>>} case id → its rounds, in order; the n-th rounds of all cases were run
 *   side by side, so they can be paired
 */
export async function measureRounds(bench, benchmark, cases, keyPrefix, onRound) {
  /** @type {Map<string, RoundResult[]>} */
  const results = new Map(cases.map(({ id }) => [id, []]));
  for (let round = 1; round <= bench.profile.rounds; round++) {
    for (const theCase of shuffle(cases, bench.random)) {
      onRound(round, theCase);
      results.get(theCase.id)?.push(await measureRound(bench, benchmark, theCase, keyPrefix));
    }
  }
  return results;
}

/**
 * @param {Bench} bench
 * @param {import('./types.js').Benchmark} benchmark
 * @param {Case} theCase
 * @param {string} keyPrefix
 * @returns {Promise<RoundResult>}
 */
async function measureRound({ cluster, controls, loadThread, profile, random, signal }, benchmark, theCase, keyPrefix) {
  const { params } = theCase;
  const primary = await untilAborted(cluster.primary(), signal);
  const replicas = await untilAborted(cluster.replicas(), signal);
  const { credentials } = cluster;
  /** @type {import('../load/types.js').RoundPlan} */
  const plan = {
    // Trials are not measured in rounds of this kind.
    generator: /** @type {import('../load/types.js').RoundPlan['generator']} */ (benchmark.generator),
    client: params.client,
    primary: { ...primary.address, credentials },
    replicas: replicas.map(({ address }) => ({ ...address, credentials })),
    shape: {
      payloadBytes: params.payloadBytes,
      pipeline: params.pipeline,
      waitReplicas: params.wait,
      waitTimeoutMs: params.waitTimeoutMs,
      habit: params.habit,
      keyPrefix,
    },
    connections: params.connections,
    backgroundConnections: params.backgroundConnections ?? 0,
    keyspace: keyspaceFor(params),
    seconds: profile.seconds,
    warmUpSeconds: profile.warmUpSeconds,
    ...(params.rate !== undefined && {
      openLoop: {
        rate: params.rate,
        arrivals: ARRIVALS,
        graceSeconds: Math.min(profile.seconds, LONGEST_GRACE_SECONDS),
      },
    }),
    seed: Math.floor(random() * 2 ** 32),
  };
  return timeRound({ loadThread, plan, controls, primaryId: primary.id, signal });
}
