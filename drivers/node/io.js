/** What ioredis and iovalkey have in common: iovalkey began as a copy of ioredis, and has the same options. */
import { confirming, tlsOptions } from './protocol.js';
import { run } from './run.js';

const VARIANTS = {
  // One connection for all commands. Unanswered commands are sent again on the next connection, and wait for it without
  // a time-out.
  defaults: {},
  best: {
    // Leaves the old primary at +switch-master.
    failoverDetector: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: 1000,
    disconnectTimeout: 100,
    socketTimeout: 3000,
    retryStrategy: () => 100,
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  },
};

/** @param Redis the class of the library */
export function runWith(Redis, library) {
  run({
    library,
    npmPackage: library,
    variants: VARIANTS,
    wait: () => 'same-connection',
    pipeline: () => true,
    connect: (task) => connect(Redis, task),
  });
}

async function connect(Redis, task) {
  const tls = tlsOptions(task);
  const redis = new Redis({
    sentinels: task.sentinels,
    name: task.masterName,
    username: task.username,
    password: task.password,
    sentinelUsername: task.sentinelUsername,
    sentinelPassword: task.sentinelPassword,
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
    ...VARIANTS[task.variant],
  });
  redis.on('error', () => {});
  await new Promise((resolve) => redis.once('ready', resolve));

  const put = task.command === 'SET' ? 'set' : 'append';
  const { replicas, timeoutMs } = task.wait ?? {};

  async function write(key, value) {
    await redis[put](key, value);
    return task.wait ? confirming(redis.wait(replicas, timeoutMs)) : -1;
  }

  /** Both commands are sent at once. */
  async function writePipelined(key, value) {
    const commands = redis.pipeline()[put](key, value);
    if (task.wait) commands.wait(replicas, timeoutMs);
    const [[error], waited] = await commands.exec();
    if (error) throw error;
    if (!waited) return -1;
    return confirming(waited[0] ? Promise.reject(waited[0]) : waited[1]);
  }
  return task.variant === 'best' ? writePipelined : write;
}
