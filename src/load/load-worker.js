/**
 * The load thread: runs one round at a time as it is told, apart from orchestration, sampling and progress.
 *
 * prepare → connects, warms up and drains, then answers; go → runs the timed part and answers with the sample.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { loadClient } from '../clients/index.js';
import { encodeHistogram, latencyOf } from '../stats/histogram.js';
import { randomFrom } from '../stats/random.js';
import { startBackground } from './background.js';
import { runClosedLoop } from './closed-loop.js';
import { drain } from './drain.js';
import { createDraw } from './draw.js';
import { runOpenLoop } from './open-loop.js';
import { runReadAfterWrite } from './read-after-write.js';
import { Recorder } from './recorder.js';
import { createSchedule } from './schedule.js';
import { threadCpuSeconds } from './thread-cpu.js';

/**
 * @import { ClientName, Connection, Shape, Target } from '../clients/types.js'
 * @import { UserError } from '../errors.js'
 * @import { RoundPlan, RoundSample } from './types.js'
 */

/**
 * Writes a batch of those who keep the primary busy behind reads that race writes: in large batches they cost the load
 * thread, which also has to notice when a reply arrives, little of its time.
 */
const BACKGROUND_BATCH = 50;
/** Keeps the keys of background writers from being those that the measured connections draw at the same time. */
const BACKGROUND_SEED = 0x5851f42d;

const PROGRESS_MS = 250;

/**
 * @typedef {Object} Prepared a round whose connections are open
 * @property {RoundPlan} plan
 * @property {Connection[]} writers those that are measured, whatever they send
 * @property {Connection[]} background
 * @property {Connection[][]} readers for each writer, a connection to each replica
 * @property {() => number} random
 */

/**
 * @param {Connection[]} connections
 * @param {RoundPlan} plan
 * @param {() => number} random
 */
async function warmUp(connections, { warmUpSeconds, keyspace, readRatio, operation }, random) {
  if (warmUpSeconds === 0) return;
  if (operation === 'idle') return idle(warmUpSeconds);
  const recorder = new Recorder();
  await runClosedLoop(connections, {
    seconds: warmUpSeconds,
    draw: createDraw({ keyspace, readRatio, operation, random }),
    recorder,
  });
  if (connections.some(({ lost }) => lost))
    throw new Error(`a connection was lost during the warm-up; the first error was: ${recorder.firstError}`);
}

/**
 * @param {number} seconds for which nothing is done
 */
async function idle(seconds) {
  await delay(seconds * 1000);
}

/**
 * @param {RoundPlan} plan
 * @returns {Promise<Prepared>}
 */
async function prepare(plan) {
  // Rounds of other programs never come here.
  const client = await loadClient(/** @type {ClientName} */ (plan.client));
  /** @type {Connection[]} */
  const opened = [];
  /**
   * @param {Target} target
   * @param {Shape} [shape]
   */
  const open = async (target, shape = plan.shape) => {
    const connection = await client.connect(target, shape);
    opened.push(connection);
    return connection;
  };
  /**
   * @param {number} count
   * @param {Target[]} targets
   * @param {Shape} [shape]
   */
  const openMany = (count, targets, shape) =>
    Promise.all(Array.from({ length: count }, (_, i) => open(targets[i % targets.length], shape)));
  const { primary, targets = [primary], operation } = plan;
  try {
    const writers = await openMany(operation === 'idle' ? 0 : plan.connections, targets);
    const background = await openMany(plan.backgroundConnections, [primary], {
      ...plan.shape,
      pipeline: plan.generator === 'writes' ? 1 : BACKGROUND_BATCH,
      waitReplicas: 0,
      waitLocal: undefined,
    });
    const readers =
      plan.generator === 'read-after-write'
        ? await Promise.all(writers.map(() => Promise.all(plan.replicas.map((target) => open(target)))))
        : [];
    const random = randomFrom(plan.seed);
    await warmUp(writers, plan, random);
    await drain(plan);
    return { plan, writers, background, readers, random };
  } catch (error) {
    await Promise.all(opened.map((connection) => connection.close()));
    throw error;
  }
}

/**
 * @param {Prepared} prepared
 * @param {Recorder} recorder
 * @returns {Promise<Pick<RoundSample, 'seconds' | 'openLoop' | 'consistency' | 'background'>>}
 */
async function measure(prepared, recorder) {
  const { plan, writers, background, readers, random } = prepared;
  const { seconds, keyspace, seed } = plan;
  if (plan.generator === 'read-after-write') {
    return runReadAfterWrite({ writers, background, readers, seconds, keyspace, random, recorder });
  }
  if (background.length === 0) return measureLoad(prepared, recorder);
  const beside = startBackground(
    background,
    createDraw({ keyspace, random: randomFrom((seed ^ BACKGROUND_SEED) >>> 0) }),
  );
  const measured = await measureLoad(prepared, recorder);
  const others = await beside.stop();
  recorder.addErrors(others.recorder.errors);
  recorder.firstError ??= others.recorder.firstError;
  return { ...measured, background: { operations: others.operations, seconds: others.seconds } };
}

/**
 * @param {Prepared} prepared
 * @param {Recorder} recorder
 * @returns {Promise<Pick<RoundSample, 'seconds' | 'openLoop'>>}
 */
async function measureLoad({ plan, writers, random }, recorder) {
  const { seconds, operations, keyspace, readRatio, operation, openLoop } = plan;
  if (operation === 'idle') {
    const begin = performance.now();
    await idle(seconds);
    return { seconds: (performance.now() - begin) / 1000 };
  }
  const draw = createDraw({ keyspace, readRatio, operation, random });
  if (!openLoop) return runClosedLoop(writers, { seconds, operations, draw, recorder });
  const { rate, arrivals, graceSeconds } = openLoop;
  const schedule = createSchedule({ batchesPerSecond: rate / plan.shape.pipeline, arrivals, random });
  const options = { seconds, graceSeconds, operations, schedule, draw, recorder };
  const { seconds: took, service, lateness, ...sent } = await runOpenLoop(writers, options);
  return {
    seconds: took,
    openLoop: {
      ...sent,
      serviceHistogram: encodeHistogram(service),
      latenessHistogram: encodeHistogram(lateness),
    },
  };
}

/**
 * @param {Prepared} prepared
 * @returns {Promise<RoundSample>}
 */
async function go(prepared) {
  const { plan, writers, background, readers } = prepared;
  const recorder = new Recorder();
  const ticker = plan.progress ? setInterval(() => tellProgress(recorder), PROGRESS_MS) : undefined;
  try {
    const cpuBefore = threadCpuSeconds();
    const loopBefore = performance.eventLoopUtilization();
    const began = performance.now();
    const measured = await measure(prepared, recorder);
    const elapsed = (performance.now() - began) / 1000;
    const cpuAfter = threadCpuSeconds();
    const { utilization } = performance.eventLoopUtilization(loopBefore);

    const { outcomes, readOutcomes, reads } = recorder;
    const { operation, readRatio = 0 } = plan;
    return {
      ...measured,
      operations: recorder.operations,
      outcomes: operation === 'get' || operation === 'ping' ? readOutcomes : outcomes,
      ...((operation === 'get' || readRatio > 0) && { reads }),
      errors: recorder.errors,
      firstError: recorder.firstError,
      lostConnections: writers.filter(({ lost }) => lost).length,
      histogram: encodeHistogram(recorder.histogram),
      latencyNs: latencyOf(recorder.histogram),
      load: {
        cpu: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / elapsed,
        eventLoopUtilization: utilization,
      },
    };
  } finally {
    clearInterval(ticker);
    await Promise.all([...writers, ...background, ...readers.flat()].map((connection) => connection.close()));
  }
}

const port = parentPort;
if (!port) throw new Error('src/load/worker.js runs as a worker thread only');

/** @param {Recorder} recorder */
function tellProgress(recorder) {
  port?.postMessage({ progress: recorder.operations });
}

/** @type {Prepared | null} */
let prepared = null;

port.on('message', async (/** @type {{plan?: RoundPlan}} */ message) => {
  try {
    if (message.plan) {
      prepared = await prepare(message.plan);
      port.postMessage({ ready: true });
    } else if (prepared) {
      const round = prepared;
      prepared = null;
      port.postMessage({ sample: await go(round) });
    }
  } catch (error) {
    const { message = String(error), remedy } = /** @type {Partial<UserError>} */ (error);
    port.postMessage({ error: message, remedy });
  }
});
