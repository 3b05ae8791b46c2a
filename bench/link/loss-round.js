/**
 * A round of `link-loss`: the tunnel of a replica is killed while traffic goes on, a supervisor starts it again, and the replica is
 * watched until it has caught up.
 */
import { UserError } from '../../src/errors.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset, untilInSync } from '../../src/stacks/redis/replication.js';
import { compareNodes } from '../copy/compare.js';
import { linkSample, nodesOf, onPath, pass, withTraffic } from './round.js';

/**
 * @import { LinkFigures } from './document.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Measure, RoundSite } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './round.js'
 */

/** How long traffic runs before the kill. */
const BEFORE_MS = 1500;
/** How long traffic runs after the replica has caught up. */
const AFTER_MS = 500;
const LOOK_MS = 20;
/** Deadline after the supervisor's restart: the replica dials once a second and takes a full resync, on a busy machine. */
const RETURN_MS = 30_000;

/**
 * @typedef {Object} LinkLook
 * @property {number} atMs
 * @property {number} written the primary's offset
 * @property {number} full sync_full of the primary
 * @property {number} partial sync_partial_ok
 * @property {number} refused sync_partial_err
 * @property {number} processed the replica's offset; while it is away: where it stopped
 * @property {boolean} up the replica says that its link is
 *
 * @typedef {Object} Watched what is known of the outage so far
 * @property {LinkLook} before the kill
 * @property {LinkLook} last
 * @property {number} reached the highest offset that the replica had
 * @property {number} killedAt
 * @property {number | null} noticedAt
 * @property {number | null} connectedAt
 * @property {number | null} behindUntil when it had what was written at `connectedAt`
 * @property {number} wanted the primary's offset at `connectedAt`
 * @property {number | null} missedBytes
 */

/** @type {Measure} */
export async function measureLoss(site) {
  const { testbed } = site;
  return onPath(site, async ({ path, ends }) => {
    let inSync = false;
    const round = await roundAround(testbed, async () => {
      const lost = await loseTunnel(site, path, ends);
      inSync = lost.inSync;
      return lost.sample;
    });
    if (!inSync || !round.link) return round;
    // After the nodes' use was read, so that it does not include the comparison.
    return { ...round, link: { ...round.link, agreement: await agreementOf(testbed, ends) } };
  });
}

/**
 * @param {RoundSite} site
 * @param {Path} path
 * @param {Ends} ends
 * @returns {Promise<{sample: OwnSample, inSync: boolean}>} inSync: the replica has everything
 */
async function loseTunnel(site, path, ends) {
  const { testbed, theCase, now } = site;
  const { profile, signal } = testbed;
  const giveUpMs = (theCase.params.restartAfterMs ?? 0) + RETURN_MS;
  now(`${theCase.id}: traffic, and the tunnel killed`);
  const first = await look(ends);
  const { traffic, watched } = await withTraffic(site, async (running) => {
    const begunAt = performance.now();
    await pass(BEFORE_MS, signal);
    const before = await look(ends);
    const killedAt = performance.now();
    await path.kill();
    const watched = await watch(ends, { before, killedAt, deadline: killedAt + giveUpMs, signal });
    await pass(Math.max(AFTER_MS, begunAt + profile.seconds * 1000 - performance.now()), signal);
    return { traffic: await running.stop(), watched };
  });
  const inSync = await cameToAgree(ends, signal);
  const last = await look(ends);
  const sample = linkSample(traffic, path, last.written - first.written);
  return {
    inSync,
    sample: {
      ...sample,
      link: {
        ...sample.link,
        fullResyncs: last.full - watched.before.full,
        partialResyncs: last.partial - watched.before.partial,
        refusedPartials: last.refused - watched.before.refused,
        missedBytes: watched.missedBytes,
        agreement: null,
        outage: outageOf(watched, last, path.restarts()),
      },
    },
  };
}

/**
 * @param {RoundSite['testbed']} testbed
 * @param {Ends} ends in sync, without writers
 * @returns {Promise<NonNullable<LinkFigures['agreement']>>}
 */
async function agreementOf(testbed, ends) {
  const { stack, signal } = testbed;
  const { primary, replica } = nodesOf(testbed);
  const [primaryKeys, replicaKeys] = await Promise.all([ends.primary.call('DBSIZE'), ends.replica.call('DBSIZE')]);
  const { credentials } = stack.access;
  const { keys, missing, extra, type, value, ttl } = await compareNodes(
    { ...primary.address, credentials },
    { ...replica.address, credentials },
    { signal },
  );
  return {
    primaryKeys: Number(primaryKeys),
    replicaKeys: Number(replicaKeys),
    compared: keys,
    different: missing + extra + type + value + ttl,
  };
}

/**
 * A replica that never comes back is a finding, not a failure of the round.
 * @param {Ends} ends
 * @param {AbortSignal} signal
 */
async function cameToAgree({ primary, replica }, signal) {
  try {
    await untilInSync(primary, replica, signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** @param {Watched} watched @param {LinkLook} last @param {number} restarts @returns {LinkFigures['outage']} */
function outageOf({ before, killedAt, noticedAt, connectedAt, behindUntil }, last, restarts) {
  const since = (/** @type {number | null} */ at) => (at === null ? null : at - killedAt);
  return {
    noticedMs: since(noticedAt),
    awayMs: since(connectedAt),
    behindMs: since(behindUntil),
    resync: last.full > before.full ? 'full' : last.partial > before.partial ? 'partial' : 'none',
    restarts,
  };
}

/**
 * @param {Ends} ends
 * @param {{before: LinkLook, killedAt: number, deadline: number, signal: AbortSignal}} options
 * @returns {Promise<Watched>} when the replica has caught up, or at the deadline
 */
async function watch(ends, { before, killedAt, deadline, signal }) {
  /** @type {Watched} */
  let watched = {
    before,
    last: before,
    reached: before.processed,
    killedAt,
    noticedAt: null,
    connectedAt: null,
    behindUntil: null,
    wanted: 0,
    missedBytes: null,
  };
  while (watched.behindUntil === null && performance.now() < deadline) {
    await pass(LOOK_MS, signal);
    watched = further(watched, await look(ends));
  }
  return watched;
}

/**
 * @param {Watched} watched until now
 * @param {LinkLook} seen the next look
 * @returns {Watched}
 */
export function further(watched, seen) {
  const { before, last, noticedAt, connectedAt } = watched;
  const next = { ...watched, last: seen, reached: Math.max(watched.reached, seen.processed) };
  const syncs = (/** @type {LinkLook} */ { full, partial }) => full + partial;
  if (noticedAt === null && !seen.up) next.noticedAt = seen.atMs;
  // The replica's offset has not moved since the kill, and it asks for what follows. After a refusal it asks for everything.
  if (syncs(seen) > syncs(last) && last.full === before.full)
    next.missedBytes = Math.max(watched.missedBytes ?? 0, seen.written - watched.reached);
  if (connectedAt === null && seen.up && syncs(seen) > syncs(before)) {
    next.connectedAt = seen.atMs;
    // It may have been away between two samples only.
    next.noticedAt ??= seen.atMs;
    next.wanted = seen.written;
  }
  if (next.connectedAt !== null && seen.up && seen.processed >= next.wanted) next.behindUntil = seen.atMs;
  return next;
}

/** @param {Ends} ends @returns {Promise<LinkLook>} */
async function look({ primary, replica }) {
  const [info, { bytes, up }] = await Promise.all([primary.info('replication', 'stats'), readOffset(replica)]);
  return {
    atMs: performance.now(),
    written: Number(info.master_repl_offset),
    full: Number(info.sync_full),
    partial: Number(info.sync_partial_ok),
    refused: Number(info.sync_partial_err),
    processed: bytes,
    up,
  };
}
