/**
 * Rounds in which a driver makes the load, behind the interface of the load thread: a closed loop, as fast as its library can.
 *
 * A driver keeps a schedule. This one is faster than any library, and no write is ever too late for it. So the driver sends the next
 * write as soon as one of its `concurrency` is free. Answers in the timed part count, by the driver's own clock readings.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Outcome } from '../clients/types.js';
import { cpuSecondsIn, processesOfGroup } from '../stacks/processes.js';
import { clockMs } from '../stats/clock.js';
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { waitFor } from '../wait.js';
import { judgeReport, openSession } from './driver-session.js';

/**
 * @import { OutcomeReport } from '../drivers/lines.js'
 * @import { DriverSession } from './driver-session.js'
 * @import { LoadThread } from './load-thread.js'
 * @import { RoundPlan, RoundSample } from './types.js'
 */

/** Writes a second of the schedule. The fastest library here came to a third of it. */
const SCHEDULE_RATE = 300_000;
/** Above this share of it the schedule may have held the driver back. */
const NOT_HELD_BACK = 0.9;
/** No write is given up. */
const NEVER_MS = 3_600_000;
/** Beside the timed part and the warm-up: for samples of the nodes, and for what is under way at the end. */
const MORE_SECONDS = 5;
/** How long the reports of the timed part may take to arrive. */
const REPORTS_MS = 5000;
/** A driver ends by itself or is killed: the rest of its schedule does not matter. */
const END_MS = 200;
const PROGRESS_MS = 250;
/** A busy machine may keep a driver from connecting in time. One of hundreds of rounds should not end a run. */
const MOST_BEGINNINGS = 2;

/**
 * @param {Pick<RoundPlan, 'seconds' | 'warmUpSeconds'>} length
 * @returns {number} keys from the first one on that a round may write
 */
export function keysOfDriver({ seconds, warmUpSeconds }) {
  return Math.ceil(SCHEDULE_RATE * (seconds + warmUpSeconds + MORE_SECONDS));
}

/** @returns {LoadThread} for rounds whose plan has a `driver` */
export function startDriverLoad() {
  /** @type {ReturnType<typeof startRound> | null} */
  let round = null;
  return {
    async prepare(plan) {
      for (let time = 1; ; time++) {
        const next = startRound(plan);
        round = next;
        try {
          await next.begin();
          return;
        } catch (error) {
          await next.end();
          if (time === MOST_BEGINNINGS) throw error;
        }
      }
    },
    async go(onProgress) {
      if (!round) throw new Error('no round was prepared');
      try {
        return await round.measure(onProgress);
      } finally {
        await round.end();
      }
    },
    stop: () => round?.stop(),
    close: async () => round?.end(),
  };
}

/** @param {RoundPlan} plan */
function startRound({ driver: driverPlan, shape, connections, seconds, warmUpSeconds }) {
  if (!driverPlan) throw new Error('the plan names no driver');
  const { command, variant, deployment } = driverPlan;
  /** @type {DriverSession | undefined} */
  let session;
  let beganAt = 0;
  let ending = false;
  /** Microseconds since the start of the driver; those of the timed part. */
  let from = Number.POSITIVE_INFINITY;
  let to = Number.POSITIVE_INFINITY;
  let latest = 0;
  let count = 0;
  const stopped = new AbortController();
  /** @type {RoundSample['outcomes']} */
  const outcomes = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
  const names = /** @type {Record<number, keyof RoundSample['outcomes']>} */ ({
    [Outcome.acked]: 'acked',
    [Outcome.underAcked]: 'underAcked',
    [Outcome.rejected]: 'rejected',
    [Outcome.unknown]: 'unknown',
  });
  /** @type {Record<string, number>} */
  const errors = {};
  /** @type {string | null} */
  let firstError = null;
  const histogram = newHistogram();

  /** @param {string} text its first word is the kind of error */
  function failed(text) {
    // A driver that is killed at the end leaves half a line.
    if (ending) return;
    const [kind] = text.split(' ', 1);
    errors[kind] = (errors[kind] ?? 0) + 1;
    firstError ??= text;
  }

  /** @param {OutcomeReport} report */
  function onReport(report) {
    const { sentUs, answeredUs, outcome, kind } = report;
    if (outcome === 'unsent') return;
    const at = answeredUs || sentUs;
    latest = Math.max(latest, at);
    if (at < from || at >= to) return;
    count++;
    outcomes[names[judgeReport(shape, report)]]++;
    if (kind !== '-') failed(`${kind} reported by the driver`);
    else if (answeredUs > 0) histogram.recordValue((answeredUs - sentUs) * 1000);
  }

  return {
    /** Connects and warms up. */
    async begin() {
      session = await openSession(
        command,
        deployment,
        shape,
        {
          variant,
          command: 'SET',
          rate: SCHEDULE_RATE,
          concurrency: connections,
          giveUpMs: NEVER_MS,
          drainMs: 0,
        },
        { onReport, onProblem: (problem) => failed(`PROTOCOL ${problem}`) },
      );
      await session.driver.ready;
      beganAt = clockMs();
      session.driver.start(BigInt(Math.round(beganAt * 1e6)));
      await delay(warmUpSeconds * 1000);
    },

    /** @param {(operations: number) => void} [onProgress] @returns {Promise<RoundSample>} */
    async measure(onProgress) {
      const driver = /** @type {DriverSession} */ (session).driver;
      const before = useOf(driver.pid);
      from = (clockMs() - beganAt) * 1000;
      to = from + seconds * 1e6;
      const ticker = setInterval(() => onProgress?.(count), PROGRESS_MS);
      try {
        await Promise.race([
          delay(seconds * 1000, undefined, { signal: stopped.signal }).catch(() => {}),
          driver.ended,
        ]);
      } finally {
        clearInterval(ticker);
      }
      if (stopped.signal.aborted) to = Math.min(to, (clockMs() - beganAt) * 1000);
      const measured = (to - from) / 1e6;
      const after = useOf(driver.pid);
      // A library that hangs reports nothing more, so waiting longer brings nothing.
      await waitFor(() => latest >= to || driver.hasEnded, { deadlineMs: REPORTS_MS });
      if (driver.hasEnded) throw new Error(`the driver ended during the round: ${(await driver.ended).log}`);
      if (count > NOT_HELD_BACK * SCHEDULE_RATE * measured) throw new Error('the driver is as fast as its schedule');
      const cpuSeconds = before && after && after.cpuSeconds - before.cpuSeconds;
      return {
        seconds: measured,
        operations: count,
        outcomes,
        errors,
        firstError,
        histogram: encodeHistogram(histogram),
        latencyNs: latencyOf(histogram),
        load: {
          cpu: cpuSeconds === null ? null : cpuSeconds / measured,
          eventLoopUtilization: 0,
          cpuPerOperationNs: cpuSeconds === null || count === 0 ? null : (cpuSeconds * 1e9) / count,
          peakMemoryBytes: after?.memoryBytes ?? null,
        },
      };
    },

    /** Ends the timed part; `measure` resolves soon. */
    stop: () => stopped.abort(),

    async end() {
      ending = true;
      await session?.driver.end(END_MS);
      session?.release();
    },
  };
}

/**
 * @param {number} group
 * @returns {{cpuSeconds: number, memoryBytes: number} | null} of all its processes; null: not known
 */
function useOf(group) {
  const all = processesOfGroup(group);
  if (all.length === 0) return null;
  return {
    cpuSeconds: all.reduce(
      (sum, { stat }) => sum + cpuSecondsIn(stat).ownSeconds + cpuSecondsIn(stat).endedChildren,
      0,
    ),
    memoryBytes: all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}
