/**
 * A round of `link-shortfall`: writes while the replica's link is too slow or long, then a promotion of the replica.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { answeredAfterMs, createLedger, dueMs, openLedger, State } from '../../src/audit/ledger.js';
import { valueMaker } from '../../src/audit/value.js';
import { auditOf } from '../../src/audit/verdict.js';
import { keyName } from '../../src/clients/native-batch.js';
import { startTrialThread } from '../../src/load/trial-thread.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { readNode } from '../../src/stacks/redis/reader.js';
import { follow, readOffset, stopFollowing, untilInSync } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { addCounts } from '../../src/stats/statistics.js';
import { NS_A_MS } from '../../src/units.js';
import { openPath } from './paths/path.js';
import {
  addedLines,
  caughtUpOf,
  growthOf,
  largest,
  missedOf,
  readOutputLimit,
  readResyncs,
  resyncsBetween,
  watchReplication,
} from './replication.js';
import { controlOf, leave, pass, startWaitProber } from './round.js';

/**
 * @import { Ledger } from '../../src/audit/ledger.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { TrialPlan, TrialSample, TrialThread } from '../../src/load/trial-thread.js'
 * @import { CaseParams, RoundResult } from '../../src/result/schema.js'
 * @import { Testbed } from '../../src/run/rounds.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { LinkShape, NodeInfo } from '../../src/stacks/types.js'
 * @import { Path } from './paths/path.js'
 */

/**
 * @typedef {Object} Written
 * @property {TrialPlan} plan of one writer
 * @property {TrialSample} sample
 * @property {number} lostAt `clockMs()` when the sender was lost; writes acknowledged later are not audited on the promoted replica
 *
 * @typedef {Object} WatchedLink whose replication is watched
 * @property {NodeInfo} senderInfo the primary, or a replica when replicas are chained
 * @property {NodeInfo} replicaInfo that follows it through the path
 * @property {Control} sender
 * @property {Control} replica
 */

/** Between two samples, and between two writes with WAIT. */
const SAMPLE_MS = 200;
const PROBE_MS = 250;
/** Lines of the nodes' logs; a full resync is some ten. */
const LOG_LINES = 2000;
/** A replica has processed what it received when its offset has not moved for this long. */
const STILL_MS = 300;
const STILL_DEADLINE_MS = 10_000;
const LOOK_MS = 30;
/** Shares of the pace’s seconds: a shortfall takes a while to show. */
const LONGER = 1.6;
const SHORTER = 0.5;

/** @param {Pick<CaseParams, 'linkShare'>} params @param {{seconds: number}} pace @returns {number} how long a round of the case writes */
const secondsOf = ({ linkShare = 1 }, { seconds }) => seconds * (linkShare < 1 ? LONGER : SHORTER);

/** @type {Measure} */
export async function measureShortfall(site) {
  const { testbed, theCase, now } = site;
  const { stack, signal, primary, replicas = [] } = testbed;
  if (!primary) throw new Error('there is no primary');
  const chain = theCase.params.chain === true;
  const senderInfo = chain ? replicas[0] : primary;
  const replicaInfo = replicas[chain ? 1 : 0];
  /** @type {WatchedLink} */
  const link = {
    senderInfo,
    replicaInfo,
    sender: controlOf(testbed, senderInfo),
    replica: controlOf(testbed, replicaInfo),
  };
  now(`${theCase.id}: bringing the replica into sync`);
  const path = await openPath(stack, { primary: senderInfo, signal });
  const thread = startTrialThread();
  try {
    await prepare(testbed, link, path);
    return await carryOut(site, link, { path, thread });
  } finally {
    await thread.close();
    await leave(link.replica, path);
  }
}

/**
 * Empties the nodes and brings them in sync.
 * @param {Testbed} testbed
 * @param {WatchedLink} link
 * @param {Path} path not shaped yet
 */
async function prepare(testbed, { senderInfo, sender, replica }, path) {
  const { primary, signal } = testbed;
  if (!primary) return;
  const first = controlOf(testbed, primary);
  await stopFollowing(replica);
  await first.call('FLUSHALL');
  if (senderInfo !== primary) {
    await follow(sender, primary.announced);
    await untilInSync(first, sender, signal);
  }
  await follow(replica, path.address);
  await untilInSync(sender, replica, signal);
}

/**
 * @param {RoundSite} site
 * @param {WatchedLink} link
 * @param {{path: Path, thread: TrialThread}} by
 * @returns {Promise<RoundResult>}
 */
async function carryOut({ testbed, theCase: { params, id }, keyPrefix, now }, link, { path, thread }) {
  const { primary, signal, stack } = testbed;
  if (!primary) throw new Error('there is no primary');
  const plan = planWriters(testbed, params, {
    keyPrefix: `${keyPrefix}w:`,
    seconds: secondsOf(params, testbed.profile),
  });
  const meant = (params.rate ?? 0) * (await bytesPerWrite(controlOf(testbed, primary), params, `${keyPrefix}c:`));
  await untilInSync(link.sender, link.replica, signal);
  const shape = shapeOf(params, meant);
  await path.shape(shape);
  const logs = await lastLines(testbed, link);

  /** @type {TrialSample | undefined} */
  let sample;
  let lostAt = 0;
  now(`${id}: writing`);
  const round = await roundAround(testbed, async () => {
    const outputLimit = await readOutputLimit(link.sender);
    const before = await readResyncs(link.sender);
    const memory = Number((await link.sender.info('memory')).used_memory);
    const offset = await readOffset(link.sender);
    const prober = await startWaitProber(primary.address, {
      key: `${keyPrefix}p`,
      everyMs: PROBE_MS,
      timeoutMs: params.waitTimeoutMs,
      credentials: stack.access.credentials,
    });
    const stop = new AbortController();
    const watch = watchReplication(link.sender, link.replica, { everyMs: SAMPLE_MS, signal: stop.signal });
    try {
      await untilAborted(thread.start(plan), signal);
      await pass(secondsOf(params, testbed.profile) * 1000, signal);
      // Both end before the cut: afterwards no WAIT and no sample would be answered.
      const { waits, errors: probeErrors } = await untilAborted(prober.stop(), signal);
      const samples = await watch.stop();
      // The sender is lost from here on. Writes acknowledged while the cut is made count, later ones do not.
      await path.cut();
      lostAt = clockMs();
      sample = await untilAborted(thread.stop(), signal);
      const seconds = (sample.endedAt - sample.beganAt) / 1000;
      const after = await readResyncs(link.sender);
      const lines = await addedSince(testbed, link, logs);
      const streamBytes = (await readOffset(link.sender)).bytes - offset.bytes;
      const written = describeWriters(plan, sample);
      const [refused] = missedOf(lines.replica);
      return {
        ...written,
        errors: addCounts(written.errors, probeErrors),
        seconds,
        link: {
          writes: written.outcomes.acked + written.outcomes.unknown + waits.asked,
          streamBytes,
          demandBytesPerSecond: streamBytes / seconds,
          by: path.by,
          ...(shape?.bytesPerSecond !== undefined && { limitBytesPerSecond: shape.bytesPerSecond }),
          samples,
          growthBytesPerSecond: growthOf(samples),
          maxLagBytes: largest(samples.map(({ lagBytes }) => lagBytes)),
          maxBufferBytes: largest(samples.map(({ bufferBytes }) => bufferBytes)),
          memoryGrowthBytes: Math.max(...samples.map(({ senderMemoryBytes }) => senderMemoryBytes)) - memory,
          outputLimit,
          ...resyncsBetween(before, after, lines.sender),
          // Later refusals follow full resyncs, which make the gap longer.
          missedBytes: refused ?? largest(caughtUpOf(lines.sender)),
          waits,
        },
      };
    } finally {
      stop.abort();
      prober.close();
    }
  });

  now(`${id}: promoting the replica and looking for every write`);
  await untilStill(link.replica, signal);
  await stopFollowing(link.replica);
  if (!sample) throw new Error('the writers reported nothing');
  const { promotion, errors } = await auditWriters(testbed, { plan, sample, lostAt }, link.replicaInfo);
  return { ...round, errors: addCounts(round.errors, errors), link: { ...linkOf(round), promotion } };
}

/** @param {RoundResult} round */
function linkOf({ link }) {
  if (!link) throw new Error('the link was not measured');
  return link;
}

/**
 * @param {CaseParams} params
 * @param {number} demand bytes a second
 * @returns {LinkShape | null}
 */
function shapeOf({ linkShare, linkLatencyMs = 0 }, demand) {
  if (linkShare === undefined && linkLatencyMs === 0) return null;
  return {
    latencyMs: linkLatencyMs,
    ...(linkShare !== undefined && { bytesPerSecond: Math.round(linkShare * demand) }),
  };
}

/** @param {Testbed} testbed @param {WatchedLink} link @returns {Promise<{sender: string[], replica: string[]}>} */
async function lastLines({ stack }, { senderInfo, replicaInfo }) {
  const [sender, replica] = await Promise.all(
    [senderInfo, replicaInfo].map(({ id }) => stack.host.logs(id, LOG_LINES)),
  );
  return { sender, replica };
}

/** @param {Testbed} testbed @param {WatchedLink} link @param {{sender: string[], replica: string[]}} before */
async function addedSince(testbed, link, before) {
  const after = await lastLines(testbed, link);
  return {
    sender: addedLines(before.sender, after.sender),
    replica: addedLines(before.replica, after.replica),
  };
}

/**
 * Waits until a replica behind a cut link has processed what it received.
 * @param {Control} replica
 * @param {AbortSignal} signal
 */
export async function untilStill(replica, signal) {
  const deadline = performance.now() + STILL_DEADLINE_MS;
  let [bytes, since] = [-1, performance.now()];
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const isLoading = (await replica.info('persistence')).loading === '1';
    const now = isLoading ? -1 : (await readOffset(replica)).bytes;
    if (isLoading || now !== bytes) [bytes, since] = [now, performance.now()];
    else if (performance.now() - since >= STILL_MS) return;
    await delay(LOOK_MS);
  }
  throw new Error('the replica behind the cut link went on changing');
}

/** Added to the round's length, for the writers to stop. */
const SLACK_SECONDS = 5;
/** Late writes are sent, never dropped: they belong to the demand. */
const GIVE_UP_MS = 60_000;
const DRAIN_MS = 3000;
/** Enough for an exact mean: a PING every 10 s adds 14 bytes. */
const CALIBRATION_WRITES = 500;
const WRITER = 'sticky';

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
 * Writes as the writers do, to other keys of the same length, and measures the growth of the stream.
 * @param {Control} primary
 * @param {CaseParams} params
 * @param {string} keyPrefix as long as that of the writers
 * @returns {Promise<number>} bytes of the replication stream a write
 */
async function bytesPerWrite(primary, { payloadBytes }, keyPrefix) {
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
 * @param {Testbed} testbed
 * @param {Written} written
 * @param {NodeInfo} promoted the replica that is a primary now
 * @returns {Promise<{promotion: {acked: number, missing: number}, errors: Record<string, number>}>} errors: wrong writes by kind; an
 *   acknowledged write that the promoted replica lacks is a loss, not an error
 */
async function auditWriters(testbed, written, promoted) {
  const { onPrimary, onPromoted } = await auditsOf(testbed, written, promoted);
  return { promotion: { acked: onPromoted.acked, missing: onPromoted.ackedLost }, errors: wrongWrites(onPrimary) };
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
