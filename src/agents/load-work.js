/**
 * Rounds of load that an agent makes for a controller, in load threads of its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.js';
import { startLoadThreads } from '../load/load-thread.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { clockMs } from '../stats/clock.js';
import { GoRequest, Nothing, PrepareRequest } from './protocol.js';

/**
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { Work } from './agent.js'
 */

/** A start further away than this is a mistake of clocks. */
const LATEST_START_MS = 10_000;

/** @returns {Work} */
export function loadWork() {
  /** @type {LoadThread | null} */
  let threads = null;
  let threadCount = 0;

  async function stop() {
    const ending = threads;
    threads = null;
    await ending?.close();
  }

  return {
    stop,
    operations: {
      prepare: {
        request: PrepareRequest,
        allow: 'load',
        async run({ plan, threads: count }) {
          // Threads that were started for a round serve the next ones, too.
          if (count !== threadCount) await stop();
          threads ??= startLoadThreads(count);
          threadCount = count;
          await threads.prepare(plan);
          return {};
        },
      },
      go: {
        request: GoRequest,
        allow: 'load',
        async run({ startAtMs }) {
          const prepared = threads;
          if (!prepared) throw new UserError('No round was prepared.', 'Start the run again.');
          const waitMs = startAtMs - clockMs();
          if (waitMs > LATEST_START_MS || waitMs < -LATEST_START_MS) {
            throw new UserError('The start of the round is not near.', 'Check the clocks of the machines.');
          }
          if (waitMs > 0) await delay(waitMs);
          const before = sampleMachine();
          const startedAtMs = clockMs();
          const sample = await prepared.go();
          return { sample, startedAtMs, machineCpu: machineUse(before, sampleMachine()) };
        },
      },
      finish: {
        request: Nothing,
        allow: 'load',
        async run() {
          // `go` then answers with what was measured until now.
          threads?.stop?.();
          return {};
        },
      },
      stop: {
        request: Nothing,
        allow: 'load',
        async run() {
          await stop();
          return {};
        },
      },
    },
  };
}
