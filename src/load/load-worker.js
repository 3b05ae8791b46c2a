/**
 * The load thread. Preparing a round connects, warms up and drains; finishing it runs the timed part.
 * @import { LoadConnection, Shape, Target } from '../clients/types.js'
 * @import { RoundPlan, RoundSample } from './types.js'
 */
import { setTimeout as delay } from 'node:timers/promises';
import { loadClient } from '../clients/index.js';
import { encodeHistogram, latencyOf } from '../stats/histogram.js';
import { randomFrom } from '../stats/random.js';
import { orUndo } from '../wait.js';
import { tellProgress } from '../worker-thread.js';
import { createDraw, runClosedLoop } from './closed-loop.js';
import { drain, openDrain } from './drain.js';
import { createSchedule, runOpenLoop } from './open-loop.js';
import { runReadAfterWrite } from './read-after-write.js';
import { Recorder } from './recorder.js';
import { doJobs, measureThread } from './thread.js';

/** Writes a batch, beside reads that race writes. Large batches leave the load thread time for the replies. */
const BACKGROUND_BATCH = 50;
const BACKGROUND_SEED = 0x5851f42d;

const PROGRESS_MS = 250;

/** @typedef {Awaited<ReturnType<typeof prepare>>} Prepared a round whose connections are open */

/** @param {LoadConnection[]} connections @param {RoundPlan} plan @param {() => number} random */
async function warmUp(connections, { warmUpSeconds: seconds, keyspace, readRatio, operation }, random) {
  if (seconds === 0) return;
  if (operation === 'idle') return delay(seconds * 1000);
  const recorder = new Recorder();
  const draw = createDraw({ keyspace, readRatio, operation, random });
  await runClosedLoop(connections, { seconds, draw, recorder });
  if (connections.some(({ lost }) => lost))
    throw new Error(`a connection was lost during the warm-up; the first error was: ${recorder.firstError}`);
}

/** @param {RoundPlan} plan @returns warmed up; aborting `stopping` ends the timed part of `writes` early */
async function prepare(plan) {
  const client = await loadClient(plan.client);
  const opened = /** @type {LoadConnection[]} */ ([]);
  /** @param {Target} target @param {Shape} [shape] */
  const open = async (target, shape = plan.shape) => {
    const connection = await client.connect(target, shape);
    opened.push(connection);
    return connection;
  };
  /** @param {number} count @param {Target[]} targets @param {Shape} [shape] */
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
    return { plan, writers, background, readers, random, stopping: new AbortController() };
  } catch (error) {
    await Promise.all(opened.map((connection) => connection.close()));
    throw error;
  }
}

/** @param {Prepared} prepared @param {Recorder} recorder */
async function measure(prepared, recorder) {
  const { plan, background, writers } = prepared;
  if (background.length === 0) return measureLoad(prepared, recorder);
  const { generator, keyspace, seed } = plan;
  const races = generator === 'read-after-write';
  const ending = new AbortController();
  const others = new Recorder();
  // What races is read back, so nobody else may write it.
  const firstKey = races ? writers.length * keyspace : 0;
  const draw = createDraw({ keyspace, firstKey, random: randomFrom((seed ^ BACKGROUND_SEED) >>> 0) });
  const beside = runClosedLoop(background, { draw, recorder: others, stop: ending.signal });
  const measured = await measureLoad(prepared, recorder);
  ending.abort();
  const took = await beside;
  recorder.addErrors(others);
  return races ? measured : { ...measured, background: { operations: others.operations, seconds: took.seconds } };
}

/** @typedef {Pick<RoundSample, 'seconds' | 'openLoop' | 'consistency'>} Measured */

/** @param {Prepared} prepared @param {Recorder} recorder @returns {Promise<Measured>} */
async function measureLoad({ plan, writers, readers, random, stopping: { signal: stop } }, recorder) {
  const { generator, seconds, operations, keyspace, readRatio, operation, openLoop } = plan;
  if (generator === 'read-after-write') return runReadAfterWrite({ writers, readers, seconds, keyspace, recorder });
  if (operation === 'idle') {
    const begin = performance.now();
    await delay(seconds * 1000);
    return { seconds: (performance.now() - begin) / 1000 };
  }
  const draw = createDraw({ keyspace, readRatio, operation, random });
  if (!openLoop) return runClosedLoop(writers, { seconds, operations, draw, recorder, stop });
  const { rate, arrivals, graceSeconds } = openLoop;
  const schedule = createSchedule({ rate, pipeline: plan.shape.pipeline, arrivals, random });
  const options = { seconds, graceSeconds, operations, schedule, draw, recorder, stop };
  const { seconds: took, service, lateness, waiting, ...sent } = await runOpenLoop(writers, options);
  const histograms = { serviceHistogram: encodeHistogram(service), latenessHistogram: encodeHistogram(lateness) };
  return { seconds: took, openLoop: { ...sent, ...histograms, ...(waiting && { waiting }) } };
}

/** @param {Prepared} prepared @returns {Promise<RoundSample>} */
async function go(prepared) {
  const { plan } = prepared;
  const recorder = new Recorder();
  const ticker = plan.progress ? setInterval(() => tellProgress(recorder.operations), PROGRESS_MS) : undefined;
  try {
    const loadSince = measureThread();
    const measured = await measure(prepared, recorder);
    return { ...measured, ...recorded(prepared, recorder), load: loadSince() };
  } finally {
    clearInterval(ticker);
    await closeAll(prepared);
  }
}

/** @param {Prepared} prepared @param {Recorder} recorder @returns {Omit<RoundSample, 'seconds' | 'load'>} */
function recorded({ plan: { operation, readRatio = 0 }, writers }, recorder) {
  const { outcomes, readOutcomes, reads } = recorder;
  return {
    operations: recorder.operations,
    outcomes: operation === 'get' || operation === 'ping' ? readOutcomes : outcomes,
    ...((operation === 'get' || readRatio > 0) && { reads }),
    errors: recorder.errors,
    firstError: recorder.firstError,
    lostConnections: writers.filter(({ lost }) => lost).length,
    histogram: encodeHistogram(recorder.histogram),
    latencyNs: latencyOf(recorder.histogram),
  };
}

async function closeAll(/** @type {Prepared} */ { writers, background, readers }) {
  await Promise.all([...writers, ...background, ...readers.flat()].map((connection) => connection.close()));
}

/** Closed-loop rounds of writes that take turns on connections which stay open. @param {RoundPlan[]} plans */
async function prepareTurns(plans) {
  const opened = /** @type {Prepared[]} */ ([]);
  const drainage = await openDrain(plans[0]);
  const close = () => Promise.all([drainage.close(), ...opened.map(closeAll)]);
  const openAll = async () => {
    for (const plan of plans) opened.push(await prepare(plan));
  };
  await orUndo(openAll(), close);
  let drained = drainage.drain();
  const rounds = opened.map((prepared) => ({
    prepared,
    draw: createDraw({ keyspace: prepared.plan.keyspace, random: prepared.random }),
    recorder: new Recorder(),
    seconds: 0,
    cpuSeconds: /** @type {number | null} */ (0),
    busySeconds: 0,
  }));
  return {
    async step(/** @type {{index: number, seconds: number}} */ { index, seconds }) {
      await drained;
      const round = rounds[index];
      const loadSince = measureThread();
      const { prepared, draw, recorder } = round;
      const took = await runClosedLoop(prepared.writers, { seconds, draw, recorder });
      const { cpu, eventLoopUtilization } = loadSince();
      round.seconds += took.seconds;
      round.cpuSeconds = cpu === null || round.cpuSeconds === null ? null : round.cpuSeconds + cpu * took.seconds;
      round.busySeconds += eventLoopUtilization * took.seconds;
      drained = drainage.drain();
      // The next turn reports a failure. Without this it would end the thread before.
      drained.catch(() => {});
    },
    async finish() {
      await drained;
      const samples = rounds.map(({ prepared, recorder, seconds, cpuSeconds, busySeconds }) => ({
        seconds,
        ...recorded(prepared, recorder),
        load: { cpu: cpuSeconds && cpuSeconds / seconds, eventLoopUtilization: Math.min(1, busySeconds / seconds) },
      }));
      await close();
      return samples;
    },
  };
}

doJobs(async (/** @type {RoundPlan | {turns: RoundPlan[]}} */ order) => {
  if ('turns' in order) return prepareTurns(order.turns);
  const client = await loadClient(order.client);
  const prepared = await prepare(order);
  await orUndo((client.drain ?? drain)(order), () => closeAll(prepared));
  return { finish: () => go(prepared), stop: () => prepared.stopping.abort() };
});
