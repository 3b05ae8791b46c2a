/**
 * The `redis` client: what an application with the node-redis library sees.
 * The commands of a batch are issued in one turn of the event loop. That is how node-redis pipelines: it writes them, corked, at the end of
 * the turn. Its `multi().execAsPipeline()` rejects as a whole at the first error, which hides the other writes' answers.
 *
 * Switched off: reconnecting (and so resending), the offline queue, and maintenance notifications, which move a connection to another node.
 * Left on, because applications have it: the time-out of 5 s on commands not written yet. It makes a timer for each command, which costs
 * large batches most of their throughput.
 * @import { Client, Target } from './types.js'
 */
import { createClient, ErrorReply, MultiErrorReply } from 'redis';
import { CONNECT_TIMEOUT_MS, reach, tlsConnectOptions } from './dial.js';
import { LibraryConnection } from './library.js';

function optionsFor(/** @type {Target} */ { host, port, credentials }) {
  const tls = credentials?.tls;
  const socket = { host, port, connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: /** @type {const} */ (false) };
  return {
    username: credentials?.username,
    password: credentials?.password,
    socket: tls ? { ...socket, tls: /** @type {const} */ (true), ...tlsConnectOptions(tls) } : socket,
    disableOfflineQueue: true,
    maintNotifications: /** @type {const} */ ('disabled'),
  };
}

/** @type {Client} */
export const client = {
  name: 'redis',
  async connect(target, shape) {
    const client = createClient(optionsFor(target));
    let connection = /** @type {LibraryConnection | undefined} */ (undefined);
    client.on('error', (error) => {
      // Also emitted for a reply that cannot be parsed, after which the library would go on reading.
      connection?.lose(error);
      client.destroy();
    });
    await reach(target, client.connect(), () => client.destroy());
    connection = new LibraryConnection(shape, {
      ErrorReply,
      writable: () => client.isReady,
      send(batch) {
        if (batch.fetched) batch.readEach(client);
        else if (shape.transaction) sendTransaction(client, batch);
        else batch.writeEach(client);
      },
      call: (words) => client.sendCommand(words),
      get: (key) => client.get(key),
      drop: () => client.destroy(),
    });
    return connection;
  },
};

/** @param {import('redis').RedisClientType<{}, {}, {}, 3, {}>} client @param {LibraryConnection} batch */
function sendTransaction(client, batch) {
  const transaction = client.multi();
  for (let i = 0; i < batch.shape.pipeline; i++) transaction.set(batch.key(i), batch.value);
  const settle = (/** @type {unknown[]} */ replies) => {
    for (const [i, reply] of replies.entries()) {
      if (reply instanceof Error) batch.failed(i, reply);
      else batch.answered(i, reply);
    }
  };
  transaction.exec().then(settle, (error) => {
    // Executed, with an error as the answer of some writes.
    if (error instanceof MultiErrorReply) settle(error.replies);
    else batch.allFailed(error);
  });
}
