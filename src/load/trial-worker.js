/**
 * The thread of a trial: its writers and its probes for stale reads, on one clock.
 * @import { TrialPlan } from './trial-thread.js'
 */
import { setTimeout as delay } from 'node:timers/promises';
import { placedWriter } from '../registry/writers.js';
import { clockMs } from '../stats/clock.js';
import { allEnded, orUndo, waitFor } from '../wait.js';
import { dialFrom } from './dial-from.js';
import { Probes } from './stale-reads.js';
import { doJobs, measureThread } from './thread.js';

/** Timers fire on whole milliseconds. */
const TICK_MS = 1;

/** @param {TrialPlan} plan @throws {UserError} a writer cannot connect */
async function openTrial(plan) {
  /** @type {typeof import('./writers/index.js')} */
  const { createWriter, openReader } = await import(plan.module ?? './writers/index.js');
  const writers = await Promise.all(
    plan.writers.map((writer) => {
      const name = placedWriter(writer.name).kind;
      return dialFrom(writer.from, () => createWriter({ ...writer, name }, plan));
    }),
  );
  const accounts = writers.map(({ account }) => account);
  const probes = new Probes(plan, accounts, openReader);
  const close = async () => {
    probes.close();
    await Promise.all(writers.map((writer) => writer.close()));
  };

  const opening = writers.map((writer, index) => dialFrom(plan.writers[index].from, () => writer.open()));
  await orUndo(allEnded([...opening, probes.open()]), close);

  const { tickMs = TICK_MS } = plan;
  let loadSince = measureThread();
  let beganAt = 0;
  let lateMs = 0;
  let ticker = /** @type {NodeJS.Timeout | undefined} */ (undefined);

  return {
    /** @param {number} atMs when write 0 is due */
    begin(atMs) {
      beganAt = atMs;
      loadSince = measureThread();
      for (const writer of writers) {
        writer.account.beganAt = beganAt;
        writer.begin();
      }
      probes.begin(beganAt);
      let lookedAt = beganAt;
      ticker = setInterval(() => {
        const now = clockMs();
        lateMs = Math.max(lateMs, now - lookedAt);
        lookedAt = now;
        for (const writer of writers) writer.tick(now);
        probes.tick(now);
      }, tickMs);
      return { beganAt };
    },
    async stop() {
      const stoppedAt = clockMs();
      for (const writer of writers) writer.end(stoppedAt);
      probes.end();
      const isDrained = () => probes.isDone && writers.every((writer) => writer.isDone(clockMs()));
      await waitFor(isDrained, { deadlineMs: plan.drainMs, pollMs: tickMs });
      clearInterval(ticker);
      const endedAt = clockMs();
      const load = loadSince();
      await close();
      return {
        beganAt,
        endedAt,
        writers: writers.map((writer, index) => ({ ...writer.sample(), name: plan.writers[index].name })),
        reads: { ...probes.sample },
        lateMs,
        load,
      };
    },
  };
}

doJobs(async (/** @type {TrialPlan} */ plan) => {
  const { begin, stop } = await openTrial(plan);
  return {
    async step(/** @type {{atMs?: number}} */ { atMs = clockMs() }) {
      await delay(Math.max(0, atMs - clockMs()));
      return begin(atMs);
    },
    finish: stop,
  };
});
