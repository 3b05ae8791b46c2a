/**
 * What became of the writes at the end of a fault, when clients and servers had time to notice it.
 * @import { TrialResult } from '../result/failure-schema.js'
 */
import { median, sum } from '../stats/statistics.js';

/** Long enough to even out the wait of a connection (the timeout of WAIT is 1 s), short enough to be the end of a fault. */
const END_MS = 2000;
/** The undoing of a fault takes some time before its mark. */
const UNDOING_MS = 300;
const OUTCOMES = /** @type {const} */ (['acked', 'underAcked', 'rejected', 'unknown', 'unsent']);

/**
 * @param {TrialResult} trial @param {readonly string[]} names of writers
 * @returns {Record<string, number>} shares of the writes that were due in the last 2 s of the fault, and their p99 in ms, of the writer with the fewest
 *   confirmed ones. `acked` is divided by the share that was sent before the fault, which takes out the delay of a busy machine. Empty: no fault that
 *   ended while they wrote
 */
export function endOfFault({ events, stepMs, writers }, names) {
  const begun = events.filter(({ kind }) => kind === 'fault-begun').map(({ at }) => at);
  // The first node that continues ends the fault.
  const undone = events.find(({ kind }) => kind === 'fault-undone')?.at;
  const last = begun.at(-1);
  if (last === undefined || undone === undefined) return {};
  const toMs = undone - UNDOING_MS;
  const end = stepsBetween(stepMs, Math.max(last, toMs - END_MS), toMs);
  const before = stepsBetween(stepMs, 0, begun[0]);
  const shares = writers
    .filter(({ writer }) => names.includes(writer))
    .flatMap((writer) => sharesOf(writer, end, before));
  return shares.toSorted((a, b) => a.acked - b.acked)[0] ?? {};
}

/** @param {TrialResult['writers'][number]} writer @param {[first: number, end: number]} steps @param {[first: number, end: number]} before the fault */
function sharesOf(writer, steps, before) {
  const countIn = (/** @type {typeof OUTCOMES[number]} */ outcome, /** @type {[number, number]} */ span) =>
    sum(writer[outcome].slice(...span));
  const dueIn = (/** @type {[number, number]} */ span) => sum(OUTCOMES.map((outcome) => countIn(outcome, span)));
  const due = dueIn(steps);
  if (due === 0) return [];
  // A writer that sent nothing yet shows no pace.
  const sent = 1 - countIn('unsent', before) / Math.max(1, dueIn(before)) || 1;
  const shares = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, countIn(outcome, steps) / due]));
  const times = writer.p99Ms.slice(...steps).filter((ms) => ms !== null);
  return [
    {
      ...shares,
      acked: Math.min(1, shares.acked / sent),
      ...(times.length > 0 && shares.acked > 0 && { p99: median(times) }),
    },
  ];
}

/** @param {number} stepMs @param {number} fromMs @param {number} toMs @returns {[first: number, end: number]} steps that lie wholly between them */
function stepsBetween(stepMs, fromMs, toMs) {
  const first = Math.ceil(fromMs / stepMs);
  return [first, Math.max(first, Math.floor(toMs / stepMs))];
}
