/**
 * What is being done, on standard error: a few lines that change on a terminal, plain lines elsewhere.
 */
import { chalkStderr } from 'chalk';
import { createLogUpdate } from 'log-update';
import { cleanLine, forTerminal } from '../untrusted.js';

/**
 * @import { MarkValue as Mark } from '../result/failure-schema.js'
 * @import { Estimate, Piece } from './estimate.js'
 * @import { TrialBenchmark } from './types.js'
 * @import { ChalkInstance } from 'chalk'
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

/**
 * The lines of the progress display, cut to the width of the terminal: a line that wraps cannot be drawn over.
 */

/**
 * @typedef {Object} Shown
 * @property {string | null} now
 * @property {number} nowSince `performance.now()`
 * @property {Pick<Estimate, 'share' | 'left'> | null} estimate
 * @property {string | null} benchmark
 * @property {string | null} figures
 * @property {Map<number, {title: string, events: readonly string[]}>} lanes
 */

/** Longer lines are hard to read, and wrap when a window is made smaller. */
const MOST_COLUMNS = 120;
const BAR_COLUMNS = 30;
/** What takes longer tells for how long. */
const LONG_SECONDS = 2;
const MORE = '…';
const SEPARATOR = ' · ';
const INDENT = '  ';

/**
 * @param {Shown} shown
 * @param {{columns: number, rows?: number}} size of the terminal
 * @param {ChalkInstance} colours
 * @returns {string[]} one at least
 */
export function displayLines({ now, nowSince, estimate, benchmark, figures, lanes }, { columns, rows = 24 }, colours) {
  const width = Math.max(1, Math.min(columns - 1, MOST_COLUMNS));
  const lines = [];
  if (estimate) lines.push(barLine(estimate, width, colours));
  if (benchmark !== null) lines.push(colours.bold(cut(benchmark, width)));
  if (now !== null) {
    const seconds = Math.floor((performance.now() - nowSince) / 1000);
    lines.push(cut(seconds >= LONG_SECONDS ? `${now}, ${seconds} s` : now, width));
  }
  for (const [lane, { title, events }] of [...lanes].sort(([a], [b]) => a - b)) {
    lines.push(...laneLines(`${lane} ${title}`, events, width, colours));
  }
  if (figures !== null) lines.push(colours.dim(cut(`last: ${figures}`, width)));
  // The cursor stands on the line below them.
  return lines.slice(0, Math.max(1, rows - 1));
}

/**
 * @param {NonNullable<Shown['estimate']>} estimate
 * @param {number} width
 * @param {ChalkInstance} colours
 */
function barLine(estimate, width, colours) {
  const share = estimate.share();
  // Never said before it is so.
  const told = ` ${String(Math.floor(share * 100)).padStart(2)}%, ${estimate.left()}`;
  const length = Math.min(BAR_COLUMNS, width - told.length);
  if (length < 1) return cut(told.trimStart(), width);
  const full = Math.floor(share * length);
  return `${colours.cyan('━'.repeat(full))}${colours.dim('─'.repeat(length - full))}${told}`;
}

/**
 * What happens stands below the name of the trial where there is no room beside it; what happened last weighs more than what happened first.
 *
 * @param {string} title
 * @param {readonly string[]} events
 * @param {number} width
 * @param {ChalkInstance} colours
 */
function laneLines(title, events, width, colours) {
  const name = colours.bold(cut(title, width));
  if (events.length === 0) return [name];
  const kept = [...events];
  const told = () => `${INDENT}${[...(kept.length < events.length ? [MORE] : []), ...kept].join(SEPARATOR)}`;
  if (title.length + told().length <= width) return [`${name}${told()}`];
  while (kept.length > 1 && told().length > width) kept.shift();
  return [name, INDENT + cut(told().trimStart(), Math.max(1, width - INDENT.length))];
}

/**
 * @param {string} text
 * @param {number} width ≥ 1
 * @returns {string} on one line
 */
function cut(text, width) {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= width ? line : `${line.slice(0, width - 1)}${MORE}`;
}

/**
 * Trials as whoever watches sees them: what is planned, and what happens in each lane as it happens.
 */

/** What a trial takes, roughly; only for the first estimate. */
const TRIAL_SECONDS = 18;

/** Of what the Sentinels say, what moves a failure on. */
const MOVES_ON = new Set(['+odown', '+switch-master', '+convert-to-slave', '-failover-abort-not-elected']);
const FAULT_BEGUN = 'fault begun';

/**
 * @param {Pick<TrialBenchmark, 'name' | 'alone'>} benchmark
 * @param {number} sideBySide trials of benchmarks that do not run alone
 * @returns {{piece: Piece, lanes: number}}
 */
export function trialPiece({ name, alone }, sideBySide) {
  const lanes = alone ? 1 : sideBySide;
  return { piece: { kind: 'trials', of: name, seconds: TRIAL_SECONDS / lanes }, lanes };
}

/**
 * @param {Progress} progress
 * @param {number} lane
 * @param {string} title of the trial
 * @returns {{says: (text: string) => void, mark: (mark: Omit<Mark, 'afterMs'> & {at: number}) => void}} says: what is done now, until
 *   something else is said or happens; mark: what happened, at `clockMs()`
 */
export function timelineTeller({ happens }, lane, title) {
  /** @type {string[]} */
  const events = [];
  /** @type {Set<string>} */
  const told = new Set();
  /** @type {number | null} */
  let faultAt = null;
  return {
    says: (text) => happens?.(lane, title, [...events, text]),
    mark({ at, who, what, detail }) {
      if (who !== 'harness') {
        // Each of the Sentinels says so.
        if (!MOVES_ON.has(what) || told.has(`${what} ${detail}`)) return;
        told.add(`${what} ${detail}`);
      }
      if (what === FAULT_BEGUN) faultAt ??= at;
      const text = [what, detail].filter((part) => part !== '').join(' ');
      events.push(faultAt === null || at === faultAt ? text : `${text} ${((at - faultAt) / 1000).toFixed(1)} s`);
      happens?.(lane, title, events);
    },
  };
}
