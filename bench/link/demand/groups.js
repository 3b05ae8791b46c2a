/**
 * Writes that belong together, the ways to send them, and a connection that sends them and checks every answer.
 */
import { isDeepStrictEqual } from 'node:util';
import { ErrorReply } from '../../../src/resp/reader.js';
import { encodeCommand } from '../../../src/resp/writer.js';

/**
 * @import { Connection } from '../../../src/clients/connection.js'
 * @import { Pattern } from '../../../src/load/traffic.js'
 * @import { Reply } from '../../../src/resp/reader.js'
 * @import { CaseParams } from '../../../src/result/schema.js'
 * @import { Control } from '../../../src/stacks/redis/control.js'
 */

/**
 * @typedef {NonNullable<CaseParams['grouping']>} Grouping
 *
 * @typedef {Object} Group writes that belong together
 * @property {string} name what their keys begin with
 * @property {{key: string, value: string}[]} writes
 *
 * @typedef {Object} Request
 * @property {Buffer} bytes
 * @property {Reply[]} answers to each of its commands
 */

/** Of every key of {@link groupOf}, whatever its pattern. */
export const KEY_BYTES = 48;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The call carries what the writes have in common; the script makes the single keys. */
const LOOP = `for i = 0, args[2] - 1 do redis.call('SET', keys[1] .. ':' .. i, args[1]) end return tonumber(args[2])`;
const SCRIPT = `local keys, args = KEYS, ARGV ${LOOP}`;
const LIBRARY = 'sentinel_bench';
const FUNCTION = `${LIBRARY}_set`;
const CODE = `#!lua name=${LIBRARY}\nredis.register_function('${FUNCTION}', function(keys, args) ${LOOP} end)`;

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
 * Loads the script or function. Functions are replicated, as data is.
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
    answers: [writes.length],
  });
  switch (grouping) {
    case 'single':
    case 'batch':
      return ({ writes }) => ({ bytes: Buffer.concat(sets(writes)), answers: writes.map(() => 'OK') });
    case 'multi':
      return ({ writes }) => ({
        bytes: Buffer.concat([encodeCommand(['MULTI']), ...sets(writes), encodeCommand(['EXEC'])]),
        answers: ['OK', ...writes.map(() => 'QUEUED'), writes.map(() => 'OK')],
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
 * @param {Grouping} grouping whose script or function is removed
 */
export async function removeGroup(primary, grouping) {
  if (grouping === 'function') await primary.call('FUNCTION', 'DELETE', LIBRARY);
  if (grouping === 'script') await primary.call('SCRIPT', 'FLUSH');
}

/**
 * @param {Connection} connection
 * @param {Request} request
 * @throws {Error} the answers differ, or did not come
 */
export async function ask(connection, { bytes, answers }) {
  const replies = await connection.send(bytes, answers.length);
  if (isDeepStrictEqual(replies, answers)) return;
  const wrong = replies.find((reply) => reply instanceof ErrorReply)?.message ?? JSON.stringify(replies).slice(0, 60);
  throw new Error(`a write was answered with: ${wrong}`);
}
