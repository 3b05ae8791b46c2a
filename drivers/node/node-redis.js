/** node-redis: createSentinel. */
import { createSentinel } from 'redis';
import { confirming, tlsOptions } from './protocol.js';
import { run } from './run.js';

const VARIANTS = {
  // One connection for all commands. A command that was sent has no time-out. After READONLY or a lost connection the
  // library sends a command again, up to 16 times.
  defaults: {},
  best: {
    maxCommandRediscovers: 0,
    // The documentation calls this the default. In the code it is 0, which means never.
    scanInterval: 10_000,
    nodeClientOptions: { disableOfflineQueue: true, socket: { socketTimeout: 3000 } },
  },
};

async function connect(task) {
  const { nodeClientOptions, ...options } = VARIANTS[task.variant];
  const sentinel = createSentinel({
    name: task.masterName,
    sentinelRootNodes: task.sentinels,
    nodeClientOptions: loginFor(task, task.username, task.password, nodeClientOptions),
    sentinelClientOptions: loginFor(task, task.sentinelUsername, task.sentinelPassword),
    ...options,
  });
  sentinel.on('error', () => {});
  await sentinel.connect();

  const put = task.command === 'SET' ? 'set' : 'append';
  const { replicas, timeoutMs } = task.wait ?? {};

  async function write(key, value) {
    await sentinel[put](key, value);
    return task.wait ? confirming(sentinel.wait(replicas, timeoutMs)) : -1;
  }

  /**
   * Both commands are sent at once, on the one connection. A pipeline, `multi().execAsPipeline()`, would hide the answer of the
   * write when WAIT fails. A lease for each write, `use()`, costs tens of milliseconds of processor time: the library makes a
   * class for each lease.
   */
  async function writeAtOnce(key, value) {
    const written = sentinel[put](key, value);
    const count = task.wait ? confirming(sentinel.wait(replicas, timeoutMs)) : -1;
    await written;
    return count;
  }
  return task.variant === 'best' ? writeAtOnce : write;
}

function loginFor(task, username, password, { socket, ...options } = {}) {
  const tls = tlsOptions(task);
  return {
    ...options,
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    socket: { ...socket, ...(tls && { tls: true, ...tls }) },
  };
}

run({
  library: 'node-redis',
  npmPackage: 'redis',
  variants: VARIANTS,
  wait: () => 'same-connection',
  pipeline: () => true,
  connect,
});
