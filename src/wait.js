/** Waiting for a condition, for several works to end, or for one that may fail. For a promise with a deadline use `p-timeout`. */
import pWaitFor from 'p-wait-for';

const POLL_MS = 20;

/**
 * Asks again and again until the condition holds. A question under way is always answered before this gives up, so that a process that the
 * system kept waiting does not mistake its own delay for the condition's.
 * @template T @param {() => T | Promise<T>} condition holds when it returns something truthy
 * @param {Object} options @param {number} options.deadlineMs from now; asks at least once
 * @param {number} [options.pollMs] between two questions; default 20
 * @param {AbortSignal} [options.signal] ends the wait before the next question
 * @returns {Promise<T>} the last answer: truthy if the condition held in time
 * @throws {unknown} what the condition throws, or the signal's reason
 */
export async function waitFor(condition, { deadlineMs, pollMs = POLL_MS, signal }) {
  const deadline = performance.now() + deadlineMs;
  return pWaitFor(
    async () => {
      signal?.throwIfAborted();
      const answer = await condition();
      return answer || performance.now() >= deadline ? pWaitFor.resolveWith(answer) : false;
    },
    { interval: pollMs },
  );
}

/** @param {readonly Promise<unknown>[]} works @throws {unknown} the first failure, after all have ended */
export async function allEnded(works) {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
  if (failed) throw /** @type {PromiseRejectedResult} */ (failed).reason;
}

/** @template T @param {Promise<T>} work @param {() => unknown} undo called when it fails, and awaited before this rejects @returns {Promise<T>} */
export async function orUndo(work, undo) {
  try {
    return await work;
  } catch (error) {
    await undo();
    throw error;
  }
}
