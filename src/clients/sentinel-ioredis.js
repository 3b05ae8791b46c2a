/**
 * The Sentinel client of ioredis as an application uses it: with its default options. Only what it takes to reach the nodes
 * is given.
 *
 * Defaults that matter, as of ioredis 6 (redis/RedisOptions.js, redis/event_handler.js, connectors/SentinelConnector/):
 * - `failoverDetector` false: it does not listen to the Sentinels; it asks them only when the connection is lost.
 * - `autoResendUnfulfilledCommands` true: what was sent and not answered is sent again on the next connection.
 * - `enableOfflineQueue` true: commands wait, without limit, while there is no connection.
 * - `maxRetriesPerRequest` 20: all that waits is rejected when 20 attempts to reconnect have failed.
 * - `commandTimeout`, `socketTimeout`: not set. A primary that stands still hangs every command.
 * - `reconnectOnError` null: READONLY is handed to the application, and the connection stays where it is.
 * - `connectTimeout` 10000; `retryStrategy`: 50 ms, doubling up to 5 s, and up to 200 ms at random;
 *   `sentinelRetryStrategy`: 10 ms more each time, up to 1 s.
 * - `enableReadyCheck` true, `role` `master`: a node that loads, or says it is no primary, is left again.
 */
import { Redis, ReplyError } from 'ioredis';
import { natMap } from '../stacks/address.js';
import { loginFor, tlsConnectOptions } from '../stacks/redis/control.js';
import { nodeNumber, withinDeadline } from './sentinel-common.js';

/** @import { SentinelClient, SentinelOptions } from './sentinel-common.js' */

/**
 * @param {SentinelOptions} options
 * @returns {Promise<SentinelClient>} rejects when it is not connected within 5 s
 */
export async function connectSentinelIoredis({ sentinels, nodes, masterName, credentials, onMove }) {
  const login = loginFor(credentials, 'redis');
  const sentinelLogin = loginFor(credentials, 'sentinel');
  const tls = login.tls && tlsConnectOptions(login.tls);
  const redis = new Redis({
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: masterName,
    natMap: natMap({ nodes: nodes.map((node) => ({ ...node, id: '', kind: 'redis' })) }),
    username: login.username,
    password: login.password,
    sentinelUsername: sentinelLogin.username,
    sentinelPassword: sentinelLogin.password,
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  });
  const state = { generation: 0, node: 0 };
  // Its errors come back through the commands' promises.
  redis.on('error', () => {});
  // Nothing is written to a connection before it is ready.
  redis.on('ready', () => {
    state.generation++;
    state.node = nodeNumber(nodes, redis.stream);
    onMove(state.node);
  });
  redis.on('close', () => {
    state.node = 0;
  });
  const destroy = async () => {
    const { stream } = redis;
    redis.disconnect();
    // It would wait for the node to close its side, up to `disconnectTimeout`.
    stream?.destroy();
  };
  try {
    await withinDeadline(
      new Promise((resolve) => {
        redis.once('ready', resolve);
      }),
    );
  } catch (error) {
    await destroy();
    throw error;
  }
  return {
    append: (key, value) => redis.append(key, value),
    wait: (replicas, timeoutMs) => redis.wait(replicas, timeoutMs),
    call: ([command, ...args]) => redis.call(command, ...args),
    get generation() {
      return state.generation;
    },
    get node() {
      return state.node;
    },
    isReply: (error) => error instanceof ReplyError,
    destroy,
  };
}
