import { setTimeout as delay } from 'node:timers/promises';

/**
 * @param {() => Promise<unknown>} work never under way twice: when it takes longer, the next one begins at once
 * @param {number} everyMs between two beginnings @param {AbortSignal} [signal] ends it, too
 * @returns {() => Promise<void>} ends it; resolves when no work is under way, rejects with the error of work that ended it. Idempotent
 */
export function repeatedly(work, everyMs, signal) {
  const stopping = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;

  async function goOn() {
    for (let due = performance.now(); !ended.aborted; due = Math.max(due + everyMs, performance.now())) {
      await delay(Math.max(0, due - performance.now()), undefined, { signal: ended }).catch(() => {});
      if (!ended.aborted) await work();
    }
  }
  const going = goOn();
  // Whoever ends it gets the error.
  going.catch(() => {});
  return () => {
    stopping.abort();
    return going;
  };
}
