/** Rounds of load that an agent makes for a controller, in load threads of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import { startLoadThreads } from '../load/load-thread.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { clockMs } from '../stats/clock.js';
import { untilStart } from './clock.js';
import { refusal } from './refusals.js';

/**
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { AgentWork } from './operations.js'
 */

/** @returns {AgentWork} */
export function loadWork() {
  let threads = /** @type {LoadThread | null} */ (null);
  let threadCount = 0;

  async function stop() {
    const ending = threads;
    threads = null;
    await ending?.close();
  }

  return {
    stop,
    handlers: {
      async prepare({ plan, threads: count }) {
        // Threads that were started for a round serve the next ones, too.
        if (count !== threadCount) await stop();
        threads ??= startLoadThreads(count);
        threadCount = count;
        await threads.prepare(plan);
      },
      async go({ startAtMs }) {
        const prepared = threads;
        if (!prepared) throw refusal('no-round');
        const waitMs = untilStart(startAtMs, 'round');
        if (waitMs > 0) await delay(waitMs);
        const before = sampleMachine();
        const startedAtMs = clockMs();
        const sample = await prepared.go();
        return { sample, startedAtMs, machineCpu: machineUse(before, sampleMachine()) };
      },
      // `go` then answers with what was measured until now.
      finish: async () => threads?.stop?.(),
      stop,
    },
  };
}
