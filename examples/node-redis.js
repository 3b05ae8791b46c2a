/**
 * A confirmed write through node-redis and Redis Sentinel. Copy this file; it needs `redis` only. README.md says how to use it.
 *
 * It does not use createSentinel, which may send a command twice, and may send SET and WAIT on two connections. It asks the
 * Sentinels itself. A client for the primary connects only once; when its connection is lost, a new client takes its place.
 *
 * @typedef {{outcome: 'acked' | 'under-acked' | 'rejected' | 'unknown', replicas: number, error?: Error}} Answer
 * @typedef {{host: string, port: number}} Address
 * @typedef {import('redis').RedisClientOptions} ClientOptions passwords, TLS
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, ErrorReply } from 'redis';

const CONNECT_MS = 5000;
/** A primary that owes an answer for so long hangs. Its connection is closed. */
const HANGS_MS = 2000;

/**
 * @param {{sentinels: Address[], name: string, nodeClientOptions?: ClientOptions, sentinelClientOptions?: ClientOptions,
 *   nodeAddressMap?: Record<string, Address>}} options as those of createSentinel
 * @returns rejects if it is not connected to a primary within 5 s
 */
export async function connect({ sentinels, name, nodeClientOptions, sentinelClientOptions, nodeAddressMap = {} }) {
  let client = createClient();
  let [current, announced, isClosed, unanswered] = ['', '', false, 0];

  const watchers = sentinels.map((address) => newClient(address, sentinelClientOptions));
  for (const watcher of watchers) {
    const connected = watcher.connect().then(() => watcher.subscribe('+switch-master', onSwitch));
    connected.catch(() => watcher.destroy());
  }

  /** Leaves the old primary. @param {string} message such as `mymaster 10.0.0.1 6379 10.0.0.2 6379` */
  function onSwitch(message) {
    const [switched, , , ...address] = message.split(' ');
    if (switched !== name || current === address.join(' ')) return;
    announced = address.join(' ');
    client.destroy();
  }

  /** Resolves or rejects when the connection is lost. */
  async function useConnection() {
    const ready = watchers.filter(({ isReady }) => isReady);
    const answers = ready.map((watcher) => watcher.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]));
    const answer = [await Promise.any(answers)].flat().join(' ');
    // A Sentinel that answers first may not know the new primary yet.
    [current, announced] = [announced || answer, ''];
    const [host, port] = current.split(' ');
    const address = nodeAddressMap[`${host}:${port}`] ?? { host, port: Number(port) };
    const next = newClient(address, nodeClientOptions, { reconnectStrategy: false });
    client = next;
    const lost = new Promise((resolve) => next.once('terminated', resolve).once('end', resolve));
    const hangs = setTimeout(() => next.destroy(), HANGS_MS);
    await next.connect().finally(() => clearTimeout(hangs));
    await lost;
  }

  async function stayConnected() {
    for (; !isClosed; await sleep(100)) {
      await useConnection().catch(() => {}); // try again
      client.destroy();
    }
  }

  /**
   * Never rejects.
   * @param {string} key
   * @param {string} value
   * @param {{replicas?: number, timeoutMs?: number}} [options] of WAIT
   * @returns {Promise<Answer>}
   */
  async function confirmedSet(key, value, { replicas = 1, timeoutMs = 1000 } = {}) {
    const connection = client; // SET and WAIT stay on this one.
    if (!connection.isReady)
      return { outcome: 'rejected', replicas: 0, error: new Error('not connected, nothing sent') };
    // The writes before this one may each take their whole time-out.
    const hangs = setTimeout(() => connection.destroy(), HANGS_MS + ++unanswered * timeoutMs);
    const [set, wait] = await Promise.allSettled([connection.set(key, value), connection.wait(replicas, timeoutMs)]);
    clearTimeout(hangs);
    unanswered--;
    if (set.status === 'rejected') {
      const isReply = set.reason instanceof ErrorReply;
      if (isReply && set.reason.message.startsWith('READONLY')) connection.destroy();
      return { outcome: isReply ? 'rejected' : 'unknown', replicas: 0, error: set.reason };
    }
    if (wait.status === 'rejected') return { outcome: 'unknown', replicas: 0, error: wait.reason };
    return { outcome: wait.value >= replicas ? 'acked' : 'under-acked', replicas: wait.value };
  }

  function close() {
    isClosed = true;
    for (const each of [client, ...watchers]) each.destroy();
  }

  stayConnected();
  for (const end = Date.now() + CONNECT_MS; !client.isReady; await sleep(10)) {
    if (Date.now() < end) continue;
    close();
    throw new Error(`not connected to the primary of ${name} within ${CONNECT_MS / 1000} s`);
  }
  return { confirmedSet, close };
}

/** @param {Address} address @param {ClientOptions} [options] @param {ClientOptions['socket']} [socket] */
function newClient(address, options, socket) {
  const merged = /** @type {ClientOptions['socket']} */ ({ ...options?.socket, ...address, ...socket });
  const client = createClient({ ...options, socket: merged });
  client.on('error', () => {}); // Each command reports its own error.
  return client;
}
