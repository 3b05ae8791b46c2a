/** For tests only: a thread that does what it is asked to. */
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { UserError } from './errors.js';
import { answerQuestions, tellProgress } from './worker-thread.js';

answerQuestions(
  async (/** @type {{afterMs?: number, fail?: boolean, exit?: boolean}} */ { afterMs = 0, fail, exit }) => {
    if (fail) throw new UserError('It failed.', 'Try again.');
    if (exit) process.exit(3);
    tellProgress(0.5);
    await delay(afterMs);
    return { afterMs, data: workerData };
  },
);
