/**
 * Writes that belong together, sent in each way that there is, and the connection that sends them and holds every answer against
 * what it should be.
 */
import { openSocket } from '../client/native.js';
import { encodeCommand } from '../client/native-batch.js';
import { reach } from '../client/reach.js';

/**
 * @typedef {import('../cluster/control.js').Control} Control
 * @typedef {import('../load/traffic-types.js').Pattern} Pattern
 * @typedef {NonNullable<import('./types.js').CaseParams['grouping']>} Grouping
 *
 * @typedef {Object} Group writes that belong together
 * @property {string} name what their keys begin with
 * @property {{key: string, value: string}[]} writes
 *
 * @typedef {Object} Request
 * @property {Buffer} bytes
 * @property {string} answer
 *
 * @typedef {Object} Sender
 * @property {(request: Request) => Promise<void>} ask one at a time; rejects on another answer, or none within 5 s
 * @property {() => void} close idempotent
 */

/** Of every key of {@link groupOf}, whatever its pattern. */
export const KEY_BYTES = 48;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The call names what the writes have in common; which ones they are is for the script to know. */
const LOOP = `for i = 0, args[2] - 1 do redis.call('SET', keys[1] .. ':' .. i, args[1]) end return tonumber(args[2])`;
const SCRIPT = `local keys, args = KEYS, ARGV ${LOOP}`;
const LIBRARY = 'sentinel_bench';
const FUNCTION = `${LIBRARY}_set`;
const CODE = `#!lua name=${LIBRARY}\nredis.register_function('${FUNCTION}', function(keys, args) ${LOOP} end)`;

const ANSWER_MS = 5000;

/**
 * @param {number} group 0 … 999,999; another one has other keys
 * @param {Object} options
 * @param {Pattern} options.pattern
 * @param {number} options.payloadBytes of the value, which the writes of a group share
 * @param {number} options.count of writes, 1 … 10
 * @param {() => number} options.random draws from [0, 1)
 * @returns {Group}
 */
export function groupOf(group, { pattern, payloadBytes, count, random }) {
  const { name, value } = pattern === 'random' ? randomWords(payloadBytes, random) : regularWords(payloadBytes, group);
  return { name, writes: Array.from({ length: count }, (_, i) => ({ key: `${name}:${i}`, value })) };
}

/**
 * @param {number} payloadBytes
 * @param {() => number} random
 */
function randomWords(payloadBytes, random) {
  const letters = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
  return { name: letters(KEY_BYTES - 2), value: letters(payloadBytes) };
}

/**
 * @param {number} payloadBytes
 * @param {number} group
 */
function regularWords(payloadBytes, group) {
  const digits = String(group).padStart(8, '0');
  const text = `used:${digits} state:live plan:basic limit:1000000;`;
  return {
    name: `service:${digits.slice(-4)}:app:${digits}:metric:hits:20261121`,
    value: text.repeat(Math.ceil(payloadBytes / text.length)).slice(0, payloadBytes),
  };
}

/**
 * Puts a script or a function where it is needed. A function is replicated, as data is.
 *
 * @param {Control} primary
 * @param {Grouping} grouping
 * @returns {Promise<(group: Group) => Request>}
 */
export async function prepareGroup(primary, grouping) {
  const sets = (/** @type {Group['writes']} */ writes) =>
    writes.map(({ key, value }) => encodeCommand(['SET', key, value]));
  const call = (/** @type {string[]} */ words, /** @type {Group} */ { name, writes }) => ({
    bytes: encodeCommand([...words, '1', name, writes[0].value, String(writes.length)]),
    answer: `:${writes.length}\r\n`,
  });
  switch (grouping) {
    case 'single':
    case 'batch':
      return ({ writes }) => ({ bytes: Buffer.concat(sets(writes)), answer: '+OK\r\n'.repeat(writes.length) });
    case 'multi':
      return ({ writes }) => ({
        bytes: Buffer.concat([encodeCommand(['MULTI']), ...sets(writes), encodeCommand(['EXEC'])]),
        answer: `+OK\r\n${'+QUEUED\r\n'.repeat(writes.length)}*${writes.length}\r\n${'+OK\r\n'.repeat(writes.length)}`,
      });
    case 'script': {
      const sha = String(await primary.call('SCRIPT', 'LOAD', SCRIPT));
      return (group) => call(['EVALSHA', sha], group);
    }
    case 'function':
      await primary.call('FUNCTION', 'LOAD', 'REPLACE', CODE);
      return (group) => call(['FCALL', FUNCTION], group);
  }
}

/**
 * @param {Control} primary
 * @param {Grouping} grouping whose script or function is taken away again
 */
export async function removeGroup(primary, grouping) {
  if (grouping === 'function') await primary.call('FUNCTION', 'DELETE', LIBRARY);
  if (grouping === 'script') await primary.call('SCRIPT', 'FLUSH');
}

/**
 * @param {import('../client/types.js').Target} target
 * @returns {Promise<Sender>} connected and logged in
 * @throws {import('../errors.js').UserError} it cannot be
 */
export async function connectSender(target) {
  const { username, password, tls } = target.credentials ?? {};
  let heard = '';
  let wanted = '';
  /** @type {{resolve: () => void, reject: (error: Error) => void} | null} */
  let asker = null;

  const socket = openSocket(target, (chunk, length) => {
    heard += chunk.toString('latin1', 0, length);
    if (heard === wanted) asker?.resolve();
    else if (!wanted.startsWith(heard)) asker?.reject(new Error(complaint(heard)));
  });
  const connecting = new Promise((resolve, reject) => {
    socket.once(tls ? 'secureConnect' : 'connect', resolve);
    socket.on('error', reject);
  });
  socket.on('close', () => asker?.reject(new Error('the connection was lost')));

  /** @type {Sender['ask']} */
  async function ask({ bytes, answer }) {
    if (socket.destroyed) throw new Error('the connection was lost');
    heard = '';
    wanted = answer;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    try {
      await new Promise((resolve, reject) => {
        asker = { resolve: () => resolve(undefined), reject };
        timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
        socket.write(bytes);
      });
    } finally {
      clearTimeout(timer);
      asker = null;
    }
  }

  const logIn = async () => {
    if (password === undefined) return;
    const words = username === undefined ? ['AUTH', password] : ['AUTH', username, password];
    await ask({ bytes: encodeCommand(words), answer: '+OK\r\n' });
  };
  await reach(target, connecting.then(logIn), () => socket.destroy());
  return { ask, close: () => socket.destroy() };
}

/** @param {string} heard */
function complaint(heard) {
  const line = heard.split('\r\n').find((text) => text.startsWith('-')) ?? heard.slice(0, 60);
  return `a write was answered with: ${line.replace(/^-/, '').trim()}`;
}
