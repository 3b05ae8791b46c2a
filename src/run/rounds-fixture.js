/** For tests only: a testbed whose load thread measures nothing, and which records what is asked of it. */
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { randomFrom } from '../stats/random.js';
import { PROFILES } from './profiles.js';

/**
 * @import { RoundPlan } from '../load/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Testbed } from './rounds.js'
 * @import { LoadBenchmark } from './types.js'
 */

const NODES = ['redis-1', 'redis-2', 'redis-3'].map((id, i) => ({
  id,
  kind: /** @type {const} */ ('redis'),
  address: { host: '10.0.0.1', port: 6379 + i },
  announced: { host: '10.0.0.1', port: 6379 + i },
}));
export const [PRIMARY, ...REPLICAS] = NODES;
const CREDENTIALS = { username: 'bench' };
export const targetOf = (/** @type {typeof PRIMARY} */ { address }) => ({ ...address, credentials: CREDENTIALS });

/** @param {number} throughput acked writes of a round of one second */
function sampleOf(throughput) {
  const histogram = newHistogram();
  return {
    seconds: 1,
    operations: throughput,
    outcomes: { acked: throughput, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    firstError: null,
    histogram: encodeHistogram(histogram),
    latencyNs: latencyOf(histogram),
    load: { cpu: 0.5, eventLoopUtilization: 0.5 },
  };
}

/**
 * @param {Object} [options]
 * @param {number} [options.seed] of the run
 * @param {number} [options.rounds]
 * @param {(plan: RoundPlan, round: number) => number} [options.throughput] of each round, counted from 0 over all rounds
 * @param {Partial<Testbed>} [options.more]
 */
export function benchOf({ seed = 1, rounds = 1, throughput = () => 1000, more = {} } = {}) {
  const calls = /** @type {unknown[]} */ ([]);
  const plans = /** @type {RoundPlan[]} */ ([]);
  const stack = {
    about: {},
    access: { credentials: CREDENTIALS },
    can: new Set(),
    network: { slow: async (/** @type {object | null} */ shape) => calls.push(['slow', shape]) },
    database: {
      primary: async () => PRIMARY,
      replicas: async () => REPLICAS,
      name: 'redis',
      backgroundWork: {
        settled: async () => calls.push(['settled']),
        async keepBusy(/** @type {object} */ address, /** @type {string} */ during) {
          calls.push(['busy', address, during]);
          return { stop: async () => ({ share: 0.25 }) };
        },
      },
    },
  };
  let turns = /** @type {RoundPlan[]} */ ([]);
  const loadThread = {
    async prepare(/** @type {RoundPlan} */ plan) {
      plans.push(plan);
    },
    go: async () => sampleOf(throughput(plans[plans.length - 1], plans.length - 1)),
    close: async () => {},
    async prepareTurns(/** @type {RoundPlan[]} */ all) {
      turns = all;
      plans.push(...all);
      calls.push(['turns', all.length]);
    },
    turn: async (/** @type {number} */ index) => calls.push(['turn', index]),
    endTurns: async () => turns.map((plan, i) => sampleOf(throughput(plan, i))),
  };
  const testbed = /** @type {Testbed} */ (
    /** @type {unknown} */ ({
      stack,
      controls: new Map(),
      loadThread,
      tuning: {
        become: async (/** @type {CaseParams} */ { settings }, /** @type {object} */ roles) =>
          calls.push(['become', settings, roles]),
      },
      profile: { ...PROFILES.quick, rounds, seconds: 0.5, warmUpSeconds: 0.1 },
      random: randomFrom(seed),
      signal: new AbortController().signal,
      ...more,
    })
  );
  return { testbed, calls, plans };
}

/** @param {Partial<LoadBenchmark>} [more] @returns {LoadBenchmark} */
export const benchmarkOf = (more) => ({
  name: 'load',
  question: 'What is asked of the load thread?',
  method: 'Nothing is measured.',
  needs: [],
  kind: 'load',
  cases: () => [],
  table: [],
  findings: () => [],
  checks: () => [],
  ...more,
});
