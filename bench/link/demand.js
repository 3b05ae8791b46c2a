/**
 * The benchmark `link-demand`: what a write costs on the replication link. A round has either a number of equal writes, whose bytes are counted, or an
 * application's mix of requests at a rate.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check } from '../../src/result/schema.js'
 * @import { OwnSample } from '../../src/run/round.js'
 * @import { Case, Measure, RoundSite } from '../../src/run/types.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './replication.js'
 */
import { connect } from '../../src/clients/connection.js';
import { figure } from '../../src/facts/query.js';
import { billedBytes, bytes, count, percent, rate } from '../../src/format.js';
import { measureThread } from '../../src/load/thread.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { encodeCommand } from '../../src/resp/writer.js';
import { roundAround } from '../../src/run/round.js';
import { readOffset, untilInSync } from '../../src/stacks/redis/replication.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS, SECONDS_A_MONTH } from '../../src/units.js';
import { linkBenchmark, linkCase, mixCase } from './benchmark.js';
import { linksOf } from './figures.js';
import { nodesOf, onPath, pass, wireBetween, withTraffic } from './round.js';

/** With this many writes, a PING every ten seconds and a SELECT add less than a hundredth of a byte a write. */
export const WRITES = 10_000;
/** Writes of one script. */
const GROUP = 10;
const PAYLOADS = [8, 64, 1024];
/** The article's. */
const RATE = 30_000;
/** The call carries what the writes have in common; the script makes the single keys. */
const SCRIPT = `for i = 0, ARGV[2] - 1 do redis.call('SET', KEYS[1] .. ':' .. i, ARGV[1]) end return tonumber(ARGV[2])`;
/** Stream and wire are read at different instants: a PING in between is less than this a write. */
const PING_BYTES = 0.05;
/** Commands of the stream that stand for one write of the client. EXPIRE is replicated as a time. */
const WRITE_COMMANDS = ['set', 'incr', 'incrby', 'hincrby', 'expire', 'expireat', 'pexpire', 'pexpireat'];

/** How writes are sent; some in results of earlier versions only. @type {Readonly<Record<NonNullable<CaseParams['grouping']>, string>>} */
const SENT_AS = Object.freeze({
  single: 'SET, one at a time',
  batch: `SET, ${GROUP} in a pipeline`,
  multi: `SET, ${GROUP} in MULTI`,
  script: `SET, ${GROUP} in a script (EVALSHA)`,
  function: `SET, ${GROUP} in a function (FCALL)`,
});

/** @param {Pick<CaseResult, 'params'>} row @returns {boolean} a mix of requests at a rate, not a number of writes that are all alike */
export const isMix = ({ params }) => params.grouping === undefined;

/** @param {CaseFigures} row @returns {string} of traffic at this rate */
function monthText(row) {
  const demand = isMix(row) ? figure(row, 'link-demand') : null;
  return demand === null ? NOT_MEASURED : billedBytes(demand * SECONDS_A_MONTH);
}

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  {
    title: 'sent',
    text: (/** @type {CaseFigures} */ { params: { grouping, rate: asked } }) =>
      grouping ? SENT_AS[grouping] : `the mix, ${rate(asked ?? 0)}`,
  },
  { title: 'keys and values', text: ({ params }) => params.pattern ?? '' },
  { title: 'value', text: ({ params }) => bytes(params.payloadBytes), align: 'right' },
  { title: 'request, a write', metric: 'link-request-per-write', format: 'bytes' },
  { title: 'stream, a write', metric: 'link-stream-per-write', format: 'bytes' },
  { title: 'wire, a write', metric: 'link-wire-per-write', format: 'bytes' },
  { title: 'stream', metric: 'link-demand', format: 'bits' },
  { title: 'a month of that', text: monthText, align: 'right' },
];

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function demandChecks({ cases }) {
  return [
    checkEach('the stream has at least what was written', cases, (result) => {
      const perWrite = linksOf(result).flatMap(({ streamBytes, writes }) => (writes > 0 ? streamBytes / writes : []));
      if (perWrite.length === 0) return 'nothing was replicated';
      const least = Math.min(...perWrite);
      return isMix(result) || least >= result.params.payloadBytes ? null : `${least.toFixed(1)} B`;
    }),
    checkEach('the replica executed every write', cases, (result) => {
      const [calls, writes] = linksOf(result).reduce(
        ([all, sent], link) => [
          all + WRITE_COMMANDS.reduce((sum, name) => sum + (link.executed?.[name] ?? 0), 0),
          sent + link.writes,
        ],
        [0, 0],
      );
      return calls === writes && writes > 0 ? null : `${count(calls)} of ${count(writes)}`;
    }),
    checkEach('the wire carried the stream', cases, (result) => {
      const short = linksOf(result).find(
        ({ wire, streamBytes, writes }) => (wire?.toReplicaBytes ?? 0) <= streamBytes - PING_BYTES * writes,
      );
      return short ? `${percent((short.wire?.toReplicaBytes ?? 0) / short.streamBytes)} of it` : null;
    }),
  ];
}

/** @returns {Case[]} */
export function demandCases() {
  const exact = (/** @type {Partial<CaseParams> & {payloadBytes: number}} */ params) =>
    linkCase(`${params.grouping}-${params.payloadBytes}B-regular`, { pattern: 'regular', ...params });
  return [
    ...PAYLOADS.map((payloadBytes) => exact({ grouping: 'single', payloadBytes })),
    exact({ grouping: 'script', pipeline: GROUP, payloadBytes: 64 }),
    mixCase(`mix-${RATE}ps`, { pattern: 'regular', rate: RATE }),
  ];
}

/** @type {Measure} */
export async function measureDemand(site) {
  const { testbed, theCase, now } = site;
  return onPath(site, async ({ path, ends }) => {
    const send = isMix(theCase) ? () => sendMix(site) : await prepareWrites(site, ends.primary);
    // The stream is read after the leftovers of the round before.
    await untilInSync(ends.primary, ends.replica, testbed.signal);
    return roundAround(testbed, async () => {
      now(`${theCase.id}: writes`);
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
          wire: wireBetween(before.use, after.use, (after.use.atMs - before.use.atMs) / MS_A_SECOND),
        },
      };
    });
  });
}

/** @typedef {OwnSample & {writes: number, requestBytes?: number}} Sent */

/**
 * Equal writes on one connection, each request after the answer to the one before.
 * @param {RoundSite} site
 * @param {Control} primary
 * @returns {Promise<() => Promise<Sent>>}
 */
async function prepareWrites({ testbed, theCase: { params } }, primary) {
  const { payloadBytes, pipeline } = params;
  const sha = params.grouping === 'script' ? String(await primary.call('SCRIPT', 'LOAD', SCRIPT)) : null;
  const requests = Array.from({ length: WRITES / pipeline }, (_, i) => {
    const { key, value } = wordsOf(i, payloadBytes);
    return encodeCommand(
      sha === null ? ['SET', `${key}:0`, value] : ['EVALSHA', sha, '1', key, value, String(pipeline)],
    );
  });
  const answer = sha === null ? 'OK' : pipeline;
  return async () => {
    const sender = await connect({
      ...nodesOf(testbed).primary.address,
      credentials: testbed.stack.access.credentials,
    });
    try {
      const histogram = newHistogram();
      const loadSince = measureThread();
      const begin = performance.now();
      let at = begin;
      for (const request of requests) {
        testbed.signal.throwIfAborted();
        const [reply] = await sender.send(request, 1);
        if (reply !== answer) throw new Error(`a write was answered with: ${String(reply).slice(0, 60)}`);
        const answeredAt = performance.now();
        histogram.recordValueWithCount(Math.round((answeredAt - at) * NS_A_MS), pipeline);
        at = answeredAt;
      }
      return {
        writes: WRITES,
        requestBytes: sum(requests.map(({ length }) => length)),
        seconds: (at - begin) / MS_A_SECOND,
        operations: WRITES,
        outcomes: { acked: WRITES, underAcked: 0, rejected: 0, unknown: 0 },
        errors: {},
        histogram: encodeHistogram(histogram),
        load: loadSince(),
      };
    } finally {
      sender.close();
    }
  };
}

/** @param {RoundSite} site @returns {Promise<Sent>} */
function sendMix(site) {
  const { profile, signal } = site.testbed;
  return withTraffic(site, async (traffic) => {
    await pass(profile.seconds * MS_A_SECOND, signal);
    const { requests, unsent: _, ...sample } = await traffic.stop();
    return { ...sample, operations: requests };
  });
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

/**
 * @param {number} number 0 … 99,999,999; another one has other words
 * @param {number} payloadBytes of the value
 * @returns {{key: string, value: string}} the beginning of the key, 46 bytes
 */
function wordsOf(number, payloadBytes) {
  const digits = String(number).padStart(8, '0');
  const text = `used:${digits} state:live plan:basic limit:1000000;`;
  return {
    key: `service:${digits.slice(-4)}:app:${digits}:metric:hits:20261121`,
    value: text.repeat(Math.ceil(payloadBytes / text.length)).slice(0, payloadBytes),
  };
}

export default linkBenchmark('link-demand', {
  // Further rounds hardly change byte counts; the seconds are the mix's.
  paces: { quick: [1, 3], standard: [5, 4], full: [5, 30] },
  cases: demandCases,
  measure: measureDemand,
  columns: COLUMNS,
  checks: (result) => [everyWriteAcked(result), ...demandChecks(result)],
});
