/** The writer of rounds that count what was lost: a ledger has every write, and nodes are read for them afterwards. */
import { answeredAfterMs, createLedger, dueMs, openLedger, State } from '../../src/audit/ledger.js';
import { auditOf } from '../../src/audit/verdict.js';
import { keyName } from '../../src/clients/native-batch.js';
import { startTrialThread } from '../../src/load/trial-thread.js';
import { encodeCommand } from '../../src/resp/writer.js';
import { untilAborted } from '../../src/run/interruption.js';
import { factsOf } from '../../src/run/trial-document.js';
import { readAll } from '../../src/run/trial-readings.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { addCounts, sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { nodesOf } from './round.js';

/** @import { AuditResult, CaseParams, Ledger, NodeInfo, OwnSample, RoundSite, TrialPlan } from '../types.js' */
/** @import { TrialSample } from '../../src/load/trial-thread.js' */
/**
 * @typedef {Object} LedgerWriter
 * @property {Ledger} ledger
 * @property {number} bytesPerWrite of the replication stream
 * @property {() => Promise<{beganAt: number}>} start
 * @property {() => Promise<Omit<OwnSample, 'link'>>} stop of response times
 * @property {(node: NodeInfo, untilMs?: number) => Promise<AuditResult>} audit what a node has. untilMs: of `clockMs()`; writes that were acknowledged later
 *   do not count. Default: all count
 */

const SLACK_SECONDS = 5;
/** Late writes are sent, never dropped: they belong to the demand. */
const GIVE_UP_MS = 60_000;
const DRAIN_MS = 3000;
const WRITER = 'sticky';

/**
 * @template T
 * @param {RoundSite} site
 * @param {Pick<CaseParams, 'rate' | 'connections' | 'payloadBytes'> & {seconds: number}} load seconds: how long it may write
 * @param {(writer: LedgerWriter) => Promise<T>} work
 * @returns {Promise<T>} settles when the writer's thread has ended
 */
export async function withWriter({ testbed, theCase, keyPrefix }, { seconds, rate = 0, ...load }, work) {
  const { stack, signal } = testbed;
  const { primary } = nodesOf(testbed);
  const { waitTimeoutMs, waitMode } = theCase.params;
  const { connections, payloadBytes } = load;
  const ledger = createLedger(rate * (seconds + SLACK_SECONDS));
  const shape = { payloadBytes, pipeline: 1, waitReplicas: 0, waitTimeoutMs, waitMode, keyPrefix: `${keyPrefix}w:` };
  /** @type {TrialPlan} */
  const plan = {
    writers: [{ name: WRITER, rate, connections, shape, ledger: ledger.buffer }],
    nodes: [primary],
    sentinels: [],
    masterName: stack.access.masterName,
    credentials: stack.access.credentials,
    giveUpMs: GIVE_UP_MS,
    drainMs: DRAIN_MS,
  };
  const thread = startTrialThread();
  /** @type {TrialSample} */
  let sample;
  try {
    return await work({
      ledger,
      // Redis sends its replicas the command as it came.
      bytesPerWrite: encodeCommand(['SET', keyName(shape.keyPrefix, 0), 'x'.repeat(payloadBytes)]).length,
      start: () => untilAborted(thread.start(plan), signal),
      async stop() {
        sample = await untilAborted(thread.stop(), signal);
        return described(ledger, sample, rate);
      },
      async audit({ id }, untilMs = Number.POSITIVE_INFINITY) {
        const [[, reading]] = await readAll(stack, id, plan.writers, () => sample.writers[0].writes, signal);
        const [facts] = factsOf({ theCase, round: 1, primaryId: primary.id, plan, sample, events: [] });
        const known = until(ledger, untilMs - sample.beganAt);
        return auditOf({ ...facts, ledger: known, readings: new Map([[id, reading]]), primaryId: id });
      },
    });
  } finally {
    await thread.close();
  }
}

/** @param {Ledger} ledger @param {TrialSample} sample @param {number} rate */
function described(ledger, { writers: [{ writes, errors }], load, beganAt, endedAt }, rate) {
  const states = ledger.states.subarray(0, writes);
  const count = (/** @type {number} */ wanted) => states.filter((state) => state === wanted).length;
  const outcomes = {
    acked: count(State.acked),
    underAcked: count(State.underAcked),
    rejected: count(State.rejected),
    unknown: count(State.unknown),
  };
  const operations = sum(Object.values(outcomes));
  const histogram = newHistogram();
  for (let number = 0; number < writes; number++) {
    const afterMs = answeredAfterMs(ledger, number);
    if (afterMs > 0) histogram.recordValue(Math.max(0, Math.round((afterMs - dueMs(number, rate)) * NS_A_MS)));
  }
  return {
    operations,
    outcomes,
    errors: addCounts(errors, operations < writes ? { UNSENT: writes - operations } : {}),
    histogram: encodeHistogram(histogram),
    load,
    seconds: (endedAt - beganAt) / MS_A_SECOND,
  };
}

/** @param {AuditResult} audit @returns {{acked: number, missing: number}} acknowledged writes, and those that the node lacks */
export const lossIn = ({ acked, ackedLost }) => ({ acked, missing: ackedLost });

/** @param {AuditResult} audit of the node that took the writes @returns {Record<string, number>} wrong writes by kind */
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

/** @param {Ledger} ledger @param {number} ms since the writer began @returns {Ledger} as it was known then, without later answers */
export function until(ledger, ms) {
  const then = openLedger(ledger.buffer.slice(0));
  for (let number = 0; number < then.capacity; number++)
    if (answeredAfterMs(then, number) > ms) then.states[number] = State.unknown;
  return then;
}
