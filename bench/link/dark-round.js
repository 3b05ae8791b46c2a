/**
 * A round of `link-dark`: nothing passes the replica’s link any more, but no socket is closed; until both nodes have noticed.
 */
import { answeredAfterMs, openLedger, State } from '../../src/audit/ledger.js';
import { startTrialThread } from '../../src/load/trial-thread.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { addCounts } from '../../src/stats/statistics.js';
import { waitFor } from '../../src/wait.js';
import { readResyncs } from './replication.js';
import { controlOf, nodesOf, onPath, pass, startWaitProber } from './round.js';
import { describeWriters, planWriters } from './shortfall-round.js';

/**
 * @import { Ledger } from '../../src/audit/ledger.js'
 * @import { TrialThread } from '../../src/load/trial-thread.js'
 * @import { LinkFigures } from './document.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './round.js'
 */

/** How long the round writes before the darkness, and after the replica is back. */
const BESIDE_MS = 1000;
const LOOK_MS = 50;
const PROBE_MS = 100;
/** The wait in addition to twice repl-timeout: Redis compares whole seconds, once a second. */
const GIVE_UP_MS = 10_000;
/** A replica that hangs in a handshake notices after repl-timeout only; then it dials once a second. */
const RETURN_MS = 60_000;
export const MINIMUM = 'min-replicas-to-write';

/** @type {Measure} */
export async function measureDark(site) {
  const { testbed, theCase } = site;
  const primary = controlOf(testbed, nodesOf(testbed).primary);
  const minimum = theCase.params.settings?.[MINIMUM] ?? '0';
  // Without a replica it would refuse to empty itself.
  await primary.call('CONFIG', 'SET', MINIMUM, '0');
  const thread = startTrialThread();
  try {
    return await onPath(site, async ({ path, ends }) => {
      await primary.call('CONFIG', 'SET', MINIMUM, minimum);
      return roundAround(testbed, () => goDark(site, { path, ends, thread }));
    });
  } finally {
    await thread.close();
  }
}

/** @param {RoundSite} site @param {{path: Path, ends: Ends, thread: TrialThread}} by @returns {Promise<OwnSample>} */
async function goDark(site, { path, ends, thread }) {
  const { testbed, theCase, keyPrefix, now } = site;
  const { stack, signal } = testbed;
  const { primary } = nodesOf(testbed);
  const { settings = {}, waitTimeoutMs } = theCase.params;
  const giveUpMs = 2000 * Number(settings['repl-timeout']) + GIVE_UP_MS;
  const seconds = (2 * BESIDE_MS + giveUpMs + RETURN_MS) / 1000;
  const plan = planWriters(testbed, theCase.params, { keyPrefix: `${keyPrefix}w:`, seconds });
  const before = await readResyncs(ends.primary);
  const offset = await readOffset(ends.primary);
  const { beganAt } = await untilAborted(thread.start(plan), signal);
  await pass(BESIDE_MS, signal);
  now(`${theCase.id}: the link is dark`);
  await path.dark(true);
  const darkAt = clockMs();
  const prober = await startWaitProber(primary.address, {
    key: `${keyPrefix}p`,
    everyMs: PROBE_MS,
    timeoutMs: waitTimeoutMs,
    credentials: stack.access.credentials,
  });
  try {
    const noticed = await untilNoticed(ends, giveUpMs, signal);
    const { waits, errors: probeErrors } = await untilAborted(prober.stop(), signal);
    const lightAt = clockMs();
    await path.dark(false);
    const back = await isBack(ends, signal);
    const backMs = back ? clockMs() - lightAt : null;
    await pass(BESIDE_MS, signal);
    const sample = await untilAborted(thread.stop(), signal);
    const after = await readResyncs(ends.primary);
    const written = describeWriters(plan, sample);
    const wroteSeconds = (sample.endedAt - sample.beganAt) / 1000;
    const streamBytes = (await readOffset(ends.primary)).bytes - offset.bytes;
    return {
      ...written,
      errors: addCounts(written.errors, probeErrors),
      seconds: wroteSeconds,
      link: {
        writes: written.outcomes.acked + waits.asked,
        streamBytes,
        demandBytesPerSecond: streamBytes / wroteSeconds,
        by: path.by,
        fullResyncs: after.full - before.full,
        partialResyncs: after.partial - before.partial,
        waits,
        dark: {
          seconds: (lightAt - darkAt) / 1000,
          ...noticed,
          ...answersBetween(openLedger(plan.writers[0].ledger), darkAt - beganAt, lightAt - beganAt),
          backMs,
          resync: after.full > before.full ? 'full' : after.partial > before.partial ? 'partial' : 'none',
        },
      },
    };
  } finally {
    prober.close();
  }
}

/**
 * @param {Ends} ends
 * @param {number} giveUpMs
 * @param {AbortSignal} signal
 * @returns {Promise<Pick<NonNullable<LinkFigures['dark']>, 'replicaNoticedMs' | 'primaryNoticedMs'>>}
 */
async function untilNoticed({ primary, replica }, giveUpMs, signal) {
  const begins = performance.now();
  /** @type {number | null} */
  let replicaNoticedMs = null;
  /** @type {number | null} */
  let primaryNoticedMs = null;
  const haveNoticed = async () => {
    const [info, { up }] = await Promise.all([primary.info('replication'), readOffset(replica)]);
    const ms = performance.now() - begins;
    if (!up) replicaNoticedMs ??= ms;
    if (info.connected_slaves === '0') primaryNoticedMs ??= ms;
    return replicaNoticedMs !== null && primaryNoticedMs !== null;
  };
  await waitFor(haveNoticed, { deadlineMs: giveUpMs, pollMs: LOOK_MS, signal });
  return { replicaNoticedMs, primaryNoticedMs };
}

/**
 * @param {Ends} ends
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} the replica had what the primary had at a look; false: not within the time limit
 */
function isBack({ primary, replica }, signal) {
  let wanted = Number.POSITIVE_INFINITY;
  const hasAll = async () => {
    const [written, { bytes, up }] = await Promise.all([readOffset(primary), readOffset(replica)]);
    // What was written when it was connected again: later writes always are a little ahead.
    if (up) wanted = Math.min(wanted, written.bytes);
    return up && bytes >= wanted;
  };
  return waitFor(hasAll, { deadlineMs: RETURN_MS, pollMs: LOOK_MS, signal });
}

/**
 * @param {Ledger} ledger of writes that have ended
 * @param {number} fromMs since the writer began
 * @param {number} toMs
 * @returns {Pick<NonNullable<LinkFigures['dark']>, 'acked' | 'ackedSeconds' | 'refusedMs'>} of the writes that were answered in between
 */
export function answersBetween(ledger, fromMs, toMs) {
  let [acked, lastMs] = [0, fromMs];
  /** @type {number | null} */
  let refusedMs = null;
  for (let number = 0; number < ledger.capacity; number++) {
    const atMs = answeredAfterMs(ledger, number);
    if (atMs < fromMs || atMs > toMs) continue;
    if (ledger.states[number] === State.acked) {
      acked++;
      lastMs = Math.max(lastMs, atMs);
    } else if (ledger.states[number] === State.rejected) {
      refusedMs = Math.min(refusedMs ?? Number.POSITIVE_INFINITY, atMs - fromMs);
    }
  }
  return { acked, ackedSeconds: (lastMs - fromMs) / 1000, refusedMs };
}
