/**
 * Progress on standard error: a few changing lines on a terminal, plain lines elsewhere.
 * @import { Estimate } from './estimate.js'
 * @import { ChalkInstance } from 'chalk'
 * @typedef {Object} Progress
 * @property {(line: string) => void} tell prints an event; it stays on the screen
 * @property {(text: string) => void} now shows the current step; drawn on a terminal only, as all the following
 * @property {() => void} stop
 * @property {(estimate: Pick<Estimate, 'share' | 'left'>) => void} [follow] shows how far the run is
 * @property {(title: string | null) => void} [benchmark] shows which one is measured, and hides step and figures; null: none
 * @property {(text: string) => void} [figures] shows the last figures
 * @typedef {Object} Shown
 * @property {string | null} now @property {number} nowSince `performance.now()`
 * @property {Pick<Estimate, 'share' | 'left'> | null} estimate @property {string | null} benchmark
 * @property {string | null} figures
 */
import { chalkStderr } from 'chalk';
import { createLogUpdate } from 'log-update';
import { cleanLine, forTerminal } from '../untrusted.js';

/** Not drawn more often: drawing may share a core with the measurement. */
const LEAST_MS = 100;
const TICK_MS = 1000;

/** It leaves signals and the cursor alone. @param {NodeJS.WriteStream} [stream] @param {NodeJS.ProcessEnv} [env] @returns {Progress} */
export function createProgress(stream = process.stderr, env = process.env) {
  // A terminal of unknown width (0 columns) cannot be drawn on. A CI log keeps every line.
  const draws = stream.isTTY && stream.columns > 0 && env.TERM !== 'dumb' && !('CI' in env);
  const write = (/** @type {string} */ line) =>
    void stream.write(`${forTerminal(line, { styled: chalkStderr.level > 0 })}\n`);
  return draws ? drawnOn(stream, write) : { tell: write, now: () => {}, stop: () => {} };
}

/** @param {NodeJS.WriteStream} stream @param {(line: string) => void} write @returns {Progress} */
function drawnOn(stream, write) {
  const log = createLogUpdate(stream, { showCursor: true });
  /** @type {Shown} */
  const shown = { now: null, nowSince: 0, estimate: null, benchmark: null, figures: null };
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

  /** @param {Partial<Shown>} changes */
  function show(changes) {
    Object.assign(shown, changes);
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
    now: (text) => show({ now: cleanLine(text), nowSince: performance.now() }),
    follow: (estimate) => show({ estimate }),
    benchmark: (title) => show({ benchmark: title === null ? null : cleanLine(title), now: null, figures: null }),
    figures: (text) => show({ figures: cleanLine(text) }),
    stop() {
      clearTimeout(soon);
      clearInterval(tick);
      if (tick) log.clear();
      soon = undefined;
      tick = undefined;
    },
  };
}

/** Longer lines are hard to read, and wrap when the window shrinks. */
const MOST_COLUMNS = 120;
const BAR_COLUMNS = 30;
const LONG_SECONDS = 2;
const MORE = '…';

/** @param {Shown} shown @param {{columns: number, rows?: number}} size of the terminal @param {ChalkInstance} colours */
function displayLines({ now, nowSince, estimate, benchmark, figures }, { columns, rows = 24 }, colours) {
  const width = Math.max(1, Math.min(columns - 1, MOST_COLUMNS));
  const lines = [];
  if (estimate) lines.push(barLine(estimate, width, colours));
  if (benchmark !== null) lines.push(colours.bold(cut(benchmark, width)));
  if (now !== null) {
    const seconds = Math.floor((performance.now() - nowSince) / 1000);
    lines.push(cut(seconds >= LONG_SECONDS ? `${now}, ${seconds} s` : now, width));
  }
  if (figures !== null) lines.push(colours.dim(cut(`last: ${figures}`, width)));
  // The cursor is on the line below them.
  return lines.slice(0, Math.max(1, rows - 1));
}

/** @param {NonNullable<Shown['estimate']>} estimate @param {number} width @param {ChalkInstance} colours */
function barLine(estimate, width, colours) {
  const share = estimate.share();
  // Rounded down: 100% means done.
  const label = ` ${String(Math.floor(share * 100)).padStart(2)}%, ${estimate.left()}`;
  const length = Math.min(BAR_COLUMNS, width - label.length);
  if (length < 1) return cut(label.trimStart(), width);
  const full = Math.floor(share * length);
  return `${colours.cyan('━'.repeat(full))}${colours.dim('─'.repeat(length - full))}${label}`;
}

/** @param {string} text @param {number} width ≥ 1 @returns {string} on one line */
function cut(text, width) {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= width ? line : `${line.slice(0, width - 1)}${MORE}`;
}
