/** redlock 4 and 5: `redlock.js 4`, `redlock.js 5`. Both versions have one client here, which Sentinel leads to the primary. */
import { Redis } from 'ioredis';
import Redlock4 from 'redlock4';
import Redlock5, { ResourceLockedError } from 'redlock5';
import { confirm, runWorkload, sentinelOptions } from './workload.js';

const VARIANTS = {
  defaults: {},
  best: { failoverDetector: true, connectTimeout: 1000, maxRetriesPerRequest: 1 },
};
const version = process.argv[2];

async function open(task) {
  const redis = new Redis({ ...sentinelOptions(task), ...VARIANTS[task.variant] });
  redis.on('error', () => {});
  await redis.ping();
  const redlock = new (version === '4' ? Redlock4 : Redlock5)([redis]);
  // Version 4 tells why a vote failed by this event only.
  let lastError = null;
  redlock.on('clientError', (error) => {
    lastError = error;
  });

  /** Resolves to the lock; to null: another one has it. Rejects if a command failed. */
  async function attempt(call) {
    lastError = null;
    let lock;
    try {
      lock = await call();
    } catch (error) {
      const cause = version === '4' ? lastError : await causeOf(error);
      if (cause) throw cause;
      return null;
    }
    await confirm(redis, task);
    return lock;
  }
  // A release resolves to nothing in version 4.
  const succeeds = async (call) => (await attempt(async () => (await call()) ?? true)) !== null;

  return {
    async acquire(key, leaseMs) {
      const lock = await attempt(() => redlock.acquire([key], leaseMs));
      return lock && { token: lock.value, lock, leftMs: () => lock.expiration - Date.now() };
    },
    async renew(held, leaseMs) {
      const lock = await attempt(() => held.lock.extend(leaseMs));
      if (lock) Object.assign(held, { lock, leftMs: () => lock.expiration - Date.now() });
      return lock !== null;
    },
    release: ({ lock }) => succeeds(() => (version === '4' ? lock.unlock() : lock.release())),
  };
}

/** The error of a command, which version 5 keeps in the votes; undefined: each vote says that the lock is another's. */
async function causeOf({ attempts = [] }) {
  const votes = await Promise.all(attempts);
  const errors = votes.flatMap(({ votesAgainst }) => [...votesAgainst.values()]);
  return errors.find((error) => !(error instanceof ResourceLockedError));
}

runWorkload({
  title: `redlock ${version}`,
  npmPackage: `redlock${version}`,
  workload: 'lock',
  variants: VARIANTS,
  open,
});
