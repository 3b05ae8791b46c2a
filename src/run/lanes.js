/**
 * Tasks in several lanes side by side, each on a stack of its own.
 */

/**
 * @template T
 * @param {readonly T[]} tasks begun in this order
 * @param {number} lanes how many are under way at once, ≥ 1
 * @param {(task: T) => Promise<void>} work must not reject for what concerns its task only: a rejection ends all
 *   lanes, each after the task it has under way
 */
export async function inLanes(tasks, lanes, work) {
  const waiting = [...tasks];
  let failed = false;
  const settled = await Promise.allSettled(
    Array.from({ length: Math.min(lanes, tasks.length) }, async () => {
      for (let task = waiting.shift(); task !== undefined && !failed; task = waiting.shift()) {
        await work(task).catch((error) => {
          failed = true;
          throw error;
        });
      }
    }),
  );
  const rejected = settled.find((one) => one.status === 'rejected');
  if (rejected) throw rejected.reason;
}
