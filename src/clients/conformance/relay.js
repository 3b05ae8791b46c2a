/** A relay to put before a node: what a client sends can be seen there, and what the node answers be held back. */
import { once } from 'node:events';
import net from 'node:net';

/** @import { Address } from '../../stacks/types.js' */

const HOST = '127.0.0.1';

/**
 * A relay before a node: it counts what a client sends and holds back what the node answers.
 * @typedef {Awaited<ReturnType<typeof startRelay>>} CountingRelay
 * @param {Address} node
 */
export async function startRelay(node) {
  let sent = '';
  let accepted = 0;
  let allowed = Number.POSITIVE_INFINITY;
  /** @type {Set<{client: net.Socket, upstream: net.Socket, heldBytes: Buffer}>} */
  const links = new Set();

  /** Passes on as many replies as are allowed; each of those held back here is one line. */
  function pass() {
    for (const link of links) {
      while (allowed > 0 && link.heldBytes.length > 0) {
        const end = allowed === Number.POSITIVE_INFINITY ? link.heldBytes.length : link.heldBytes.indexOf('\r\n') + 2;
        if (end < 2) break;
        link.client.write(link.heldBytes.subarray(0, end));
        link.heldBytes = link.heldBytes.subarray(end);
        allowed--;
      }
    }
  }

  const server = net.createServer((client) => {
    accepted++;
    const upstream = net.connect(node.port, node.host);
    const link = { client, upstream, heldBytes: Buffer.alloc(0) };
    links.add(link);
    client.on('data', (bytes) => {
      sent += bytes.toString('latin1');
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      link.heldBytes = Buffer.concat([link.heldBytes, bytes]);
      pass();
    });
    for (const socket of [client, upstream]) {
      // Either side may go first, and with an error; what counts is what the client makes of it.
      socket.on('error', () => {});
      socket.on('close', () => {
        links.delete(link);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, HOST);
  await once(server, 'listening');

  return {
    address: { host: HOST, port: /** @type {net.AddressInfo} */ (server.address()).port },
    /** How many connections were made to it. */
    accepted: () => accepted,
    /** How often a command arrived. @param {string} name */
    seen: (name) => sent.match(new RegExp(`\\$${name.length}\r\n${name}\r\n`, 'gi'))?.length ?? 0,
    /** How many more replies may pass. @param {number} replies */
    allow(replies) {
      allowed = replies;
      pass();
    },
    /** Replies that are held back now. */
    heldLines: () =>
      [...links].reduce((lines, link) => lines + link.heldBytes.toString('latin1').split('\r\n').length - 1, 0),
    /** Answers in the node's stead. @param {string} bytes */
    say(bytes) {
      for (const link of links) link.client.write(bytes);
    },
    /** Cuts every connection; new ones are welcome. */
    cut() {
      for (const link of links) link.client.destroy();
    },
    /**
     * A command that passes through at once while the client's replies are held back, so that whatever the client
     * had sent before has arrived too.
     */
    async barrier() {
      const socket = net.connect(node.port, node.host);
      socket.end('PING\r\n');
      for await (const _ of socket);
      await new Promise(setImmediate);
    },
    async close() {
      this.cut();
      server.close();
      await once(server, 'close');
    },
  };
}
