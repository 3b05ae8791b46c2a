/**
 * The Sentinel client of node-redis as an application uses it: with its default options, apart from those needed to reach the nodes.
 * Defaults that matter, as of node-redis 6 (lib/sentinel/index.js, lib/client/):
 * - `masterPoolSize` 1: all commands share one connection to the primary, and no command waits for its turn.
 * - `maxCommandRediscovers` 16: it sends a command again on the next connection, up to 16 times, if it failed with READONLY, or with any
 *   error while the connection was not ready. It stops looking for the primary after 17 failures, a second apart.
 * - `commandOptions.timeout` 5000: only for commands that are not written yet; a command that was sent has no time-out.
 * - `socket.connectTimeout` 5000; `socket.reconnectStrategy`: tries again without end, at growing intervals of up to 2 s.
 * - `nodeClientOptions.disableOfflineQueue` false: commands not written yet wait for the next connection.
 * - `scanInterval` 0: it asks the Sentinels again when a connection fails, or when the one Sentinel it listens to says +sdown, -sdown,
 *   +odown, -odown, +slave, +sentinel or +slave-reconf-done. (It subscribes to `switch-master`; the channel's name is `+switch-master`.)
 * @import { Login } from '../stacks/redis/control.js'
 * @import { SentinelClient, SentinelOptions } from './sentinel-client.js'
 * @import { Socket } from 'node:net'
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import pTimeout from 'p-timeout';
import { createSentinel, ErrorReply } from 'redis';
import { natMap } from '../stacks/address.js';
import { loginFor } from '../stacks/redis/control.js';
import { tlsConnectOptions } from './dial.js';
import { connected, nodeNumber } from './sentinel-client.js';

/** Which client opens a socket: the library does not say. */
const opening = new AsyncLocalStorage();

/** The library may be pausing before it looks for the primary again. It ends after that pause; no socket is left by then. */
const DESTROY_MS = 100;

const ENDED = 'ended by this side';

/** @param {Omit<SentinelOptions, 'onMove'>} options @returns what node-redis needs to reach the nodes */
export function nodeRedisOptions({ sentinels, nodes, masterName, credentials }) {
  return {
    name: masterName,
    sentinelRootNodes: sentinels.map(({ host, port }) => ({ host, port })),
    nodeAddressMap: natMap({ nodes: nodes.map((node) => ({ ...node, id: '', kind: 'redis' })) }),
    nodeClientOptions: clientOptions(loginFor(credentials, 'redis')),
    sentinelClientOptions: clientOptions(loginFor(credentials, 'sentinel')),
  };
}

/** @param {SentinelOptions} options @returns {Promise<SentinelClient>} rejects when it is not connected within 5 s */
export async function connectSentinelRedis({ onMove, ...options }) {
  const { sentinels, nodes, credentials } = options;
  const mark = Symbol('sentinel');
  const sockets = /** @type {Set<Socket>} */ (new Set());
  let opened = 0;
  const sentinelNodes = sentinels.map((address) => ({ address }));
  const state = { generation: 0, node: 0 };
  let destroyed = false;

  /** @param {unknown} message */
  const onSocket = (message) => {
    if (opening.getStore() !== mark) return;
    const { socket } = /** @type {{socket: Socket}} */ (message);
    sockets.add(socket);
    let generation = 0;
    socket.once('connect', () => {
      if (nodeNumber(sentinelNodes, socket) > 0) return;
      generation = ++opened;
      const node = nodeNumber(nodes, socket);
      // At a failover two connections may open, and the library need not use the later one. It uses the one that answered
      // last. A command's promise continues only after all listeners have seen its answer.
      const isUsed = () => {
        state.generation = generation;
        state.node = node;
      };
      isUsed();
      socket.on('data', isUsed);
      onMove(node);
    });
    socket.once('close', () => {
      sockets.delete(socket);
      if (generation === state.generation) state.node = 0;
    });
    // Later: the library is about to connect it, which would undo this.
    if (destroyed) setImmediate(() => socket.destroy(new Error(ENDED)));
  };
  diagnostics.subscribe('net.client.socket', onSocket);

  const sentinel = createSentinel(nodeRedisOptions(options));
  // Errors reach us through the commands' promises.
  sentinel.on('error', () => {});
  // The channel does not announce TLS sockets; the library announces a new primary.
  sentinel.on('topology-change', ({ type, node }) => {
    if (!credentials.tls || type !== 'MASTER_CHANGE') return;
    state.generation++;
    state.node = nodes.findIndex(({ announced }) => announced.host === node.host && announced.port === node.port) + 1;
    onMove(state.node);
  });

  const destroy = async () => {
    if (destroyed) return;
    destroyed = true;
    const ended = sentinel.destroy().catch(() => {});
    // With an error: otherwise the library waits for the socket without end.
    for (const socket of sockets) socket.destroy(new Error(ENDED));
    ended.then(() => diagnostics.unsubscribe('net.client.socket', onSocket));
    await pTimeout(ended, { milliseconds: DESTROY_MS, message: false });
  };

  const connecting = opening.run(mark, () => sentinel.connect());
  await connected(connecting, destroy);
  return Object.assign(state, {
    append: (/** @type {string} */ key, /** @type {string} */ value) =>
      opening.run(mark, () => sentinel.append(key, value)),
    call: (/** @type {string[]} */ command) => opening.run(mark, () => sentinel.sendCommand(false, command)),
    isReply: (/** @type {unknown} */ error) => error instanceof ErrorReply,
    destroy,
  });
}

/** @param {Login} login @returns {NonNullable<Parameters<typeof createSentinel>[0]['nodeClientOptions']>} */
function clientOptions({ username, password, tls }) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { socket: { tls: true, ...tlsConnectOptions(tls) } }),
  };
}
