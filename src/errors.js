/**
 * Exit statuses of the command line. Documented in the README; others script against them.
 */
export const ExitStatus = Object.freeze({
  ok: 0,
  /** A check of a benchmark failed. */
  checkFailed: 1,
  /** Bad arguments or a bad input file. */
  badInput: 2,
  /** The environment cannot run it. */
  environment: 3,
  /** Interrupted by a signal, healed. */
  interrupted: 130,
});

/**
 * An error a person can act on: one sentence saying what is wrong, one saying what to do.
 */
export class UserError extends Error {
  /**
   * @param {string} message what is wrong, one sentence
   * @param {string} remedy what to do about it, one sentence
   * @param {number} [exitStatus] one of {@link ExitStatus}
   * @param {{cause?: unknown, detail?: string}} [more] `detail`: evidence to print below (last state, log lines)
   */
  constructor(message, remedy, exitStatus = ExitStatus.environment, more = {}) {
    super(message, { cause: more.cause });
    this.name = 'UserError';
    this.remedy = remedy;
    this.exitStatus = exitStatus;
    this.detail = more.detail;
  }
}

/**
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
