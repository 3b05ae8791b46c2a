/** rate-limiter-flexible: RateLimiterRedis, a fixed window that begins with the first request of a key. */
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { confirm, runWorkload, sentinelOptions } from './workload.js';

const VARIANTS = {
  // The documentation asks for no offline queue.
  defaults: { enableOfflineQueue: false },
  best: {
    enableOfflineQueue: false,
    failoverDetector: true,
    connectTimeout: 1000,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  },
};

async function open(task) {
  const storeClient = new Redis({ ...sentinelOptions(task), ...VARIANTS[task.variant] });
  storeClient.on('error', () => {});
  await new Promise((resolve) => storeClient.once('ready', resolve));
  const limiter = new RateLimiterRedis({
    storeClient,
    keyPrefix: '',
    points: task.limit,
    duration: task.windowMs / 1000,
  });

  return {
    async allow(key) {
      try {
        await limiter.consume(key);
      } catch (refusal) {
        // The library rejects with its answer when the limit is reached, and with an error when Redis fails.
        if (refusal instanceof RateLimiterRes) return false;
        throw refusal;
      }
      await confirm(storeClient, task);
      return true;
    },
  };
}

runWorkload({
  title: 'rate-limiter-flexible',
  npmPackage: 'rate-limiter-flexible',
  workload: 'limiter',
  variants: VARIANTS,
  open,
});
