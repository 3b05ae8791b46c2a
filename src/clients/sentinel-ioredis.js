/**
 * The Sentinel client of ioredis as an application uses it: with its default options, apart from those needed to reach the nodes.
 * Defaults that matter, as of ioredis 6 (redis/RedisOptions.js, redis/event_handler.js, connectors/SentinelConnector/):
 * - `failoverDetector` false: it does not listen to the Sentinels, and asks them only when the connection is lost.
 * - `autoResendUnfulfilledCommands` true: unanswered commands are sent again on the next connection.
 * - `enableOfflineQueue` true: commands wait, without limit, while there is no connection.
 * - `maxRetriesPerRequest` 20: waiting commands are rejected when 20 attempts to reconnect have failed.
 * - `commandTimeout`, `socketTimeout`: not set. A primary that hangs blocks every command.
 * - `reconnectOnError` null: the application gets READONLY, and the connection stays.
 * - `connectTimeout` 10000; `retryStrategy`: 50 ms, doubling up to 5 s; `sentinelRetryStrategy`: 10 ms more each time, up to 1 s.
 * - `enableReadyCheck` true, `role` `master`: it leaves a node that loads, or that says it is not the primary.
 * @import { RedisOptions } from 'ioredis'
 * @import { SentinelClient, SentinelOptions } from './sentinel-client.js'
 */
import { Redis, ReplyError } from 'ioredis';
import { natMap } from '../stacks/address.js';
import { loginFor } from '../stacks/redis/control.js';
import { tlsConnectOptions } from './dial.js';
import { connected, nodeNumber } from './sentinel-client.js';

/** @param {Omit<SentinelOptions, 'onMove'>} options @returns {RedisOptions} what ioredis needs to reach the nodes */
export function ioredisOptions({ sentinels, nodes, masterName, credentials }) {
  const login = loginFor(credentials, 'redis');
  const sentinelLogin = loginFor(credentials, 'sentinel');
  const tls = login.tls && tlsConnectOptions(login.tls);
  return {
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: masterName,
    natMap: natMap({ nodes: nodes.map((node) => ({ ...node, id: '', kind: 'redis' })) }),
    username: login.username,
    password: login.password,
    sentinelUsername: sentinelLogin.username,
    sentinelPassword: sentinelLogin.password,
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

/**
 * @param {SentinelOptions} options @param {Pick<RedisOptions, 'failoverDetector'>} [changes] of the defaults
 * @returns {Promise<SentinelClient>} rejects when it is not connected within 5 s
 */
export async function connectSentinelIoredis({ onMove, ...options }, changes) {
  const redis = new Redis({ ...ioredisOptions(options), ...changes });
  const state = { generation: 0, node: 0 };
  // Errors reach us through the commands' promises.
  redis.on('error', () => {});
  // The library writes nothing to a connection before it is ready.
  redis.on('ready', () => {
    state.generation++;
    state.node = nodeNumber(options.nodes, redis.stream);
    onMove(state.node);
  });
  redis.on('close', () => {
    state.node = 0;
  });
  const destroy = async () => {
    const { stream } = redis;
    redis.disconnect();
    // Otherwise it waits up to `disconnectTimeout` for the node to close its side.
    stream?.destroy();
  };
  await connected(new Promise((resolve) => redis.once('ready', resolve)), destroy);
  return Object.assign(state, {
    append: (/** @type {string} */ key, /** @type {string} */ value) => redis.append(key, value),
    call: (/** @type {string[]} */ [command, ...args]) => redis.call(command, ...args),
    isReply: (/** @type {unknown} */ error) => error instanceof ReplyError,
    destroy,
  });
}
