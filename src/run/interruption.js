/**
 * Signals and crashes, owned here alone. Whatever happens becomes an abort: those who hold something put it back in
 * their `finally`, and only then does the process end.
 */
import { ExitStatus, messageOf, UserError } from '../errors.js';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Somebody asked the process to stop. */
export class Interrupted extends UserError {
  /** @param {string} signal */
  constructor(signal) {
    super(`Interrupted by ${signal}; everything was put back.`, 'Start it again to measure.', ExitStatus.interrupted);
    this.name = 'Interrupted';
  }
}

/** Something could not be put back: weighs more than what led to it. */
export class NotPutBack extends UserError {
  /**
   * @param {string} message
   * @param {string} remedy
   * @param {unknown} cause
   */
  constructor(message, remedy, cause) {
    const detail = cause instanceof UserError ? cause.detail : undefined;
    super(message, remedy, ExitStatus.environment, { cause, detail });
    this.name = 'NotPutBack';
  }
}

/**
 * @param {unknown} error that putting something back ended with
 * @returns {NotPutBack}
 */
export function notPutBack(error) {
  if (error instanceof NotPutBack) return error;
  const remedy = error instanceof UserError ? error.remedy : 'Run `sentinel-bench recover`.';
  return new NotPutBack(messageOf(error), remedy, error);
}

/**
 * Runs `work` so that a signal, or an exception nobody caught, aborts it instead of ending the process.
 *
 * @template T
 * @param {(signal: AbortSignal, hurry: AbortSignal) => Promise<T>} work must settle soon after the abort, with everything put back; hurry:
 *   aborted by the next signal, for what can be put back later as well
 * @param {(line: string) => void} tell
 * @returns {Promise<T>} rejects with {@link Interrupted} or the exception when `work` gave way to it, with
 *   {@link NotPutBack} as `work` did; resolves when `work` could finish in spite of a signal
 */
export async function abortable(work, tell) {
  const controller = new AbortController();
  const hurry = new AbortController();
  /** @param {NodeJS.Signals} name */
  const onSignal = (name) => {
    if (controller.signal.aborted) {
      tell('Still putting everything back; please wait.');
      hurry.abort(new Interrupted(name));
    } else {
      tell(`${name}: putting everything back …`);
    }
    controller.abort(new Interrupted(name));
  };
  /** @param {unknown} error */
  const onException = (error) => controller.abort(error);
  for (const name of SIGNALS) process.on(name, onSignal);
  process.on('uncaughtException', onException);
  try {
    const value = await work(controller.signal, hurry.signal);
    // What was finished in spite of a signal is worth having; an exception nobody caught is not to be hidden.
    if (!(controller.signal.reason instanceof Interrupted)) controller.signal.throwIfAborted();
    return value;
  } catch (error) {
    if (error instanceof NotPutBack) throw error;
    // What gave way fails in ways of its own (a closed connection …); the cause is the abort.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
    process.off('uncaughtException', onException);
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>} rejects with the abort's reason as soon as it comes, whatever `promise` does later
 */
export function untilAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
