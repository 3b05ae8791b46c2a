/**
 * The writers of a round whose every write is looked for afterwards, on the primary and on the replica that was promoted.
 */
import { answeredAfterMs, createLedger, dueMs, openLedger, State } from '../audit/ledger.js';
import { readNode } from '../audit/read-node.js';
import { valueMaker } from '../audit/value.js';
import { auditOf } from '../audit/verdict.js';
import { keyName } from '../client/native-batch.js';
import { encodeHistogram, newHistogram } from '../measure/histogram.js';
import { secondsOf } from './link-shortfall-case.js';

/**
 * @typedef {import('./rounds.js').Bench} Bench
 * @typedef {import('./types.js').CaseParams} CaseParams
 * @typedef {import('../load/trial-types.js').TrialPlan} TrialPlan
 * @typedef {import('../load/trial-types.js').TrialSample} TrialSample
 * @typedef {import('../cluster/types.js').NodeInfo} NodeInfo
 */

/** Beside the round's length: until the writers have stopped. */
const SLACK_SECONDS = 5;
/** Never: what a busy machine sends late still belongs to the demand. */
const GIVE_UP_MS = 60_000;
const DRAIN_MS = 3000;
/** Enough for the mean size to be exact: what else is in the stream meanwhile, a PING every 10 s, is 14 bytes. */
const CALIBRATION_WRITES = 500;
const NS_A_MS = 1e6;
const WRITER = 'stays';

/**
 * @param {Bench} bench
 * @param {CaseParams} params
 * @param {string} keyPrefix
 * @returns {TrialPlan} one writer, to the primary whatever happens
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
 * Writes as the writers do, and looks at how much longer the stream has become. The keys are other ones, of the same length.
 *
 * @param {import('../cluster/control.js').Control} primary
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
 * @returns {Pick<import('./own-round.js').OwnSample, 'operations' | 'outcomes' | 'errors' | 'histogram' | 'load'>} of the writers; the
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
 * @param {{plan: TrialPlan, sample: TrialSample, lostAt: number}} written lostAt: `clockMs()` when the sender was lost; what was acknowledged
 *   after that is not asked of the promoted replica
 * @param {NodeInfo} promoted the replica that is a primary now
 * @returns {Promise<{promotion: {acked: number, missing: number}, errors: Record<string, number>}>} errors: writes that are not what they
 *   have to be, by what is wrong with them; that an acknowledged write is not on the promoted replica is none
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
 * @param {import('../audit/ledger.js').Ledger} ledger
 * @param {number} ms since the writer began
 * @returns {import('../audit/ledger.js').Ledger} as it was known then: what was answered later was not
 */
export function until(ledger, ms) {
  const then = openLedger(ledger.buffer.slice(0));
  for (let number = 0; number < then.capacity; number++)
    if (answeredAfterMs(then, number) > ms) then.states[number] = State.unknown;
  return then;
}
