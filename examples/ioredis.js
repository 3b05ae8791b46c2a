/**
 * A confirmed write through ioredis and Redis Sentinel. Copy this file; it needs `ioredis` only.
 *
 *   const client = await connect({ sentinels: [{ host: '10.0.0.5', port: 26379 }], name: 'mymaster' });
 *   const { outcome } = await client.confirmedSet('key', 'value', { replicas: 1, timeoutMs: 1000 });
 *
 * @typedef {Object} Answer
 * @property {'acked' | 'under-acked' | 'rejected' | 'unknown'} outcome README.md says what each one means
 * @property {number} replicas that confirmed the write; 0 if WAIT was not answered
 * @property {Error} [error] why it is rejected or unknown
 */
import { once } from 'node:events';
import { Redis, ReplyError } from 'ioredis';

/** More than any `timeoutMs`. A primary that is silent for so long hangs; its connection is closed. */
const SILENCE_MS = 3000;
const CONNECT_MS = 5000;
const RECONNECT_MS = 100;

/**
 * @param {import('ioredis').RedisOptions} options `sentinels`, `name`, and what your servers need: passwords, TLS
 * @returns rejects if there is no primary within 5 s
 */
export async function connect(options) {
  const redis = new Redis({
    ...options,
    // Leave the old primary at `+switch-master`. By default ioredis stays with it as long as it answers.
    failoverDetector: true,
    // A frozen primary does not close its side of the connection; do not wait for it.
    disconnectTimeout: 100,
    socketTimeout: SILENCE_MS,
    // By default ioredis sends unanswered commands again on the next connection. That writes twice, or it sends a WAIT on a
    // connection without the write. These two options reject the commands of a lost connection instead.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A write without a connection is rejected at once. It does not wait for the next primary.
    enableOfflineQueue: false,
    // A primary that was demoted: connect again. The command is not repeated.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    // After a lost connection: wait 100 ms, ask the Sentinels, connect to the primary they name; again and again.
    retryStrategy: () => RECONNECT_MS,
  });
  // Each write reports its own error.
  redis.on('error', () => {});
  // A +switch-master that arrives while ioredis connects ends its client for good. Connect again.
  let isClosed = false;
  redis.on('end', () => {
    if (!isClosed) setTimeout(() => isClosed || redis.connect().catch(() => {}), RECONNECT_MS);
  });

  /**
   * Never rejects.
   * @param {string} key
   * @param {string} value
   * @param {{replicas?: number, timeoutMs?: number}} [options] timeoutMs: of WAIT, 1 to 2000
   * @returns {Promise<Answer>}
   */
  async function confirmedSet(key, value, { replicas = 1, timeoutMs = 1000 } = {}) {
    if (redis.status !== 'ready' || !redis.stream.writable) {
      return { outcome: 'rejected', replicas: 0, error: new Error('not connected, nothing was sent') };
    }
    // Both are sent now, on this connection: WAIT covers the writes of its own connection only.
    const [set, wait] = await Promise.allSettled([redis.set(key, value), redis.wait(replicas, timeoutMs)]);
    if (set.status === 'rejected') {
      return { outcome: set.reason instanceof ReplyError ? 'rejected' : 'unknown', replicas: 0, error: set.reason };
    }
    if (wait.status === 'rejected') return { outcome: 'unknown', replicas: 0, error: wait.reason };
    // WAIT is no error when too few replicas confirm: read the count.
    return { outcome: wait.value >= replicas ? 'acked' : 'under-acked', replicas: wait.value };
  }

  function close() {
    isClosed = true;
    redis.disconnect();
    redis.stream?.destroy();
  }

  await once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_MS) }).catch((error) => {
    close();
    throw error;
  });
  return { confirmedSet, close };
}
