/**
 * What is being done, on standard error: a few lines that change on a terminal, plain lines elsewhere.
 */
import { chalkStderr } from 'chalk';
import { createLogUpdate } from 'log-update';
import { cleanLine, forTerminal } from '../untrusted.js';
import { displayLines } from './progress-lines.js';

/**
 * @import { Estimate } from './estimate.js'
 * @import { Shown } from './progress-lines.js'
 */

/**
 * @typedef {Object} Progress
 * @property {(line: string) => void} tell something that happened; stays on the screen
 * @property {(text: string) => void} now what is being done now; only drawn on a terminal, as is all that follows
 * @property {() => void} stop
 * @property {(estimate: Pick<Estimate, 'share' | 'left'>) => void} [follow] how far the run is
 * @property {(title: string | null) => void} [benchmark] which one is measured; null: none any more. What is done now
 *   and the last figures are no longer shown
 * @property {(text: string) => void} [figures] the last ones measured
 * @property {(lane: number, title: string | null, events?: readonly string[]) => void} [happens] a trial in a lane, counted from 1, and
 *   what has happened in it so far; null: it has ended
 */

/** Drawn no more often: what is measured may share a core with it. */
const LEAST_MS = 100;
/** What is drawn counts seconds. */
const TICK_MS = 1000;

/**
 * Signals are not its business, nor is the cursor.
 *
 * @param {NodeJS.WriteStream} [stream]
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Progress}
 */
export function createProgress(stream = process.stderr, env = process.env) {
  // A terminal that does not tell its width (0 columns) cannot be drawn on; whatever runs a CI keeps every line.
  const draws = stream.isTTY && stream.columns > 0 && env.TERM !== 'dumb' && !('CI' in env);
  const write = (/** @type {string} */ line) =>
    void stream.write(`${forTerminal(line, { styled: chalkStderr.level > 0 })}\n`);
  return draws ? drawnOn(stream, write) : { tell: write, now: () => {}, stop: () => {} };
}

/**
 * @param {NodeJS.WriteStream} stream
 * @param {(line: string) => void} write
 * @returns {Progress}
 */
function drawnOn(stream, write) {
  const log = createLogUpdate(stream, { showCursor: true });
  /** @type {Shown} */
  const shown = { now: null, nowSince: 0, estimate: null, benchmark: null, figures: null, lanes: new Map() };
  let drawnAt = Number.NEGATIVE_INFINITY;
  /** @type {NodeJS.Timeout | undefined} */
  let soon;
  /** @type {NodeJS.Timeout | undefined} */
  let tick;

  function draw() {
    clearTimeout(soon);
    soon = undefined;
    drawnAt = performance.now();
    log(displayLines(shown, { columns: stream.columns, rows: stream.rows }, chalkStderr).join('\n'));
  }

  function changed() {
    // Neither keeps the process alive.
    tick ??= setInterval(draw, TICK_MS).unref();
    soon ??= setTimeout(draw, Math.max(0, drawnAt + LEAST_MS - performance.now())).unref();
  }

  return {
    tell(line) {
      if (tick) log.clear();
      write(line);
      if (tick) draw();
    },
    now(text) {
      shown.now = cleanLine(text);
      shown.nowSince = performance.now();
      changed();
    },
    follow(estimate) {
      shown.estimate = estimate;
      changed();
    },
    benchmark(title) {
      shown.benchmark = title === null ? null : cleanLine(title);
      shown.now = null;
      shown.figures = null;
      changed();
    },
    figures(text) {
      shown.figures = cleanLine(text);
      changed();
    },
    happens(lane, title, events = []) {
      if (title === null) shown.lanes.delete(lane);
      else shown.lanes.set(lane, { title: cleanLine(title), events: events.map(cleanLine) });
      changed();
    },
    stop() {
      clearTimeout(soon);
      clearInterval(tick);
      if (tick) log.clear();
      soon = undefined;
      tick = undefined;
    },
  };
}
