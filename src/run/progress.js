/**
 * What is being done, on standard error: a line that moves on a terminal, plain lines elsewhere.
 */
import { chalkStderr } from 'chalk';
import ora from 'ora';

/**
 * @typedef {Object} Progress
 * @property {(line: string) => void} tell something that happened; stays on the screen
 * @property {(text: string) => void} now what is being done now; only drawn on a terminal
 * @property {() => void} stop
 */

/**
 * @param {NodeJS.WriteStream} [stream]
 * @returns {Progress}
 */
export function createProgress(stream = process.stderr) {
  // A terminal that does not tell its width (0 columns) cannot be drawn on: ora would clear lines for ever.
  if (!stream.isTTY || !stream.columns) {
    return { tell: (line) => void stream.write(`${line}\n`), now: () => {}, stop: () => {} };
  }
  // Signals are not its business.
  const spinner = ora({ stream, discardStdin: false, hideCursor: false });
  return {
    tell(line) {
      const spinning = spinner.isSpinning;
      spinner.stop();
      stream.write(`${line}\n`);
      if (spinning) spinner.start();
    },
    now(text) {
      spinner.text = text;
      if (!spinner.isSpinning) spinner.start();
    },
    stop: () => void spinner.stop(),
  };
}

/**
 * How long the rest of a run takes, judged by the rounds so far.
 *
 * @param {number} totalRounds
 * @param {number} secondsARound as planned, for the time before anything was measured
 */
export function createEstimate(totalRounds, secondsARound) {
  const startedAt = performance.now();
  let total = totalRounds;
  let done = 0;
  return {
    /** @param {number} rounds that nobody knew of at the beginning */
    add(rounds) {
      total += rounds;
    },
    /** To be called after `left`: until the next round begins, this one counts as done. */
    roundBegins() {
      done++;
    },
    /** @returns {string} `about 40 s left` */
    left() {
      const each = done === 0 ? secondsARound : (performance.now() - startedAt) / 1000 / done;
      const seconds = Math.ceil(each * (total - done));
      const text = seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
      return chalkStderr.dim(`about ${text} left`);
    },
  };
}
