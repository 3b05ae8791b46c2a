/**
 * The writers of a round, and the audit of their writes on the primary and on the promoted replica.
 */
import { answeredAfterMs, createLedger, dueMs, openLedger, State } from '../../../src/audit/ledger.js';
import { valueMaker } from '../../../src/audit/value.js';
import { auditOf } from '../../../src/audit/verdict.js';
import { keyName } from '../../../src/clients/native-batch.js';
import { readNode } from '../../../src/stacks/redis/reader.js';
import { encodeHistogram, newHistogram } from '../../../src/stats/histogram.js';
import { secondsOf } from './case.js';

/**
 * @import { Ledger } from '../../../src/audit/ledger.js'
 * @import { TrialPlan, TrialSample } from '../../../src/load/trial-thread.js'
 * @import { CaseParams } from '../../../src/result/schema.js'
 * @import { OwnSample } from '../../../src/run/round.js'
 * @import { Bench } from '../../../src/run/rounds.js'
 * @import { Control } from '../../../src/stacks/redis/control.js'
 * @import { NodeInfo } from '../../../src/stacks/types.js'
 */

/** Added to the round's length, for the writers to stop. */
const SLACK_SECONDS = 5;
/** Late writes are sent, never dropped: they belong to the demand. */
const GIVE_UP_MS = 60_000;
const DRAIN_MS = 3000;
/** Enough for an exact mean: a PING every 10 s adds 14 bytes. */
const CALIBRATION_WRITES = 500;
const NS_A_MS = 1e6;
const WRITER = 'stays';

/**
 * @param {Bench} bench
 * @param {CaseParams} params
 * @param {string} keyPrefix
 * @returns {TrialPlan} one writer, which stays with the primary
 */
export function planWriters({ cluster, primary, profile }, params, keyPrefix) {
  if (!primary) throw new Error('there is no primary to write to');
  const { rate = 0, connections, payloadBytes, waitTimeoutMs, habit } = params;
  return {
    writers: [
      {
        name: WRITER,
        rate,
        connections,
        shape: { payloadBytes, pipeline: 1, waitReplicas: 0, waitTimeoutMs, habit, keyPrefix },
        ledger: createLedger(rate * (secondsOf(params, profile) + SLACK_SECONDS)).buffer,
      },
    ],
    nodes: [primary],
    sentinels: [],
    masterName: cluster.masterName,
    credentials: cluster.credentials,
    giveUpMs: GIVE_UP_MS,
    drainMs: DRAIN_MS,
  };
}

/**
 * Writes as the writers do, to other keys of the same length, and measures the growth of the stream.
 *
 * @param {Control} primary
 * @param {CaseParams} params
 * @param {string} keyPrefix as long as that of the writers
 * @returns {Promise<number>} bytes of the replication stream a write
 */
export async function bytesPerWrite(primary, { payloadBytes }, keyPrefix) {
  const offset = async () => Number((await primary.info('replication')).master_repl_offset);
  const value = valueMaker(keyPrefix, payloadBytes);
  // The first write after a while is preceded by a SELECT.
  await primary.call('SET', keyName(keyPrefix, CALIBRATION_WRITES), value(CALIBRATION_WRITES));
  const before = await offset();
  const numbers = Array.from({ length: CALIBRATION_WRITES }, (_, number) => number);
  await Promise.all(numbers.map((number) => primary.call('SET', keyName(keyPrefix, number), value(number))));
  return ((await offset()) - before) / CALIBRATION_WRITES;
}

/**
 * @param {TrialPlan} plan
 * @param {TrialSample} sample
 * @returns {Pick<OwnSample, 'operations' | 'outcomes' | 'errors' | 'histogram' | 'load'>} of the writers; the
 *   histogram is of response times
 */
export function describeWriters({ writers: [{ rate, ledger: memory }] }, { writers: [{ writes, errors }], load }) {
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
    errors: { ...errors, ...(unsent > 0 && { UNSENT: unsent }) },
    histogram: encodeHistogram(histogram),
    load,
  };
}

/**
 * @param {Bench} bench
 * @param {{plan: TrialPlan, sample: TrialSample, lostAt: number}} written lostAt: `clockMs()` when the sender was lost; writes acknowledged
 *   later are not audited on the promoted replica
 * @param {NodeInfo} promoted the replica that is a primary now
 * @returns {Promise<{promotion: {acked: number, missing: number}, errors: Record<string, number>}>} errors: wrong writes by kind; an
 *   acknowledged write that the promoted replica lacks is a loss, not an error
 */
export async function auditWriters({ cluster, primary, signal }, { plan, sample, lostAt }, promoted) {
  if (!primary) throw new Error('there is no primary to read');
  const [writer] = plan.writers;
  const { writes, errors, firstError } = sample.writers[0];
  const { keyPrefix, payloadBytes } = writer.shape;
  const read = (/** @type {NodeInfo} */ { address }) =>
    readNode({ ...address, credentials: cluster.credentials }, { keyPrefix, payloadBytes, count: writes, signal });
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
    writes,
    rate: writer.rate,
    waits: false,
    faultFromMs: 0,
    faultToMs: Number.POSITIVE_INFINITY,
    errors,
    firstError,
    moves: [],
  };
  const before = auditOf({ ...trial, primaryId: primary.id });
  const after = auditOf({ ...trial, ledger: until(ledger, lostAt - sample.beganAt), primaryId: promoted.id });
  const wrong = {
    'acked and not on the primary': before.ackedLost,
    'wrong value': before.wrongValue,
    'never sent and there': before.unsentPresent,
    'rejected and there': before.rejectedPresent,
    'nobody wrote it': before.surplus,
  };
  return {
    promotion: { acked: after.acked, missing: after.ackedLost },
    errors: Object.fromEntries(Object.entries(wrong).filter(([, count]) => count > 0)),
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
