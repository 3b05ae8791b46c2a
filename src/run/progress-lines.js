/**
 * The lines of the progress display, cut to the width of the terminal: a line that wraps cannot be drawn over.
 */

/**
 * @import { Estimate } from './estimate.js'
 * @import { ChalkInstance } from 'chalk'
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
