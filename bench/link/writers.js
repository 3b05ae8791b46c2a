/**
 * The writers of rounds that count what was lost: a ledger has every write, and both nodes are read for them afterwards.
 */
import { answeredAfterMs, createLedger, dueMs, openLedger, State } from '../../src/audit/ledger.js';
import { auditOf } from '../../src/audit/verdict.js';
import { startTrialThread } from '../../src/load/trial-thread.js';
import { readNode } from '../../src/stacks/redis/reader.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { addCounts } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';

/**
 * @import { Ledger } from '../../src/audit/ledger.js'
 * @import { TrialPlan, TrialSample, TrialThread } from '../../src/load/trial-thread.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Testbed } from '../../src/run/rounds.js'
 * @import { NodeInfo } from '../../src/stacks/types.js'
 *
 * @typedef {Object} Written
 * @property {TrialPlan} plan of one writer
 * @property {TrialSample} sample
 * @property {number} lostAt `clockMs()` when the sender was lost; writes acknowledged later are not audited on the promoted replica
 */

/** Added to the round's length, for the writers to stop. */
const SLACK_SECONDS = 5;
/** Late writes are sent, never dropped: they belong to the demand. */
const GIVE_UP_MS = 60_000;
const DRAIN_MS = 3000;
const WRITER = 'sticky';

/**
 * @template T
 * @param {(thread: TrialThread) => Promise<T>} work
 * @returns {Promise<T>} settles when the thread has ended
 */
export async function withWriters(work) {
  const thread = startTrialThread();
  try {
    return await work(thread);
  } finally {
    await thread.close();
  }
}

/**
 * @param {Testbed} testbed
 * @param {CaseParams} params
 * @param {{keyPrefix: string, seconds: number}} options seconds: how long it may write
 * @returns {TrialPlan} one writer, which stays with the primary
 */
export function planWriters({ stack, primary }, params, { keyPrefix, seconds }) {
  if (!primary) throw new Error('there is no primary to write to');
  const { rate = 0, connections, payloadBytes, waitTimeoutMs, waitMode } = params;
  return {
    writers: [
      {
        name: WRITER,
        rate,
        connections,
        shape: { payloadBytes, pipeline: 1, waitReplicas: 0, waitTimeoutMs, waitMode, keyPrefix },
        ledger: createLedger(rate * (seconds + SLACK_SECONDS)).buffer,
      },
    ],
    nodes: [primary],
    sentinels: [],
    masterName: stack.access.masterName,
    credentials: stack.access.credentials,
    giveUpMs: GIVE_UP_MS,
    drainMs: DRAIN_MS,
  };
}

/**
 * @param {TrialPlan} plan
 * @param {TrialSample} sample
 * @param {Record<string, number>} [probeErrors] of writes with WAIT beside them
 * @returns {Pick<OwnSample, 'operations' | 'outcomes' | 'errors' | 'histogram' | 'load' | 'seconds'>} of the writers; the histogram is of
 *   response times
 */
export function describeWriters({ writers: [{ rate, ledger: memory }] }, sample, probeErrors = {}) {
  const [{ writes, errors }] = sample.writers;
  const ledger = openLedger(memory);
  const histogram = newHistogram();
  const outcomes = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
  let unsent = 0;
  for (let number = 0; number < writes; number++) {
    const state = ledger.states[number];
    if (state === State.acked) outcomes.acked++;
    else if (state === State.underAcked) outcomes.underAcked++;
    else if (state === State.rejected) outcomes.rejected++;
    else if (state === State.unknown) outcomes.unknown++;
    else unsent++;
    const afterMs = answeredAfterMs(ledger, number);
    if (afterMs > 0) histogram.recordValue(Math.max(0, Math.round((afterMs - dueMs(number, rate)) * NS_A_MS)));
  }
  return {
    operations: writes - unsent,
    outcomes,
    errors: addCounts(errors, probeErrors, unsent > 0 ? { UNSENT: unsent } : {}),
    histogram: encodeHistogram(histogram),
    load: sample.load,
    seconds: (sample.endedAt - sample.beganAt) / MS_A_SECOND,
  };
}

/**
 * @param {AuditResult} audit of the node that took the writes
 * @returns {Record<string, number>} wrong writes by kind
 */
export function wrongWrites(audit) {
  const wrong = {
    'acked but not on the primary': audit.ackedLost,
    'wrong value': audit.wrongValue,
    'present but never sent': audit.unsentPresent,
    'present but rejected': audit.rejectedPresent,
    'never written': audit.surplus,
  };
  return Object.fromEntries(Object.entries(wrong).filter(([, count]) => count > 0));
}

/**
 * @param {Testbed} testbed
 * @param {Written} written
 * @param {NodeInfo} promoted
 * @returns {Promise<{onPrimary: AuditResult, onPromoted: AuditResult}>} every write, and those that were sent or answered before `lostAt`
 */
export async function auditsOf({ stack, primary, signal }, { plan, sample, lostAt }, promoted) {
  if (!primary) throw new Error('there is no primary to read');
  const [writer] = plan.writers;
  const { writes, errors, firstError } = sample.writers[0];
  const { keyPrefix, payloadBytes } = writer.shape;
  const read = (/** @type {NodeInfo} */ { address }) =>
    readNode({ ...address, credentials: stack.access.credentials }, { keyPrefix, payloadBytes, count: writes, signal });
  const readings = new Map([
    [primary.id, await read(primary)],
    [promoted.id, await read(promoted)],
  ]);
  const ledger = openLedger(writer.ledger);
  const trial = {
    ledger,
    readings,
    case: '',
    round: 1,
    writer: writer.name,
    appends: false,
    writes,
    rate: writer.rate,
    waits: false,
    faultFromMs: 0,
    faultToMs: Number.POSITIVE_INFINITY,
    errors,
    firstError,
    moves: [],
  };
  return {
    onPrimary: auditOf({ ...trial, primaryId: primary.id }),
    onPromoted: auditOf({ ...trial, ledger: until(ledger, lostAt - sample.beganAt), primaryId: promoted.id }),
  };
}

/**
 * @param {Ledger} ledger
 * @param {number} ms since the writer began
 * @returns {Ledger} as it was known then, without later answers
 */
export function until(ledger, ms) {
  const then = openLedger(ledger.buffer.slice(0));
  for (let number = 0; number < then.capacity; number++)
    if (answeredAfterMs(then, number) > ms) then.states[number] = State.unknown;
  return then;
}
