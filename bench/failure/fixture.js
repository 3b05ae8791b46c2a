/** For tests only. */
import { nodesOf } from '../../src/stacks/redis/topology.js';
import { SCENARIOS } from './scenario-checks.js';

/**
 * @import { Fault, TrialBenchmark } from '../types.js'
 */

/** @param {string} name @returns {(typeof SCENARIOS)[number]} */
export function scenarioNamed(name) {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (!found) throw new RangeError(`there is no scenario ${name}`);
  return found;
}

/**
 * @param {TrialBenchmark} benchmark
 * @param {{replicas?: number, sentinels?: number} & Record<string, unknown>} [params]
 * @param {{promoted?: boolean, hosts?: string[][] | null, replication?: Record<string, string>[]}} [options] promoted: a replica is; hosts: of an
 *   existing deployment; replication: what the primary answers about its replicas, one after the other
 * @returns {Promise<{course: string[], marks: string[], faults: Fault[]}>} course: what the script does, in order; marks: what it tells the timeline
 */
export async function performed(benchmark, params = {}, { promoted = true, hosts = null, replication = [] } = {}) {
  /** @type {{course: string[], marks: string[], faults: Fault[]}} */
  const done = { course: [], marks: [], faults: [] };
  const inject = async (/** @type {Fault} */ fault, /** @type {string} */ id) => {
    done.course.push(`${id} ${fault.what}`);
    done.faults.push(fault);
    return async () => void done.course.push(`undo ${fault.name}`);
  };
  const nodes = nodesOf({ replicas: params.replicas, sentinelCount: params.sentinels });
  const [primary, ...replicas] = nodes.filter(({ kind }) => kind === 'redis');
  const scene = {
    profile: { healthySeconds: 1 },
    primary,
    replicas,
    sentinels: nodes.filter(({ kind }) => kind === 'sentinel'),
    hosts,
    downAfterMs: 2000,
    inject,
    prepare: inject,
    write: async (/** @type {number} */ seconds) => void done.course.push(`write ${seconds}`),
    async until(/** @type {() => Promise<boolean>} */ holds) {
      for (let tries = 0; tries < 4; tries++) if (await holds()) return true;
      return false;
    },
    heard: () => true,
    info: async () => replication.shift() ?? {},
    switched: () => promoted,
    follow: async () => {},
    demoted: async () => true,
    readFormer: async () => {},
    mark: (/** @type {string} */ what) => void done.marks.push(what),
  };
  await benchmark.script(/** @type {any} */ (scene), /** @type {any} */ ({ params }));
  return done;
}
