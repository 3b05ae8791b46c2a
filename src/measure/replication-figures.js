/**
 * What samples of a replication, and the logs of its two nodes, amount to. Pure.
 *
 * @typedef {import('./replication-watch.js').Sample} Sample
 */

/** A rate from less than this would be that of a hiccup. */
const LEAST_MS = 1500;

/**
 * @param {readonly Sample[]} samples in order
 * @returns {number | null} bytes a second by which the lag grew in the longest time that the replica was connected without a break
 *   (least squares); negative: it fell. null: that was not long enough
 */
export function growthOf(samples) {
  const run = longestRun(samples);
  if (run.length < 3 || run[run.length - 1].afterMs - run[0].afterMs < LEAST_MS) return null;
  const points = run.map(({ afterMs, lagBytes }) => ({ x: afterMs / 1000, y: Number(lagBytes) }));
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const along = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return along / points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
}

/** @param {readonly Sample[]} samples */
function longestRun(samples) {
  /** @type {Sample[]} */
  let longest = [];
  /** @type {Sample[]} */
  let run = [];
  for (const sample of samples) {
    run = sample.lagBytes === null ? [] : [...run, sample];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

/**
 * @param {readonly (number | null)[]} values
 * @returns {number | null} null: there is none
 */
export function largest(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * @param {readonly string[]} before the last lines of a log
 * @param {readonly string[]} after the same, later
 * @returns {string[]} what has been added since; all of `after` where the last line of before is not in it any more
 */
export function addedLines(before, after) {
  const last = before[before.length - 1];
  return after.slice(last === undefined ? 0 : after.lastIndexOf(last) + 1);
}

/** Of normal clients, too; nobody but a replica is slow where this is asked. */
const CLOSED = /for overcoming of output buffer limits/;

/**
 * @param {readonly string[]} lines of the sender's log
 * @returns {number} how often it closed a connection for its output buffer limit
 */
export function closedForLimit(lines) {
  return lines.filter((line) => CLOSED.test(line)).length;
}

/**
 * How far the stream was ahead when the replica asked for a partial resync: it names the byte it wants next, and is told where the
 * stream is when it gets a full one instead. A replica that has lost what it had can name none.
 *
 * @param {readonly string[]} lines of the replica's log
 * @returns {number[]} bytes, of each partial resync that was refused
 */
export function missedOf(lines) {
  const missed = [];
  /** @type {number | null} */
  let wanted = null;
  for (const line of lines) {
    const asked = /Trying a partial resynchronization \(request \w+:(\d+)\)/.exec(line);
    const given = /Full resync from (?:master|primary): \w+:(\d+)/.exec(line);
    if (asked) wanted = Number(asked[1]);
    else if (/Partial resynchronization not possible/.test(line)) wanted = null;
    if (given && wanted !== null) missed.push(Math.max(0, Number(given[1]) - wanted + 1));
    if (given) wanted = null;
  }
  return missed;
}

/**
 * @param {readonly string[]} lines of the sender's log
 * @returns {number[]} bytes, of each partial resync that was accepted
 */
export function caughtUpOf(lines) {
  return lines.flatMap((line) => {
    const sent = /Sending (\d+) bytes of backlog/.exec(line);
    return sent ? [Number(sent[1])] : [];
  });
}
