import { tlsConnectOptions } from '../../clients/dial.js';
import { parseInfo } from '../../resp/info.js';
import { fromOutside, keepSecret } from '../../untrusted.js';
import { askOnce } from '../ask.js';

/** Control connections: a few commands to one node, which answers soon or not at all. Nothing is retried or queued for later. */
/** @import { Address, Credentials, NodeKind, TlsOptions } from '../types.js' */
/** @typedef {{username?: string, password?: string, tls?: TlsOptions}} Login */
/** @typedef {import('../types.js').Control} Control `call` answers as RESP2 has it; `info` asks INFO for these sections */

/** A running node answers within this. A paused one must not delay the caller. */
const DEFAULT_TIMEOUT_MS = 1000;
export const SLOW_TIMEOUT_MS = 3000;

/** A stall of this process counts as one part of a time-out, however long it was. */
const PARTS = 10;

/** The longest real replies, of CLIENT LIST, have a few megabytes. */
const MOST_REPLY_BYTES = 64 * 1024 * 1024;

const CLOSE_TIMEOUT_MS = 50;

/**
 * Connects to a Redis node or a Sentinel. @param {Address} address @param {Login} [login]
 * @param {{timeoutMs?: number}} [limits] for connecting and for each command, in time during which this process runs
 * @returns {Promise<Control>} rejects with the first cause: refused, timed out, wrong password, certificate …
 */
export async function connectControl(address, login = {}, { timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
  keepSecret(login.password);
  // Many commands never need the library, which takes long to load.
  const { Redis } = await import('ioredis');
  const redis = new Redis({
    ...plainOptions(address, login),
    retryStrategy: null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 0,
    disconnectTimeout: CLOSE_TIMEOUT_MS,
  });

  // ioredis rejects what is under way with a general 'Connection is closed'; the event before it names the cause.
  let cause = /** @type {Error | null} */ (null);
  redis.on('error', (error) => {
    cause ??= error;
  });

  let received = 0;
  redis.on('connect', () => {
    redis.stream.on('data', (chunk) => {
      received += chunk.length;
      if (received <= MOST_REPLY_BYTES) return;
      cause ??= new Error(`it sent more than ${MOST_REPLY_BYTES / 2 ** 20} MiB for one command`);
      redis.disconnect();
    });
  });

  try {
    await within(redis.connect(), timeoutMs, () =>
      Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' }),
    );
  } catch (error) {
    redis.disconnect();
    throw fitToShow(cause ?? error);
  }

  /** @type {Control['call']} */
  async function call(command, ...args) {
    try {
      return await within(redis.call(command, ...args), timeoutMs, () => new Error('Command timed out'));
    } catch (error) {
      throw fitToShow(isReplyError(error) ? error : (cause ?? error));
    } finally {
      received = 0;
    }
  }

  return {
    call,
    async info(...sections) {
      // One INFO a section: several in one command need Redis 7.
      const requests = sections.length === 0 ? [call('INFO')] : sections.map((section) => call('INFO', section));
      const texts = await Promise.all(requests);
      return Object.assign({}, ...texts.map((text) => parseInfo(String(text))));
    },
    lost: () => redis.status !== 'ready',
    close() {
      redis.disconnect();
    },
  };
}

/** @param {Address} address @param {Login} login @returns {import('ioredis').RedisOptions} of connections that do nothing by themselves */
export function plainOptions({ host, port }, { username, password, tls }) {
  return {
    ...{ host, port, username, password },
    tls: tls && tlsConnectOptions(tls),
    protocol: 2,
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
  };
}

/**
 * A deadline in time during which this process runs. When the machine stalls, late timers run before replies are read: by the clock alone, a
 * healthy node could seem silent.
 * @template T @param {Promise<T>} promise @param {number} ms @param {() => Error} late @returns {Promise<T>}
 */
function within(promise, ms, late) {
  return new Promise((resolve, reject) => {
    let left = PARTS;
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0) end(reject)(late());
    }, ms / PARTS);
    /** @template V @param {(value: V) => void} settle */
    const end = (settle) => (/** @type {V} */ value) => {
      clearInterval(timer);
      settle(value);
    };
    promise.then(end(resolve), end(reject));
  });
}

/** Removes the failed command, which may hold a password, from the library's error, and cleans its message. @param {unknown} error */
function fitToShow(error) {
  if (error instanceof Error) {
    error.message = fromOutside(error.message);
    if ('command' in error) delete error.command;
  }
  return error;
}

/** Else the connection failed. @param {unknown} error @returns {error is Error} */
export function isReplyError(error) {
  return error instanceof Error && error.name === 'ReplyError';
}

/**
 * Asks over a connection of its own, in the network of a deployment, which may be slow. @template T @param {Address} address
 * @param {Credentials} credentials @param {NodeKind} kind @param {(control: Control) => Promise<T>} question
 */
export function askAt(address, credentials, kind, question) {
  return askOnce(connectControl(address, loginFor(credentials, kind), { timeoutMs: SLOW_TIMEOUT_MS }), question);
}

/** @param {Credentials} credentials @param {NodeKind} kind @returns {Login} */
export function loginFor(credentials, kind) {
  return kind === 'sentinel'
    ? { username: credentials.sentinelUsername, password: credentials.sentinelPassword, tls: credentials.tls }
    : { username: credentials.username, password: credentials.password, tls: credentials.tls };
}
