/**
 * The thread of a trial's writers: starts and stops them as it is told.
 */
import { parentPort } from 'node:worker_threads';
import { startTrial } from './trial-run.js';

/**
 * @import { UserError } from '../errors.js'
 * @import { TrialRun } from './trial-run.js'
 * @import { TrialPlan } from './trial-types.js'
 */

const port = parentPort;
if (!port) throw new Error('src/load/trial-worker.js runs as a worker thread only');

/** @type {TrialRun | null} */
let run = null;

port.on('message', async (/** @type {{plan?: TrialPlan}} */ { plan }) => {
  try {
    if (plan && run) throw new Error('a trial is running');
    if (plan) {
      run = await startTrial(plan);
      port.postMessage({ answer: { beganAt: run.beganAt } });
    } else if (run) {
      const ending = run;
      run = null;
      port.postMessage({ answer: await ending.stop() });
    } else {
      throw new Error('there is no trial to stop');
    }
  } catch (error) {
    const { message, remedy } = /** @type {Partial<UserError>} */ (error);
    port.postMessage({ error: { message: message ?? String(error), remedy } });
  }
});
