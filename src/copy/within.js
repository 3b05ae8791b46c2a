/**
 * Waiting, but not for ever.
 */

/** How long what was changed last may take to be brought over, when nothing changes any more. */
export const SETTLE_MS = 30_000;

/**
 * @template T
 * @param {number} ms
 * @param {string} what went wrong when it takes longer
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function within(ms, what, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = /** @type {Promise<never>} */ (
    new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} within ${ms / 1000} s`)), ms);
    })
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
