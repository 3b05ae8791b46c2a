/**
 * Outcomes and response times of a trial in steps of equal length, and how long its phases took. Pure functions.
 * @import { EventKind } from '../result/events.js'
 * @import { TrialEvent, TrialResult } from '../result/failure-schema.js'
 * @import { Ledger } from './ledger.js'
 * @typedef {{name: string, ledger: Ledger, writes: number, rate: number, isLost: (number: number) => boolean}} TimedWriter writes: numbers
 *   0 … writes - 1 were due; isLost: whether that write is not on the primary after healing
 */
import { answeredAfterMs, dueMs, isAccepted, State, TICKS_A_MS } from './ledger.js';

export const STEP_MS = 100;
const TAIL_SHARE = 0.99;

/**
 * @param {{writers: TimedWriter[], stepMs?: number, endMs: number}} trial stepMs: > 0. endMs: since the writers began; later writes count
 *   in the last step
 * @returns {TrialResult['writers']} step n begins at n × stepMs and ends before (n + 1) × stepMs
 */
export function timelineOf({ writers, stepMs = STEP_MS, endMs }) {
  const steps = Math.max(1, Math.ceil(endMs / stepMs));
  return writers.map((writer) => writerTimeline(writer, { steps, stepMs }));
}

/** @param {TimedWriter} writer @param {{steps: number, stepMs: number}} scale */
function writerTimeline({ name, ledger, writes, rate, isLost }, { steps, stepMs }) {
  const { states, ticks } = ledger;
  const counts = Array.from({ length: 6 }, () => new Uint32Array(steps));
  const lost = new Uint32Array(steps);
  /** @param {number} atMs */
  const stepAt = (atMs) => Math.min(steps - 1, Math.floor(atMs / stepMs));
  /** @param {number} number */
  const answerStep = (number) => stepAt(ticks[number] / TICKS_A_MS);

  for (let number = 0; number < writes; number++) {
    const state = states[number];
    const answered = isAccepted(state) || state === State.rejected;
    counts[state][answered ? answerStep(number) : stepAt(dueMs(number, rate))]++;
    if (state === State.acked && isLost(number)) lost[answerStep(number)]++;
  }

  // One array for all response times, sorted by step.
  const starts = new Uint32Array(steps + 1);
  for (let step = 0; step < steps; step++) {
    starts[step + 1] = starts[step] + counts[State.acked][step] + counts[State.underAcked][step];
  }
  const times = new Float64Array(starts[steps]);
  const next = starts.slice();
  for (let number = 0; number < writes; number++) {
    if (!isAccepted(states[number])) continue;
    times[next[answerStep(number)]++] = Math.max(0, ticks[number] / TICKS_A_MS - dueMs(number, rate));
  }

  return {
    writer: name,
    acked: [...counts[State.acked]],
    lost: [...lost],
    underAcked: [...counts[State.underAcked]],
    rejected: [...counts[State.rejected]],
    unknown: [...counts[State.unknown]],
    // A due write that the writer never reached was not sent either.
    unsent: Array.from(counts[State.unsent], (count, step) => count + counts[State.none][step]),
    p99Ms: Array.from({ length: steps }, (_, step) => p99(times.subarray(starts[step], starts[step + 1]))),
  };
}

/** @param {Float64Array} times milliseconds; sorted afterwards @returns {number | null} to the resolution of the ledger; null: no times */
function p99(times) {
  if (times.length === 0) return null;
  times.sort();
  return Math.round(times[Math.ceil(times.length * TAIL_SHARE) - 1] * TICKS_A_MS) / TICKS_A_MS;
}

/**
 * @param {Object} trial @param {readonly TrialEvent[]} trial.events in any order @param {readonly Ledger[]} trial.ledgers
 * @param {readonly string[]} trial.nodes ids; a node's number in the ledgers is its place here, counted from 1
 * @param {string} trial.primaryId when the fault began
 * @param {boolean} [trial.planned] a planned failover: there is no detection, and it counts from the command
 * @returns {TrialResult['windows']} all null and 0 if no fault was injected
 */
export function windowsOf({ events, ledgers, nodes, primaryId, planned = false }) {
  const begun = firstOf(events, 'fault-begun', Number.NEGATIVE_INFINITY);
  if (begun === null) return { detectionMs: null, failoverMs: null, splitBrainMs: 0, recoveryMs: null };
  const down = firstOf(events, 'down', begun);
  const failoverFrom = planned ? begun : down;
  const switched = failoverFrom === null ? null : firstOf(events, 'promoted', failoverFrom);
  // Once promoted again, the old primary may accept writes.
  const again = firstOf(events, 'promoted', begun, primaryId) ?? Number.POSITIVE_INFINITY;
  // A replica accepts nothing. A later answer was sent before: the kernel of a lost machine sends it again when the machine is back.
  const demoted = firstOf(events, 'demoted', begun, primaryId) ?? Number.POSITIVE_INFINITY;
  const undone = firstOf(events, 'fault-undone', begun);
  return {
    detectionMs: planned ? null : between(begun, down),
    failoverMs: between(failoverFrom, switched),
    splitBrainMs: splitBrainMs(ledgers, nodes.indexOf(primaryId) + 1, begun, Math.min(again, demoted)),
    recoveryMs: undone === null ? null : between(undone, firstAckAfter(ledgers, undone)),
  };
}

/** @param {readonly Ledger[]} ledgers @param {number} old number of the old primary @param {number} fromMs @param {number} untilMs */
function splitBrainMs(ledgers, old, fromMs, untilMs) {
  const first = firstAcceptedByOther(ledgers, old, fromMs);
  const last = lastAcceptedBy(ledgers, old, untilMs);
  return first === null || last === null ? 0 : Math.max(0, last - first.afterMs);
}

/**
 * @param {readonly Ledger[]} ledgers @param {number} node counted from 1 @param {number} [untilMs] later writes do not count
 * @returns {number | null} milliseconds since the writers began when the node last accepted a write; null: never
 */
export function lastAcceptedBy(ledgers, node, untilMs = Number.POSITIVE_INFINITY) {
  /** @type {number | null} */
  let last = null;
  for (const { afterMs, by } of acceptedIn(ledgers))
    if (by === node && afterMs <= untilMs) last = Math.max(last ?? 0, afterMs);
  return last;
}

/**
 * @param {readonly Ledger[]} ledgers @param {number} node counted from 1 @param {number} [fromMs] earlier writes do not count
 * @returns {{afterMs: number, node: number} | null} the first write that another node accepted, when it was answered
 */
export function firstAcceptedByOther(ledgers, node, fromMs = 0) {
  /** @type {{afterMs: number, node: number} | null} */
  let first = null;
  for (const { afterMs, by } of acceptedIn(ledgers)) {
    // A driver does not know to which node its library wrote.
    if (by === 0 || by === node || afterMs < fromMs) continue;
    if (first === null || afterMs < first.afterMs) first = { afterMs, node: by };
  }
  return first;
}

/**
 * What the ledgers show about a change of the primary, as events.
 * @param {Object} trial @param {{name: string, ledger: Ledger, firstError: {afterMs: number, text: string} | null}[]} trial.writers
 * @param {readonly string[]} trial.nodes as for {@link windowsOf}
 * @param {string} trial.primaryId @param {number} trial.fromMs when the fault began
 * @returns {TrialEvent[]} of each writer: its first error, and, if another node accepted a write, the first one and the old primary's last
 */
export function writerEvents({ writers, nodes, primaryId, fromMs }) {
  const old = nodes.indexOf(primaryId) + 1;
  /** @type {TrialEvent[]} */
  const events = [];
  for (const { name: by, ledger, firstError } of writers) {
    if (firstError) events.push({ at: firstError.afterMs, by, kind: 'first-error', detail: firstError.text });
    const first = firstAcceptedByOther([ledger], old, fromMs);
    if (first === null) continue;
    events.push({ at: first.afterMs, by, kind: 'first-accepted', node: nodes[first.node - 1] });
    const last = lastAcceptedBy([ledger], old);
    if (last !== null) events.push({ at: last, by, kind: 'last-accepted', node: primaryId });
  }
  return events.sort((a, b) => a.at - b.at);
}

/** The writes that were answered OK, when each was answered and by which node. @param {readonly Ledger[]} ledgers */
function* acceptedIn(ledgers) {
  for (const ledger of ledgers)
    for (let number = 0; number < ledger.capacity; number++) {
      const state = ledger.states[number];
      if (isAccepted(state)) yield { state, afterMs: answeredAfterMs(ledger, number), by: ledger.nodes[number] };
    }
}

/** @param {readonly Ledger[]} ledgers @param {number} fromMs */
function firstAckAfter(ledgers, fromMs) {
  let first = Number.POSITIVE_INFINITY;
  for (const { state, afterMs } of acceptedIn(ledgers))
    if (state === State.acked && afterMs >= fromMs) first = Math.min(first, afterMs);
  return first === Number.POSITIVE_INFINITY ? null : first;
}

/**
 * @param {readonly TrialEvent[]} events @param {EventKind} wanted @param {number} fromMs
 * @param {string} [about] the node that the event has to be about @returns {number | null} when it first happened
 */
function firstOf(events, wanted, fromMs, about) {
  const times = events
    .filter(({ at, kind, node }) => kind === wanted && at >= fromMs && (about === undefined || node === about))
    .map(({ at }) => at);
  return times.length === 0 ? null : Math.min(...times);
}

/** @param {number | null} from @param {number | null} to */
function between(from, to) {
  return from === null || to === null ? null : to - from;
}
