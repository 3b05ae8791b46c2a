/**
 * The Sentinel client of node-redis as an application uses it: with its default options. Only what it takes to reach the
 * nodes is given.
 *
 * Defaults that matter, as of node-redis 6 (lib/sentinel/index.js, lib/client/):
 * - `masterPoolSize` 1: all commands share one connection to the primary; they hold it together, so none waits for a turn.
 * - `maxCommandRediscovers` 16: a command that fails with READONLY, or with any error while the connection is not ready (so
 *   also one that was sent and whose connection was lost before its answer), is sent again on the next connection, up to
 *   16 times. While there is no connection it waits, and that does not count. Looking for the primary is given up
 *   after 17 failures, a second apart.
 * - `commandOptions.timeout` 5000: for commands that are not written yet only; one that was sent has no time-out.
 * - `socket.connectTimeout` 5000; `socket.reconnectStrategy`: tries again for ever, at growing intervals up to 2 s.
 * - `nodeClientOptions.disableOfflineQueue` false: what is not written yet waits for the next connection.
 * - `scanInterval` 0: the Sentinels are asked again when a connection fails, or when the one Sentinel it listens to says
 *   +sdown, -sdown, +odown, -odown, +slave, +sentinel or +slave-reconf-done. (It subscribes to `switch-master`, too; the
 *   channel's name is `+switch-master`.)
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import { createSentinel, ErrorReply } from 'redis';
import { natMap } from '../stacks/address.js';
import { loginFor, tlsConnectOptions } from '../stacks/redis/control.js';
import { nodeNumber, withinDeadline } from './sentinel-common.js';

/**
 * @import { Login } from '../stacks/redis/control.js'
 * @import { SentinelClient, SentinelOptions } from './sentinel-common.js'
 * @import { Socket } from 'node:net'
 */

/** Whose sockets are being opened: the library does not tell of them. */
const opening = new AsyncLocalStorage();

/** The library may be pausing before it looks for the primary again; it ends after that, with no socket left by then. */
const DESTROY_MS = 100;

const ENDED = 'ended by this side';

/**
 * @param {SentinelOptions} options
 * @returns {Promise<SentinelClient>} rejects when it is not connected within 5 s
 */
export async function connectSentinelRedis({ sentinels, nodes, masterName, credentials, onMove }) {
  const mark = Symbol('sentinel');
  /** @type {Set<Socket>} */
  const sockets = new Set();
  let opened = 0;
  const state = { generation: 0, node: 0 };
  let destroyed = false;

  /** @param {unknown} message */
  const onSocket = (message) => {
    if (opening.getStore() !== mark) return;
    const { socket } = /** @type {{socket: Socket}} */ (message);
    sockets.add(socket);
    let generation = 0;
    socket.once('connect', () => {
      if (isSentinel(socket, sentinels)) return;
      generation = ++opened;
      const node = nodeNumber(nodes, socket);
      // Of two connections under way at a failover the one that is there last need not be the one that is used: what was
      // answered last tells. A command's promise goes on only after all listeners have seen its answer.
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
    // Not at once: it is about to be connected, which would undo that.
    if (destroyed) setImmediate(() => socket.destroy(new Error(ENDED)));
  };
  diagnostics.subscribe('net.client.socket', onSocket);

  const sentinel = createSentinel({
    name: masterName,
    sentinelRootNodes: sentinels.map(({ host, port }) => ({ host, port })),
    nodeAddressMap: natMap({ nodes: nodes.map((node) => ({ ...node, id: '', kind: 'redis' })) }),
    nodeClientOptions: clientOptions(loginFor(credentials, 'redis')),
    sentinelClientOptions: clientOptions(loginFor(credentials, 'sentinel')),
  });
  // Its errors come back through the commands' promises.
  sentinel.on('error', () => {});
  // Sockets with TLS are not announced; a new primary is.
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
    // With an error: the library waits for ever for a socket that was closed without one.
    for (const socket of sockets) socket.destroy(new Error(ENDED));
    ended.then(() => diagnostics.unsubscribe('net.client.socket', onSocket));
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, DESTROY_MS);
    });
    await Promise.race([ended, late]);
    clearTimeout(timer);
  };

  try {
    await withinDeadline(opening.run(mark, () => sentinel.connect()));
  } catch (error) {
    await destroy();
    throw error;
  }
  return {
    append: (key, value) => opening.run(mark, () => sentinel.append(key, value)),
    wait: (replicas, timeoutMs) => opening.run(mark, () => sentinel.wait(replicas, timeoutMs)),
    call: (command) => opening.run(mark, () => sentinel.sendCommand(false, command)),
    get generation() {
      return state.generation;
    },
    get node() {
      return state.node;
    },
    isReply: (error) => error instanceof ErrorReply,
    destroy,
  };
}

/**
 * @param {Login} login
 * @returns {NonNullable<Parameters<typeof createSentinel>[0]['nodeClientOptions']>}
 */
function clientOptions({ username, password, tls }) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { socket: { tls: true, ...tlsConnectOptions(tls) } }),
  };
}

/**
 * @param {Socket} socket connected
 * @param {SentinelOptions['sentinels']} sentinels
 */
function isSentinel(socket, sentinels) {
  return (
    nodeNumber(
      sentinels.map((address) => ({ address })),
      socket,
    ) > 0
  );
}
