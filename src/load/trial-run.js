/**
 * One trial's load within its thread: the writers and the probes on one clock.
 */
import { clockMs } from '../stats/clock.js';
import { threadCpuSeconds } from './thread-cpu.js';

/**
 * @import { TrialPlan, TrialSample } from './trial-types.js'
 */

/** Timers fire on whole milliseconds; looking more often would take the CPU from the servers. */
const TICK_MS = 1;

/**
 * @typedef {Object} TrialRun
 * @property {number} beganAt
 * @property {() => Promise<TrialSample>} stop
 */

/**
 * Connects, then begins.
 *
 * @param {TrialPlan} plan
 * @returns {Promise<TrialRun>} when write 0 is due; rejects with a UserError when a writer cannot connect
 */
export async function startTrial(plan) {
  /** @type {typeof import('./writers/index.js')} */
  const { createWriter, createProbes } = await import(plan.module ?? './writers/index.js');
  const writers = await Promise.all(plan.writers.map((writer) => createWriter(writer, plan)));
  const probes = createProbes(
    plan,
    writers.map(({ account }) => account),
  );
  const close = async () => {
    probes.close();
    await Promise.all(writers.map((writer) => writer.close()));
  };

  const opened = await Promise.allSettled([...writers.map((writer) => writer.open()), probes.open()]);
  const failed = opened.find(({ status }) => status === 'rejected');
  if (failed) {
    await close();
    throw /** @type {PromiseRejectedResult} */ (failed).reason;
  }

  const cpuBefore = threadCpuSeconds();
  const loopBefore = performance.eventLoopUtilization();
  const beganAt = clockMs();
  for (const writer of writers) {
    writer.account.beganAt = beganAt;
    writer.begin();
  }
  probes.begin(beganAt);
  const ticker = setInterval(() => {
    const now = clockMs();
    for (const writer of writers) writer.tick(now);
    probes.tick(now);
  }, TICK_MS);

  /** @param {number} deadline */
  const drained = (deadline) =>
    new Promise((resolve) => {
      const timer = setInterval(() => {
        const now = clockMs();
        const done = probes.isDone && writers.every((writer) => writer.isDone(now));
        if (!done && now < deadline) return;
        clearInterval(timer);
        resolve(undefined);
      }, TICK_MS);
    });

  return {
    beganAt,
    async stop() {
      const stoppedAt = clockMs();
      for (const writer of writers) writer.end(stoppedAt);
      probes.end();
      await drained(stoppedAt + plan.drainMs);
      clearInterval(ticker);
      const endedAt = clockMs();
      const cpuAfter = threadCpuSeconds();
      const { utilization } = performance.eventLoopUtilization(loopBefore);
      await close();
      return {
        beganAt,
        endedAt,
        writers: writers.map((writer) => writer.sample()),
        reads: probes.sample,
        load: {
          cpu: cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1000) / (endedAt - beganAt),
          eventLoopUtilization: utilization,
        },
      };
    },
  };
}
