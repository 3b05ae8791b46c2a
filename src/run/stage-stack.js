/**
 * A stack of a benchmark's own: what is to run on it runs, nothing else does, and it ends with the benchmark.
 */
import { startCluster } from '../stacks/index.js';
import { closeBench, connectControls, createBench } from './bench.js';

/**
 * @import { ClusterOptions } from '../stacks/types.js'
 * @import { Bench } from './rounds.js'
 */

/**
 * @typedef {Object} StageStack
 * @property {Bench} bench
 * @property {string[]} stopped nodes that do not run, on purpose
 * @property {() => Promise<void>} close takes it down, and those that were started beside it
 */

/**
 * @param {ClusterOptions & {backend: 'docker' | 'local'}} how
 * @param {Object} options
 * @param {number} [options.replicas] so many run; default: all
 * @param {boolean} [options.withoutSentinels]
 * @param {Pick<Bench, 'profile' | 'random' | 'now'> & {signal: AbortSignal}} options.run
 * @returns {Promise<StageStack>} whatever was started is gone when it rejects
 */
export async function openStageStack(how, options) {
  const { replicas: wanted, withoutSentinels = false, run } = options;
  const cluster = await startCluster({ ...how, signal: run.signal });
  const bench = { ...createBench(cluster, run), ...(run.now && { now: run.now }) };
  /** @type {StageStack[]} */
  const others = [];
  /** @type {string[]} */
  const stopped = [];

  async function close() {
    const ended = await Promise.allSettled([...others.splice(0).map((other) => other.close()), closeBench(bench)]);
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }

  try {
    const [primary, all] = await Promise.all([cluster.primary(), cluster.replicas()]);
    bench.replicas = all.slice(0, wanted);
    const sentinels = withoutSentinels ? cluster.nodes.filter(({ kind }) => kind === 'sentinel') : [];
    for (const { id } of [...sentinels, ...all.slice(bench.replicas.length)]) {
      await cluster.act(id, 'stop');
      stopped.push(id);
    }
    await connectControls(bench, stopped);
    if (withoutSentinels) bench.primary = primary;
    bench.others = async (count) => {
      while (others.length < count) others.push(await openStageStack(how, options));
      return others.slice(0, count).map((other) => other.bench);
    };
    return { bench, stopped, close };
  } catch (error) {
    await close();
    throw error;
  }
}
