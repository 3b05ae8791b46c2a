/**
 * A round of `link-demand`: either a number of equal writes, whose bytes are counted, or an application's mix of requests at a rate.
 */

import { isDeepStrictEqual } from 'node:util';
import { connect } from '../../src/clients/connection.js';
import { measureThread } from '../../src/load/thread.js';
import { ErrorReply } from '../../src/resp/reader.js';
import { encodeCommand } from '../../src/resp/writer.js';
import { makeCase } from '../../src/run/case.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset, untilInSync } from '../../src/stacks/redis/replication.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { randomFrom } from '../../src/stats/random.js';
import { NS_A_MS } from '../../src/units.js';
import { mixCase, nodesOf, onPath, pass, wireBetween, withTraffic } from './round.js';

/**
 * @import { Connection } from '../../src/clients/connection.js'
 * @import { Pattern } from '../../src/load/traffic.js'
 * @import { Reply } from '../../src/resp/reader.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Case, Measure, RoundSite } from '../../src/run/types.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './round.js'
 *
 * @typedef {NonNullable<CaseParams['grouping']>} Grouping
 *
 * @typedef {Object} WriteGroup writes that belong together
 * @property {string} name what their keys begin with
 * @property {{key: string, value: string}[]} writes
 *
 * @typedef {Object} Request
 * @property {Buffer} bytes
 * @property {Reply[]} answers to each of its commands
 */

/** With this many writes, a PING every ten seconds and a SELECT add less than a hundredth of a byte a write. */
export const WRITES = 10_000;
/** Writes that belong together. */
export const GROUP = 10;
const GROUPINGS = /** @type {const} */ (['batch', 'multi', 'script']);
const PAYLOADS = [8, 64, 1024];
/** The value size of grouped writes, and of the other pattern. */
const PAYLOAD = 64;
/** The first is the article's. */
const RATES = [30_000, 10_000];

/** @returns {Case[]} */
export function demandCases() {
  const exact = (/** @type {Partial<CaseParams> & {grouping: string}} */ params) => {
    const { params: complete } = makeCase({ payloadBytes: PAYLOAD, pattern: 'regular', replicas: 1, ...params });
    return { id: `${params.grouping}-${complete.payloadBytes}B-${complete.pattern}`, params: complete };
  };
  return [
    ...PAYLOADS.map((payloadBytes) => exact({ grouping: 'single', payloadBytes })),
    exact({ grouping: 'single', pattern: 'random' }),
    ...GROUPINGS.map((grouping) => exact({ grouping, pipeline: GROUP })),
    ...RATES.map((rate) => mixCase(`mix-${rate}ps`, { pattern: 'regular', rate })),
  ];
}

/** @type {Measure} */
export async function measureDemand(site) {
  const { testbed, theCase } = site;
  const work = theCase.params.grouping === undefined ? sendMix : sendGroups;
  return onPath(site, async ({ path, ends }) => {
    // The stream is read after the leftovers of the round before.
    const { send, close } = await work(site, ends);
    try {
      await untilInSync(ends.primary, ends.replica, testbed.signal);
      return await roundAround(testbed, async () => {
        const before = await take(path, ends);
        const { writes, requestBytes, ...sample } = await send();
        await untilInSync(ends.primary, ends.replica, testbed.signal);
        const after = await take(path, ends);
        const streamBytes = after.streamBytes - before.streamBytes;
        return {
          ...sample,
          link: {
            writes,
            ...(requestBytes !== undefined && { requestBytes }),
            streamBytes,
            demandBytesPerSecond: sample.seconds > 0 ? streamBytes / sample.seconds : 0,
            by: path.by,
            executed: executedSince(before.calls, after.calls),
            wire: wireBetween(before.use, after.use, (after.use.atMs - before.use.atMs) / 1000),
          },
        };
      });
    } finally {
      await close();
    }
  });
}

/**
 * @typedef {Object} DemandWork ready to begin
 * @property {() => Promise<OwnSample & {writes: number, requestBytes?: number}>} send
 * @property {() => Promise<void>} close
 */

/**
 * Sends the groups on one connection, each after the answer to the one before.
 * @param {RoundSite} site
 * @param {Ends} ends
 * @returns {Promise<DemandWork>}
 */
async function sendGroups({ testbed, theCase, now }, { primary }) {
  const { stack, random, signal } = testbed;
  const { grouping = 'single', pattern = 'regular', payloadBytes, pipeline } = theCase.params;
  const ofGroup = { pattern, payloadBytes, count: pipeline, random: randomFrom(Math.floor(random() * 2 ** 32)) };
  const sender = await connect({ ...nodesOf(testbed).primary.address, credentials: stack.access.credentials });
  try {
    const encode = await prepareGroup(primary, grouping);
    const requests = Array.from({ length: WRITES / pipeline }, (_, i) => encode(groupOf(i, ofGroup)));
    return {
      async send() {
        now(`${theCase.id}: ${WRITES} writes`);
        const histogram = newHistogram();
        const loadSince = measureThread();
        const begin = performance.now();
        let at = begin;
        for (const request of requests) {
          signal.throwIfAborted();
          await ask(sender, request);
          const answeredAt = performance.now();
          histogram.recordValueWithCount(Math.round((answeredAt - at) * NS_A_MS), pipeline);
          at = answeredAt;
        }
        const seconds = (at - begin) / 1000;
        return {
          writes: WRITES,
          requestBytes: requests.reduce((sum, { bytes }) => sum + bytes.length, 0),
          seconds,
          operations: WRITES,
          outcomes: { acked: WRITES, underAcked: 0, rejected: 0, unknown: 0 },
          errors: {},
          histogram: encodeHistogram(histogram),
          load: loadSince(),
        };
      },
      async close() {
        sender.close();
        // A failure here does not hide an earlier one: the stack is ours, and the next round replaces what is left.
        if (grouping === 'script') await primary.call('SCRIPT', 'FLUSH').catch(() => {});
      },
    };
  } catch (error) {
    sender.close();
    throw error;
  }
}

/** @param {RoundSite} site @returns {Promise<DemandWork>} */
async function sendMix(site) {
  const { testbed, theCase, now } = site;
  const { profile, signal } = testbed;
  return {
    async send() {
      now(`${theCase.id}: traffic for ${profile.seconds} s`);
      return withTraffic(site, async (traffic) => {
        await pass(profile.seconds * 1000, signal);
        const { requests, unsent: _, ...sample } = await traffic.stop();
        return { ...sample, operations: requests };
      });
    },
    async close() {},
  };
}

/** @param {Path} path @param {Ends} ends in sync */
async function take(path, { primary, replica }) {
  const [use, { bytes }, calls] = await Promise.all([path.use(), readOffset(primary), commandCalls(replica)]);
  return { use, streamBytes: bytes, calls };
}

/** @param {Control} node @returns {Promise<Map<string, number>>} command → how often it was executed */
async function commandCalls(node) {
  const stats = Object.entries(await node.info('commandstats'));
  return new Map(
    stats.map(([name, text]) => [name.replace('cmdstat_', ''), Number(/calls=(\d+)/.exec(text)?.[1] ?? 0)]),
  );
}

/** Commands of this tool itself. */
const OURS = new Set(['info', 'ping', 'select', 'role', 'config|get', 'client|setinfo', 'hello']);

/** @param {Map<string, number>} before @param {Map<string, number>} after @returns {Record<string, number>} */
function executedSince(before, after) {
  const grown = [...after].map(([name, calls]) => /** @type {const} */ ([name, calls - (before.get(name) ?? 0)]));
  return Object.fromEntries(grown.filter(([name, calls]) => calls > 0 && !OURS.has(name)));
}

/** The length of every key of {@link groupOf}, whatever its pattern. */
export const KEY_BYTES = 48;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The call carries what the writes have in common; the script makes the single keys. */
const SCRIPT = `for i = 0, ARGV[2] - 1 do redis.call('SET', KEYS[1] .. ':' .. i, ARGV[1]) end return tonumber(ARGV[2])`;

/**
 * @param {number} group 0 … 999,999; another one has other keys
 * @param {Object} options
 * @param {Pattern} options.pattern
 * @param {number} options.payloadBytes of the value, which the writes of a group share
 * @param {number} options.count of writes, 1 … 10
 * @param {() => number} options.random draws from [0, 1)
 * @returns {WriteGroup}
 */
export function groupOf(group, { pattern, payloadBytes, count, random }) {
  const { name, value } = pattern === 'random' ? randomWords(payloadBytes, random) : regularWords(payloadBytes, group);
  return { name, writes: Array.from({ length: count }, (_, i) => ({ key: `${name}:${i}`, value })) };
}

/** @param {number} payloadBytes @param {() => number} random */
function randomWords(payloadBytes, random) {
  const letters = (/** @type {number} */ count) =>
    Array.from({ length: count }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
  return { name: letters(KEY_BYTES - 2), value: letters(payloadBytes) };
}

/** @param {number} payloadBytes @param {number} group */
function regularWords(payloadBytes, group) {
  const digits = String(group).padStart(8, '0');
  const text = `used:${digits} state:live plan:basic limit:1000000;`;
  return {
    name: `service:${digits.slice(-4)}:app:${digits}:metric:hits:20261121`,
    value: text.repeat(Math.ceil(payloadBytes / text.length)).slice(0, payloadBytes),
  };
}

/**
 * Loads the script.
 * @param {Control} primary
 * @param {Grouping} grouping
 * @returns {Promise<(group: WriteGroup) => Request>}
 */
async function prepareGroup(primary, grouping) {
  const sets = (/** @type {WriteGroup['writes']} */ writes) =>
    writes.map(({ key, value }) => encodeCommand(['SET', key, value]));
  const call = (/** @type {string[]} */ words, /** @type {WriteGroup} */ { name, writes }) => ({
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
    default:
      throw new RangeError(`no round sends writes as ${grouping}`);
  }
}

/** @param {Connection} connection @param {Request} request @throws {Error} the answers differ, or did not come */
async function ask(connection, { bytes, answers }) {
  const replies = await connection.send(bytes, answers.length);
  if (isDeepStrictEqual(replies, answers)) return;
  const wrong = replies.find((reply) => reply instanceof ErrorReply)?.message ?? JSON.stringify(replies).slice(0, 60);
  throw new Error(`a write was answered with: ${wrong}`);
}
