/**
 * The load thread: runs one round at a time, apart from orchestration, sampling and progress. Preparing a round connects, warms up
 * and drains; finishing it runs the timed part.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { loadClient } from '../clients/index.js';
import { encodeHistogram, latencyOf } from '../stats/histogram.js';
import { randomFrom } from '../stats/random.js';
import { createDraw, runClosedLoop, startBackground } from './closed-loop.js';
import { drain } from './drain.js';
import { createSchedule, runOpenLoop } from './open-loop.js';
import { runReadAfterWrite } from './read-after-write.js';
import { Recorder } from './recorder.js';
import { doJobs, measureThread, tellProgress } from './thread.js';

/**
 * @import { ClientName, Connection, Shape, Target } from '../clients/types.js'
 * @import { RoundPlan, RoundSample } from './types.js'
 */

/** Background writes for each send, beside reads that race writes. Large batches leave the load thread time for the replies. */
const BACKGROUND_BATCH = 50;
/** So that background writers draw other keys than the measured connections. */
const BACKGROUND_SEED = 0x5851f42d;

const PROGRESS_MS = 250;

/**
 * @typedef {Object} Prepared a round whose connections are open
 * @property {RoundPlan} plan
 * @property {Connection[]} writers the measured ones, whatever they send
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
  if (operation === 'idle') return delay(warmUpSeconds * 1000);
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
 * @param {RoundPlan} plan
 * @returns {Promise<Prepared>}
 */
async function prepare(plan) {
  // Other programs make their load themselves.
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
    await (client.drain ?? drain)(plan);
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
    await delay(seconds * 1000);
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
  const ticker = plan.progress ? setInterval(() => tellProgress(recorder.operations), PROGRESS_MS) : undefined;
  try {
    const loadSince = measureThread();
    const measured = await measure(prepared, recorder);
    const load = loadSince();

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
      load,
    };
  } finally {
    clearInterval(ticker);
    await Promise.all([...writers, ...background, ...readers.flat()].map((connection) => connection.close()));
  }
}

doJobs(async (/** @type {RoundPlan} */ plan) => {
  const prepared = await prepare(plan);
  return { finish: () => go(prepared) };
});
