/** redis-semaphore: Mutex, which renews its lock by itself. */
import { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';
import { confirm, runWorkload, sentinelOptions } from './workload.js';

const VARIANTS = {
  defaults: {},
  best: { failoverDetector: true, connectTimeout: 1000, maxRetriesPerRequest: 1 },
};

async function open(task) {
  const redis = new Redis({ ...sentinelOptions(task), ...VARIANTS[task.variant] });
  redis.on('error', () => {});
  await redis.ping();

  return {
    async acquire(key, lockTimeout, onLockLost) {
      const mutex = new Mutex(redis, key, { lockTimeout, acquireTimeout: 2000, onLockLost });
      if (!(await mutex.tryAcquire())) return null;
      await confirm(redis, task);
      return { token: mutex.identifier, mutex, leftMs: null };
    },
    async release({ mutex }) {
      await mutex.release();
      return true;
    },
  };
}

runWorkload({ title: 'redis-semaphore', npmPackage: 'redis-semaphore', workload: 'lock', variants: VARIANTS, open });
