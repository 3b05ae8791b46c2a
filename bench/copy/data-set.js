/** Data sets to copy: strings of one length, or keys of every type and encoding. */

import { connect } from '../../src/clients/connection.js';
import { ErrorReply } from '../../src/resp/reader.js';
import { randomFrom } from '../../src/stats/random.js';

/** @import { Target, Word } from '../types.js' */

/** @typedef {() => number} Random */

const PAGE = 500;
/** Pipelines under way at once: the node works on one while the next is put together. */
const WINDOW = 2;
const HOUR_MS = 3_600_000;
/** One key in this many is large enough for the server's encoding of large values. */
const LARGE = 1000;
const LARGE_MEMBERS = 600;
/** One key in this many expires, hours after the copy and the comparison. */
const EXPIRING = 10;

/** @param {Random} random @param {number} below */
const draw = (random, below) => Math.floor(random() * below);

/** Texts are parts of it: drawing each letter would take too long. */
const LETTERS = letters(1 << 16);

/** @param {number} count */
function letters(count) {
  const random = randomFrom(count);
  return Array.from({ length: count }, () => draw(random, 36).toString(36)).join('');
}

/** @param {Random} random @param {number} bytes */
function text(random, bytes) {
  const start = draw(random, LETTERS.length - bytes);
  return LETTERS.slice(start, start + bytes);
}

/** @param {Random} random */
const bytes = (random) => Buffer.from(Array.from({ length: 16 + draw(random, 48) }, () => draw(random, 256)));

/**
 * Ways to fill a key, with their shares of a hundred keys. members: the least and the most, one by default; isLarge: of large keys, too.
 * @type {readonly {share: number, command: string, members?: [number, number], isLarge?: true, member: (random: Random, index: number) => Word[]}[]}
 */
const KINDS = [
  { share: 64, command: 'SET', member: (random) => [text(random, 8)] },
  { share: 8, command: 'SET', member: (random) => [text(random, 100 + draw(random, 925))] },
  { share: 2, command: 'SET', member: (random) => [bytes(random)] },
  {
    share: 8,
    command: 'HSET',
    members: [3, 12],
    isLarge: true,
    member: (random, i) => [`field:${i}`, text(random, 12)],
  },
  { share: 5, command: 'RPUSH', members: [2, 16], isLarge: true, member: (random) => [text(random, 10)] },
  { share: 5, command: 'SADD', members: [2, 12], isLarge: true, member: (random) => [text(random, 8)] },
  // Sets of numbers have an encoding of their own.
  { share: 2, command: 'SADD', members: [2, 12], member: (random) => [`${draw(random, 1e6)}`] },
  {
    share: 4,
    command: 'ZADD',
    members: [2, 12],
    isLarge: true,
    member: (random) => [String(random() * 1000), text(random, 8)],
  },
  { share: 2, command: 'XADD', members: [1, 5], member: (random, i) => [`${1 + i}-1`, 'field', text(random, 10)] },
];
const LARGE_KINDS = KINDS.filter(({ isLarge }) => isLarge);

/** @param {Random} random */
function drawnKind(random) {
  let drawn = draw(random, 100);
  return KINDS.find(({ share }) => {
    drawn -= share;
    return drawn < 0;
  });
}

/** @param {string} key @param {Random} random @returns {Word[][]} */
function commandsOf(key, random) {
  const isLarge = draw(random, LARGE) === 0;
  const kind = isLarge ? LARGE_KINDS[draw(random, LARGE_KINDS.length)] : (drawnKind(random) ?? KINDS[0]);
  const { command, member, members = [1, 1] } = kind;
  const [least, most] = isLarge ? [LARGE_MEMBERS, LARGE_MEMBERS] : members;
  const made = Array.from({ length: least + draw(random, most - least + 1) }, (_, i) => member(random, i));
  const commands =
    command === 'XADD'
      ? [...made.map((entry) => [command, key, ...entry]), ['XGROUP', 'CREATE', key, 'group', '1-1']]
      : [[command, key, ...made.flat()]];
  if (!isLarge && draw(random, EXPIRING) === 0)
    commands.push(['PEXPIRE', key, String(4 * HOUR_MS + draw(random, 44 * HOUR_MS))]);
  return commands;
}

/**
 * @typedef {{keys: number, keyPrefix: string, stringBytes?: number}} DataSet keyPrefix: characters of one byte; stringBytes: every key is a string of this
 *   length that does not expire. Default: keys of every type, and some expire
 *
 * @param {Target} target a node that none of these keys is on
 * @param {DataSet & {seed: number, accepts?: (key: string) => boolean, signal?: AbortSignal}} options seed: the same gives the same keys and values; expiry
 *   counts from now. accepts: false for a key that the node does not take, so another is written instead
 * @throws {Error} the node refused one, or was lost
 */
export async function fillDataSet(target, { keys, seed, keyPrefix, stringBytes, accepts = () => true, signal }) {
  const connection = await connect(target, signal);
  const random = randomFrom(seed);
  const commandsFor = (/** @type {string} */ key) =>
    stringBytes === undefined ? commandsOf(key, random) : [['SET', key, text(random, stringBytes)]];
  /** @type {Promise<void>[]} */
  const underWay = [];

  /** @param {Word[][]} commands */
  const write = async (commands) => {
    const refused = (await connection.pipeline(commands)).find((reply) => reply instanceof ErrorReply);
    if (refused) throw new Error(`the data set could not be written: ${/** @type {ErrorReply} */ (refused).message}`);
  };

  try {
    for (let next = 0, made = 0; made < keys; ) {
      const count = Math.min(PAGE, keys - made);
      const commands = [];
      for (const end = made + count; made < end; next++) {
        const key = `${keyPrefix}${next}`;
        if (!accepts(key)) continue;
        commands.push(...commandsFor(key));
        made++;
      }
      const writing = write(commands);
      writing.catch(() => {});
      underWay.push(writing);
      if (underWay.length >= WINDOW) await underWay.shift();
    }
    await Promise.all(underWay);
  } finally {
    connection.close();
  }
}
