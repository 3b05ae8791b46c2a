/**
 * What the scripted Redis nodes and Sentinels have in common: connections on loopback, logins, and the commands that every library sends
 * before it does anything.
 */
import { once } from 'node:events';
import net from 'node:net';
import { ReplyReader } from '../../resp/reader.js';
import { encodeReply, Failure, OK, Pairs, Push, Several, Status, Verbatim } from './reply.js';

/**
 * @import { AddressInfo, Socket } from 'node:net'
 * @import { Address } from '../../stacks/types.js'
 * @import { Value } from './reply.js'
 */

/**
 * @typedef {Object} NeededLogin what a client has to send; null: clients need no login
 * @property {string | null} username null: the user `default`
 * @property {string} password
 *
 * @typedef {Object} DriverConnection a connection of the driver
 * @property {number} id counted from 1
 * @property {2 | 3} version of RESP
 * @property {boolean} loggedIn
 * @property {Set<string>} channels
 * @property {boolean} open
 * @property {number} closedAt `now()`; 0: it is open
 * @property {() => void} destroy
 *
 * @typedef {(words: string[], client: DriverConnection) => Value | Promise<Value> | undefined} CommandHandler its reply; undefined: none, and no other
 *   reply on this connection either
 *
 * @typedef {Object} ServerOptions
 * @property {NeededLogin | null} login
 * @property {string} mode of HELLO and INFO: `standalone` or `sentinel`
 * @property {() => string} role for HELLO
 * @property {() => string} info
 * @property {Readonly<Record<string, CommandHandler>>} commands by name in capital letters
 *
 * @typedef {Object} FakeServer
 * @property {Address} address
 * @property {Set<DriverConnection>} clients that are connected
 * @property {() => void} close
 */

/** What the servers say they are. Libraries ask for it to know what they may send. */
export const VERSION = '7.0.15';

/** Allowed before a login. */
const OPEN_COMMANDS = new Set(['AUTH', 'HELLO', 'QUIT', 'RESET']);

/** @param {ServerOptions} options @returns {Promise<FakeServer>} on a free port of loopback */
export async function startServer(options) {
  /** @type {Set<DriverConnection>} */
  const clients = new Set();
  const commands = { ...commonCommands(options), ...options.commands };
  let ids = 0;

  const listener = net.createServer((socket) => {
    /** @type {DriverConnection} */
    const client = {
      id: ++ids,
      version: 2,
      loggedIn: options.login === null,
      channels: new Set(),
      open: true,
      closedAt: 0,
      destroy: () => void socket.destroy(),
    };
    clients.add(client);
    serve(socket, client, commands);
    socket.on('close', () => clients.delete(client));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = /** @type {AddressInfo} */ (listener.address());

  return {
    address: { host: '127.0.0.1', port },
    clients,
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
 * @param {Readonly<Record<string, CommandHandler>>} commands
 */
function serve(socket, client, commands) {
  socket.setNoDelay(true);
  /** What was asked and not answered yet. @type {{text: string | null}[]} */
  let waiting = [];

  function flush() {
    while (waiting.length > 0 && waiting[0].text !== null) {
      const { text } = /** @type {{text: string}} */ (waiting.shift());
      if (text !== '') socket.write(text);
    }
  }

  /** @param {string[]} words */
  function take([first, ...rest]) {
    const slot = { text: /** @type {string | null} */ (null) };
    waiting.push(slot);
    const name = first.toUpperCase();
    const settle = (/** @type {Value} */ value) => {
      slot.text = encodeReply(value, client.version);
      flush();
      if (name === 'QUIT') socket.end();
    };
    if (!client.loggedIn && !OPEN_COMMANDS.has(name)) return settle(new Failure('NOAUTH Authentication required.'));
    const command = commands[name];
    if (command === undefined) return settle(new Failure(`ERR unknown command '${name}', with args beginning with: `));
    const value = command(rest, client);
    if (value instanceof Promise) value.then(settle, () => {});
    else if (value !== undefined) settle(value);
  }

  const reader = new ReplyReader((reply) => {
    if (Array.isArray(reply) && reply.length > 0) take(reply.map(String));
  });
  socket.on('data', (chunk) => {
    try {
      reader.receive(chunk);
    } catch {
      // Not RESP: Redis closes the connection, too.
      socket.destroy();
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    client.open = false;
    client.closedAt = now();
    waiting = [];
  });
}

/** @param {ServerOptions} options @returns {Record<string, CommandHandler>} */
function commonCommands({ login, mode, role, info }) {
  return {
    PING: ([text], client) => {
      const isSubscribed = client.version === 2 && client.channels.size > 0;
      if (isSubscribed) return ['pong', text ?? ''];
      return text ?? new Status('PONG');
    },
    ECHO: ([text]) => text ?? '',
    AUTH: (words, client) => authenticate(login, words, client),
    HELLO: (words, client) => hello(words, client, { login, mode, role: role() }),
    SELECT: ([index]) => (index === '0' ? OK : new Failure('ERR DB index is out of range')),
    RESET: (_, client) => {
      client.version = 2;
      client.channels.clear();
      return new Status('RESET');
    },
    QUIT: () => OK,
    CLIENT: ([word = '', ...rest], client) => clientCommand(word.toUpperCase(), rest, client),
    COMMAND: ([word = '']) => (word.toUpperCase() === 'COUNT' ? 0 : []),
    INFO: () => new Verbatim(info()),
    TIME: () => [String(Math.floor(Date.now() / 1000)), '0'],
    SUBSCRIBE: (words, client) => subscribe('subscribe', words, client),
    PSUBSCRIBE: (words, client) => subscribe('psubscribe', words, client),
    UNSUBSCRIBE: (words, client) => unsubscribe('unsubscribe', words, client),
    PUNSUBSCRIBE: (words, client) => unsubscribe('punsubscribe', words, client),
  };
}

/** @param {NeededLogin | null} login @param {string[]} words @param {DriverConnection} client */
function authenticate(login, words, client) {
  if (login === null)
    return new Failure('ERR AUTH <password> called without any password configured for the default user.');
  const [username, password] = words.length > 1 ? words : [null, words[0]];
  const isRight = (username ?? 'default') === (login.username ?? 'default') && password === login.password;
  if (!isRight) return new Failure('WRONGPASS invalid username-password pair or user is disabled.');
  client.loggedIn = true;
  return OK;
}

/** @param {string[]} words @param {DriverConnection} client @param {{login: NeededLogin | null, mode: string, role: string}} server */
function hello([version, ...rest], client, { login, mode, role }) {
  if (version !== undefined && version !== '2' && version !== '3')
    return new Failure('NOPROTO unsupported protocol version');
  const auth = rest.findIndex((word) => word.toUpperCase() === 'AUTH');
  if (auth !== -1 && login !== null) {
    const answer = authenticate(login, rest.slice(auth + 1, auth + 3), client);
    if (answer !== OK) return answer;
  }
  if (!client.loggedIn) {
    return new Failure(
      'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
    );
  }
  if (version !== undefined) client.version = version === '3' ? 3 : 2;
  return new Pairs([
    ['server', 'redis'],
    ['version', VERSION],
    ['proto', client.version],
    ['id', client.id],
    ['mode', mode],
    ['role', role],
    ['modules', []],
  ]);
}

/** @param {string} word @param {string[]} rest @param {DriverConnection} client @returns {Value} */
function clientCommand(word, rest, client) {
  // Redis 7.0 has no SETINFO; libraries have to accept that.
  if (word === 'SETNAME' || word === 'NO-EVICT' || word === 'TRACKING') return OK;
  if (word === 'ID') return client.id;
  if (word === 'GETNAME') return '';
  if (word === 'INFO' || word === 'LIST')
    return new Verbatim(`id=${client.id} addr=127.0.0.1:0 resp=${client.version}\n`);
  return new Failure(`ERR unknown subcommand '${[word, ...rest][0]}'. Try CLIENT HELP.`);
}

/** @param {string} kind @param {string[]} names @param {DriverConnection} client */
function subscribe(kind, names, client) {
  const replies = names.map((name) => new Push([kind, name, client.channels.add(`${kind[0]}:${name}`).size]));
  return new Several(replies);
}

/** @param {string} kind @param {string[]} names @param {DriverConnection} client */
function unsubscribe(kind, names, client) {
  const letter = kind.startsWith('p') ? 'p' : 's';
  const all = [...client.channels].filter((key) => key[0] === letter).map((key) => key.slice(2));
  const wanted = names.length > 0 ? names : all;
  const replies = wanted.map((name) => {
    client.channels.delete(`${letter}:${name}`);
    return new Push([kind, name, client.channels.size]);
  });
  return new Several(replies.length > 0 ? replies : [new Push([kind, null, client.channels.size])]);
}

/** @returns {number} milliseconds of CLOCK_MONOTONIC, with fractions */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
