/**
 * A lock with a lease: SET NX PX with a token, renewed while it is held, and released if it still has the token.
 *
 * Invariant: two clients never believe at the same time that they hold it. This belief begins with the answer to `acquire`. It ends when the client
 * releases the lock, when it learns that it lost the lock, or when the lease ends. A lease begins when its acknowledged `acquire` or `renew` is sent.
 * @import { Counted, Operation, ProcessSite, Workload } from './types.js'
 */
import { groupBy, US_A_MS, US_A_SECOND } from './history.js';

const LOCKS = 4;
/** Each lock has as many; one of them holds it. */
const CONTENDERS = 2;
const RETRY_MS = 200;
const LEASE_MS = 6000;
/** Longer than any failover or partition of a trial. */
export const LONG_LEASE_MS = 30_000;
const BRIEF_MS = 1500;

/** Held until the end, as a leader holds its own. */
export const lock = lockWorkload('lock', { title: `held on, lease ${LEASE_MS / 1000} s`, leaseMs: LEASE_MS });
export const longLock = lockWorkload('lock-long', {
  title: `held on, lease ${LONG_LEASE_MS / 1000} s`,
  leaseMs: LONG_LEASE_MS,
});
/** Taken and released again and again, as around a piece of work. */
export const briefLock = lockWorkload('lock-brief', { title: 'held briefly', leaseMs: LEASE_MS, holdMs: BRIEF_MS });

/** @param {string} name @param {{title: string, leaseMs: number, holdMs?: number}} how holdMs: default: until the end @returns {Workload} */
function lockWorkload(name, { title, leaseMs, holdMs = Infinity }) {
  return {
    name,
    title,
    roles: { holder: { processes: LOCKS * CONTENDERS, run: (site) => contend(site, { leaseMs, holdMs }) } },
    check: checkLocks,
    timed: 'acquire',
    harms: { doubleHolds: 'one lock, two holders' },
  };
}

/** @param {ProcessSite} site @param {{leaseMs: number, holdMs: number}} how */
async function contend(site, { leaseMs, holdMs }) {
  const number = Math.floor(site.index / CONTENDERS);
  const key = `${site.prefix}lock:${number}`;
  // Each client comes first at every second lock.
  if ((site.index + number) % CONTENDERS !== 0) await site.pause(RETRY_MS);
  for (let turn = 0; !site.stopped(); turn++) {
    const value = `${site.process}:${turn}`;
    const acquired = await site.write(
      { op: 'acquire', key, value, leaseMs },
      ['SET', key, value, 'NX', 'PX', String(leaseMs)],
      (reply) => (reply === null ? { outcome: 'no' } : {}),
    );
    if (acquired.outcome === 'ok') await hold(site, acquired, { key, value, leaseMs, holdMs });
    await site.pause(RETRY_MS);
  }
}

/** @param {ProcessSite} site @param {Operation} acquired @param {{key: string, value: string, leaseMs: number, holdMs: number}} how */
async function hold(site, acquired, { key, value, leaseMs, holdMs }) {
  let last = acquired;
  for (let heldMs = 0; heldMs < holdMs && !site.stopped(); ) {
    const pauseMs = Math.min(leaseMs / 3, holdMs - heldMs);
    await site.pause(pauseMs);
    heldMs += pauseMs;
    if (heldMs >= holdMs || site.stopped()) break;
    const renewed = await site.compared({ op: 'renew', key, value, leaseMs }, value, ['PEXPIRE', key, String(leaseMs)]);
    if (renewed.outcome === 'ok') last = renewed;
    const isOver = (renewed.end ?? 0) > last.begin + leaseMs * US_A_MS;
    if (renewed.outcome === 'no' || isOver) {
      site.line({ op: 'lost', key, value, begin: renewed.end ?? renewed.begin });
      return;
    }
  }
  await site.compared({ op: 'release', key, value }, value, ['DEL', key]);
}

/** @param {readonly Operation[]} history @returns {Counted} */
function checkLocks(history) {
  const withKey = history.filter(({ key }) => key !== undefined);
  const double = [...groupBy(withKey, ({ key }) => key).values()].flatMap((ofKey) =>
    stretchesOfSeveral([...groupBy(ofKey, ({ value }) => value).values()].flatMap(beliefsOf)),
  );
  return {
    acknowledged: history.filter(({ op, outcome }) => op === 'acquire' && outcome === 'ok').length,
    doubleHolds: double.length,
    longestDoubleHoldSeconds: Math.max(0, ...double) / US_A_SECOND,
  };
}

/** @typedef {{from: number, to: number}} TimeOfBelief of one client, microseconds */

/** @param {readonly Operation[]} ofToken what one client did with one token, in order @returns {TimeOfBelief[]} */
function beliefsOf(ofToken) {
  /** @type {TimeOfBelief[]} */
  const beliefs = [];
  const cut = (/** @type {number} */ at) => {
    for (const belief of beliefs) belief.to = Math.min(belief.to, at);
  };
  for (const { op, outcome, begin, end, leaseMs = 0 } of ofToken) {
    const to = begin + leaseMs * US_A_MS;
    const last = beliefs.at(-1);
    if ((op === 'acquire' || op === 'renew') && outcome === 'ok' && end !== null) {
      // A renewal that is answered after the lease has ended lets the client believe it again.
      if (last && end <= last.to) last.to = Math.max(last.to, to);
      else beliefs.push({ from: end, to });
    } else if (op === 'release') cut(begin);
    else if (op === 'lost' || (op === 'renew' && outcome === 'no')) cut(end ?? begin);
  }
  return beliefs.filter(({ from, to }) => to > from);
}

/** @param {readonly TimeOfBelief[]} beliefs @returns {number[]} lengths of the stretches with more than one holder */
function stretchesOfSeveral(beliefs) {
  // An end comes before a begin at the same time.
  const changes = beliefs
    .flatMap(({ from, to }) => [
      { at: from, by: 1 },
      { at: to, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  const lengths = [];
  let [holders, since] = [0, 0];
  for (const { at, by } of changes) {
    holders += by;
    if (by === 1 && holders === 2) since = at;
    else if (by === -1 && holders === 1 && at > since) lengths.push(at - since);
  }
  return lengths;
}
