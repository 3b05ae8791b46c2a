/**
 * The `ioredis` client: what an application with the ioredis library sees.
 * Commands sent together go through `pipeline()`, with a result for each. A single write is a plain `set()`.
 * Switched off: reconnecting, resending unanswered commands, the offline queue, the ready check (an INFO that delays commands while a node
 * loads) and auto-pipelining.
 * @import { Client, Target } from './types.js'
 * @import { RedisOptions } from 'ioredis'
 */
import { Redis, ReplyError } from 'ioredis';
import { CONNECT_TIMEOUT_MS, reach, tlsConnectOptions } from './dial.js';
import { LibraryConnection } from './library.js';

/** @param {Target} target @returns {RedisOptions} */
function optionsFor({ host, port, credentials }) {
  const tls = credentials?.tls;
  return {
    host,
    port,
    username: credentials?.username,
    password: credentials?.password,
    ...(tls && { tls: tlsConnectOptions(tls) }),
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // How long a disconnect may wait for the node to close its side; a paused node never does.
    disconnectTimeout: 0,
    retryStrategy: () => null,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    enableAutoPipelining: false,
  };
}

/** @type {Client} */
export const client = {
  name: 'ioredis',
  async connect(target, shape) {
    const client = new Redis(optionsFor(target));
    let connection = /** @type {LibraryConnection | undefined} */ (undefined);
    let firstError = /** @type {Error | undefined} */ (undefined);
    client.on('error', (error) => {
      firstError ??= error;
      // Also emitted for a reply without a command, after which the library would go on reading.
      connection?.lose(error);
      client.disconnect();
    });
    const ended = new Promise((resolve) => {
      client.once('end', () => {
        connection?.lose(firstError ?? 'by the server');
        resolve(undefined);
      });
    });
    const drop = () => {
      client.disconnect();
      return ended;
    };
    await reach(target, client.connect(), drop, () => firstError);
    connection = new LibraryConnection(shape, {
      ErrorReply: ReplyError,
      writable: () => client.status === 'ready' && client.stream.writable,
      send(batch) {
        const isOne = shape.pipeline === 1;
        if (isOne && batch.fetched) batch.readEach(client);
        else if (isOne && !batch.waitsAtOnce && !shape.transaction) batch.writeEach(client);
        else sendTogether(client, batch);
      },
      call: ([command, ...args]) => client.call(command, ...args),
      get: (key) => client.get(key),
      drop,
    });
    return connection;
  },
};

/** @param {Redis} client @param {LibraryConnection} batch */
function sendTogether(client, batch) {
  const { pipeline, transaction } = batch.shape;
  const commands = transaction && !batch.fetched ? client.multi() : client.pipeline();
  for (let i = 0; i < pipeline; i++) {
    if (batch.pings) commands.ping();
    else if (batch.fetched) commands.get(batch.key(i));
    else commands.set(batch.key(i), batch.value);
  }
  if (batch.waitsAtOnce) {
    const [command, ...args] = /** @type {string[]} */ (batch.waitCommand);
    commands.call(command, ...args);
  }
  const settle = (/** @type {[Error | null, unknown][] | null} */ results) => {
    for (let i = 0; i < pipeline; i++) {
      const [error, reply] = results?.[i] ?? [];
      if (error) batch.failed(i, error);
      else batch.answered(i, reply);
    }
    if (batch.waitsAtOnce) {
      const [error, count] = results?.[pipeline] ?? [];
      if (error) batch.waitFailed(error);
      else batch.waited(count);
    }
  };
  // Rejected: a transaction that was not executed. Every other failure is part of the results.
  commands.exec().then(settle, (error) => batch.allFailed(error));
}
