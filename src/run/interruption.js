/**
 * Signals and crashes are handled here only. Each becomes an abort: what was changed is put back in a `finally`, then the process ends.
 */
import pTimeout from 'p-timeout';
import { ExitStatus, messageOf, reasonOf, UserError } from '../errors.js';
import { ENDING_SIGNALS } from '../programs.js';

export class Interrupted extends UserError {
  /** @param {string} signal */
  constructor(signal) {
    super(`Interrupted by ${signal}; everything was put back.`, 'Start it again to measure.', {
      exitStatus: ExitStatus.interrupted,
    });
    this.name = 'Interrupted';
  }
}

/** Something could not be put back. It takes precedence over the error that led to it. */
export class NotPutBack extends UserError {
  /** @param {string} message @param {string} remedy @param {unknown} cause */
  constructor(message, remedy, cause) {
    const detail = cause instanceof UserError ? cause.detail : undefined;
    super(message, remedy, { cause, detail });
    this.name = 'NotPutBack';
  }
}

/** @param {unknown} error of putting something back @returns {NotPutBack} */
export function notPutBack(error) {
  if (error instanceof NotPutBack) return error;
  const remedy = error instanceof UserError ? error.remedy : 'Run `sentinel-bench recover`.';
  return new NotPutBack(messageOf(error), remedy, error);
}

/** @param {string} what could not be put back, the beginning of a sentence @param {unknown} error @param {string} [remedy] */
export function leftBehind(what, error, remedy) {
  const known = error instanceof UserError ? error.remedy : 'Run `sentinel-bench recover` when its nodes answer again.';
  return new NotPutBack(`${what}: ${reasonOf(error)}.`, remedy ?? known, error);
}

/**
 * A signal or an uncaught exception aborts `work`, which then settles soon, with everything put back. It may finish in spite of a signal.
 * @template T @param {(signal: AbortSignal, hurry: AbortSignal) => Promise<T>} work hurry: aborted by a second signal, for clean-up that can
 *   also be done later @param {(line: string) => void} tell
 * @returns {Promise<T>} rejects with {@link Interrupted} or the exception, or with {@link NotPutBack} if `work` did
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
  for (const name of ENDING_SIGNALS) process.on(name, onSignal);
  process.on('uncaughtException', onException);
  try {
    const value = await work(controller.signal, hurry.signal);
    // A result that was finished in spite of a signal counts; an uncaught exception must not be hidden.
    if (!(controller.signal.reason instanceof Interrupted)) controller.signal.throwIfAborted();
    return value;
  } catch (error) {
    if (error instanceof NotPutBack) throw error;
    // Aborted work fails in many ways, such as a closed connection; the cause is the abort.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    for (const name of ENDING_SIGNALS) process.off(name, onSignal);
    process.off('uncaughtException', onException);
  }
}

/** Rejects with the abort's reason at once. @template T @param {Promise<T>} promise @param {AbortSignal} signal */
export function untilAborted(promise, signal) {
  return pTimeout(promise, { milliseconds: Number.POSITIVE_INFINITY, signal });
}
