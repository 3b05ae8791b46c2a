/**
 * What stands before a node while a driver is checked: it answers some commands itself and asks for a login if the scenario says so. All
 * else it passes to the node, and its replies back, with the addresses of the fronts in place of those of the nodes.
 */
import { once } from 'node:events';
import net from 'node:net';
import { ReplyReader } from '../../resp/reader.js';
import { encodeCommand } from '../../resp/writer.js';
import { createTranslator } from '../sentinel-front.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { Address } from '../../stacks/types.js'
 *
 * @typedef {Object} NeededLogin what a client has to send
 * @property {string | null} username null: the user `default`
 * @property {string} password
 *
 * @typedef {Object} DriverConnection a connection of the driver
 * @property {number} id counted from 1
 * @property {boolean} open
 * @property {number} closedAt `now()`; 0: it is open
 * @property {() => void} destroy
 *
 * @typedef {(words: string[], client: DriverConnection) => string | Promise<string> | undefined} CommandHandler gets the whole command, resolves to its
 *   reply in RESP; undefined: none, and no other reply on this connection either
 *
 * @typedef {Object} FrontOptions
 * @property {Address} node
 * @property {ReadonlyMap<string, Address>} fronts by the addresses of their nodes
 * @property {NeededLogin | null} login null: none
 * @property {Readonly<Record<string, CommandHandler>>} commands that it answers, by name in capital letters
 */

export const OK = '+OK\r\n';
const WRONG_LOGIN = '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
const NO_LOGIN = '-NOAUTH Authentication required.\r\n';
/** A message of a channel, or a push: it answers no command. */
const MESSAGE = /^[*>](3\r\n\$7\r\nmessage|4\r\n\$8\r\npmessage)\r\n/;
/** `AUTH`, user name and password in HELLO. */
const WORDS_OF_LOGIN = 3;

/** @param {FrontOptions} options @returns {Promise<{address: Address, close: () => void}>} on a free port of loopback */
export async function openFront(options) {
  /** @type {Set<DriverConnection>} */
  const clients = new Set();
  let ids = 0;
  const listener = net.createServer((socket) => {
    /** @type {DriverConnection} */
    const client = { id: ++ids, open: true, closedAt: 0, destroy: () => void socket.destroy() };
    clients.add(client);
    socket.on('close', () => clients.delete(client));
    serve(socket, client, options);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = /** @type {AddressInfo} */ (listener.address());
  return {
    address: { host: '127.0.0.1', port },
    close() {
      listener.close();
      for (const client of clients) client.destroy();
    },
  };
}

/**
 * Answers what a client asks, in the order of its questions.
 * @param {Socket} socket
 * @param {DriverConnection} client
 * @param {FrontOptions} options
 */
function serve(socket, client, { node, fronts, login, commands }) {
  const upstream = net.connect(node.port, node.host);
  const translate = createTranslator(fronts);
  /** What was asked and not answered yet. A subscription is answered once for each channel. @type {{reply: string | null, passed: boolean}[]} */
  let waiting = [];
  let loggedIn = login === null;

  function flush() {
    while (waiting.length > 0 && waiting[0].reply !== null) socket.write(String(waiting.shift()?.reply), 'latin1');
  }

  /** @param {string[]} words @returns {{reply: string} | {pass: string[]}} */
  function checkLogin(words) {
    if (login === null) return { pass: words };
    const name = words[0].toUpperCase();
    const at = name === 'AUTH' ? 0 : name === 'HELLO' ? words.findIndex((word) => word.toUpperCase() === 'AUTH') : -1;
    if (at === -1) return loggedIn || name === 'QUIT' ? { pass: words } : { reply: NO_LOGIN };
    const credentials = words.slice(at + 1, at + WORDS_OF_LOGIN);
    const [username, password] = credentials.length > 1 ? credentials : ['default', credentials[0]];
    if (username !== (login.username ?? 'default') || password !== login.password) return { reply: WRONG_LOGIN };
    loggedIn = true;
    return name === 'AUTH' ? { reply: OK } : { pass: words.toSpliced(at, WORDS_OF_LOGIN) };
  }

  /** @param {string[]} words */
  function take(words) {
    const slots = Array.from({ length: repliesTo(words) }, () => ({
      reply: /** @type {string | null} */ (null),
      passed: false,
    }));
    const [slot] = slots;
    waiting.push(...slots);
    const settle = (/** @type {string} */ reply) => {
      slot.reply = reply;
      flush();
    };
    const checked = checkLogin(words);
    if ('reply' in checked) return settle(checked.reply);
    const command = commands[words[0].toUpperCase()];
    if (!command) {
      for (const each of slots) each.passed = true;
      upstream.write(encodeCommand(checked.pass));
      return;
    }
    const reply = command(words, client);
    if (reply instanceof Promise) reply.then(settle, () => {});
    else if (reply !== undefined) settle(reply);
  }

  const reader = new ReplyReader((command) => {
    if (Array.isArray(command) && command.length > 0) take(command.map(String));
  });
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    try {
      reader.receive(chunk);
    } catch {
      // Not RESP: Redis closes the connection, too.
      socket.destroy();
    }
  });
  upstream.on('data', (chunk) => {
    const replies = translate(chunk.toString('latin1'));
    if (replies === null) return socket.destroy();
    for (const reply of replies) {
      const slot = MESSAGE.test(reply)
        ? undefined
        : waiting.find(({ passed, reply: known }) => passed && known === null);
      if (slot) slot.reply = reply;
      else socket.write(reply, 'latin1');
    }
    flush();
  });
  for (const [side, other] of [
    [socket, upstream],
    [upstream, socket],
  ]) {
    side.on('error', () => {});
    side.on('close', () => other.destroy());
  }
  socket.on('close', () => {
    client.open = false;
    client.closedAt = now();
    waiting = [];
  });
}

/** @param {readonly string[]} words @returns {number} how often a server answers this command */
function repliesTo(words) {
  return /^[PS]?SUBSCRIBE$/i.test(words[0]) ? Math.max(1, words.length - 1) : 1;
}

/** @returns {number} milliseconds of CLOCK_MONOTONIC, with fractions */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
