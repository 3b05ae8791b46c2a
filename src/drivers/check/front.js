/**
 * What stands before a node while a driver is checked: it answers some commands itself and asks for a login if the scenario says so. All else it
 * passes to the node, and its replies back, with the addresses of the fronts in place of those of the nodes.
 */
import net from 'node:net';
import { ReplyReader } from '../../resp/reader.js';
import { encodeCommand } from '../../resp/writer.js';
import { createTranslator, join, listen } from '../sentinel-front.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Address } from '../../stacks/types.js'
 * @typedef {{username: string | null, password: string}} NeededLogin username: null: the user `default`
 * @typedef {{id: number, closedAt: number, destroy: () => void}} DriverConnection id: from 1 on; closedAt: `now()`; 0: it is open
 * @typedef {(words: string[], client: DriverConnection) => string | Promise<string> | undefined} CommandHandler gets the whole command,
 *   resolves to its reply in RESP; undefined: none, and no other reply on this connection either
 * @typedef {Object} FrontOptions
 * @property {Address} node
 * @property {ReadonlyMap<string, Address>} fronts by the addresses of their nodes @property {NeededLogin | null} login null: none
 * @property {Readonly<Record<string, CommandHandler>>} commands that it answers, by name in capital letters
 */

export const OK = '+OK\r\n';
const WRONG_LOGIN = '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
const NO_LOGIN = '-NOAUTH Authentication required.\r\n';
/** A message of a channel, or a push: it answers no command. */
const MESSAGE = /^[*>](3\r\n\$7\r\nmessage|4\r\n\$8\r\npmessage)\r\n/;
/** `AUTH`, user name and password in HELLO. */
const WORDS_OF_LOGIN = 3;

/** @param {FrontOptions} options @returns {ReturnType<typeof listen>} */
export function openFront(options) {
  let ids = 0;
  return listen((socket) => {
    /** @type {DriverConnection} */
    const client = { id: ++ids, closedAt: 0, destroy: () => void socket.destroy() };
    socket.on('close', () => {
      client.closedAt = now();
    });
    serve(socket, client, options);
  });
}

/** Answers what a client asks, in the order of its questions. @param {Socket} socket @param {DriverConnection} client @param {FrontOptions} options */
function serve(socket, client, { node, fronts, login, commands }) {
  const upstream = net.connect(node.port, node.host);
  const translate = createTranslator(fronts);
  const logIn = createLogin(login);
  /** What was asked and not answered yet. A subscription is answered once for each channel. @type {{reply: string | null, passed: boolean}[]} */
  const waiting = [];

  function flush() {
    while (waiting.length > 0 && waiting[0].reply !== null) socket.write(String(waiting.shift()?.reply), 'latin1');
  }

  function take(/** @type {string[]} */ words) {
    const { reply: refusal, pass = [] } = logIn(words);
    const command = refusal === undefined ? commands[words[0].toUpperCase()] : undefined;
    const passed = refusal === undefined && command === undefined;
    const slots = Array.from({ length: repliesTo(words) }, () => ({
      reply: /** @type {string | null} */ (null),
      passed,
    }));
    waiting.push(...slots);
    if (passed) return upstream.write(encodeCommand(pass));
    const settle = (/** @type {string} */ reply) => {
      slots[0].reply = reply;
      flush();
    };
    const reply = refusal ?? command?.(words, client);
    if (reply instanceof Promise) reply.then(settle, () => {});
    else if (reply !== undefined) settle(reply);
  }

  const reader = new ReplyReader((command) => {
    if (Array.isArray(command) && command.length > 0) take(command.map(String));
  });
  join(socket, upstream);
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
      const answers = MESSAGE.test(reply) ? undefined : waiting.find((each) => each.passed && each.reply === null);
      if (answers) answers.reply = reply;
      else socket.write(reply, 'latin1');
    }
    flush();
  });
}

/** @param {NeededLogin | null} login @returns {(words: string[]) => {reply?: string, pass?: string[]}} pass: what the node is asked instead */
function createLogin(login) {
  if (login === null) return (words) => ({ pass: words });
  let loggedIn = false;
  return (words) => {
    const name = words[0].toUpperCase();
    const at = name === 'AUTH' ? 0 : name === 'HELLO' ? words.findIndex((word) => word.toUpperCase() === 'AUTH') : -1;
    if (at === -1) return loggedIn || name === 'QUIT' ? { pass: words } : { reply: NO_LOGIN };
    const credentials = words.slice(at + 1, at + WORDS_OF_LOGIN);
    const [username, password] = credentials.length > 1 ? credentials : ['default', credentials[0]];
    if (username !== (login.username ?? 'default') || password !== login.password) return { reply: WRONG_LOGIN };
    loggedIn = true;
    return name === 'AUTH' ? { reply: OK } : { pass: words.toSpliced(at, WORDS_OF_LOGIN) };
  };
}

/** @param {readonly string[]} words @returns {number} how often a server answers this command */
function repliesTo(words) {
  return /^[PS]?SUBSCRIBE$/i.test(words[0]) ? Math.max(1, words.length - 1) : 1;
}

/** @returns {number} milliseconds of CLOCK_MONOTONIC, with fractions */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
