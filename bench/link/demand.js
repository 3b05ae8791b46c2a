/** The benchmark `link-demand`: what a write costs on the replication link: of a number of equal writes, or of a mix of requests at a rate. */
/** @import { BenchmarkResult, CaseFigures, CaseParams, CaseResult, ColumnSpec, Measure, OwnSample, RoundSite } from '../types.js' */
/** @import { Control } from '../../src/stacks/redis/control.js' */
/** @import { LinkFigures } from './document.js' */
import { connect } from '../../src/clients/connection.js';
import { bytes, count, percent, rate } from '../../src/format.js';
import { measureThread } from '../../src/load/thread.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { figures } from '../../src/report/specs.js';
import { encodeCommand } from '../../src/resp/writer.js';
import { roundAround } from '../../src/run/round.js';
import { untilInSync } from '../../src/stacks/redis/replication.js';
import { encodeHistogram, newHistogram } from '../../src/stats/histogram.js';
import { sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { checkRounds, linkBenchmark, linksOf } from './benchmark.js';
import { withStream } from './replication.js';
import { nodesOf, onPath, pass, sampleOfTraffic, wireBetween, withTraffic } from './round.js';

/** With this many writes, a PING every ten seconds and a SELECT add less than a hundredth of a byte a write. */
export const WRITES = 10_000;
const GROUP = 10;
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

/** @type {readonly ColumnSpec[]} */
const COLUMNS = [
  {
    title: 'sent',
    text: (/** @type {CaseFigures} */ { params: { grouping, rate: asked } }) =>
      grouping ? SENT_AS[grouping] : `the mix, ${rate(asked ?? 0)}`,
  },
  { title: 'keys and values', text: ({ params }) => params.pattern ?? '' },
  figures('value', ({ params }) => bytes(params.payloadBytes)),
  { title: 'request, a write', metric: 'link-request-per-write', format: 'bytes' },
  { title: 'stream, a write', metric: 'link-stream-per-write', format: 'bytes' },
  { title: 'wire, a write', metric: 'link-wire-per-write', format: 'bytes' },
  { title: 'stream', metric: 'link-demand', format: 'bits' },
];

/** @param {BenchmarkResult} benchmark */
export function demandChecks({ cases }) {
  return [
    checkEach('the stream has at least what was written', cases, (result) => {
      const perWrite = linksOf(result).flatMap(({ streamBytes, writes }) => (writes > 0 ? streamBytes / writes : []));
      if (perWrite.length === 0) return 'nothing was replicated';
      const least = Math.min(...perWrite);
      return isMix(result) || least >= result.params.payloadBytes ? null : `${least.toFixed(1)} B`;
    }),
    checkEach('the replica executed every write', cases, (result) => {
      const links = linksOf(result);
      const calls = sum(links.flatMap(({ executed = {} }) => WRITE_COMMANDS.map((name) => executed[name] ?? 0)));
      const writes = sum(links.map((link) => link.writes));
      return calls === writes && writes > 0 ? null : `${count(calls)} of ${count(writes)}`;
    }),
    checkRounds('the wire carried the stream', cases, ({ wire, streamBytes, writes }) => {
      const carried = wire?.toReplicaBytes ?? 0;
      return carried > streamBytes - PING_BYTES * writes ? null : `${percent(carried / streamBytes)} of it`;
    }),
  ];
}

/** @type {Measure} */
export async function measureDemand(site) {
  const { testbed, theCase, now } = site;
  return onPath(site, async (link) => {
    const { path, ends } = link;
    const send = isMix(theCase) ? () => sendMix(site) : await prepareWrites(site, ends.primary);
    const isSent = () => untilInSync(ends.primary, ends.replica, testbed.signal);
    const look = async () => ({ use: await path.use(), calls: await commandCalls(ends.replica) });
    async function measure() {
      now(`${theCase.id}: writes`);
      const before = await look();
      const { link: sent, ...sample } = await send();
      await isSent();
      const after = await look();
      const executed = executedSince(before.calls, after.calls);
      return { ...sample, link: { ...sent, executed, wire: wireBetween(before.use, after.use) } };
    }
    // The stream is read after the leftovers of the round before.
    await isSent();
    return roundAround(testbed, () => withStream(link, measure));
  });
}

/** @typedef {Omit<OwnSample, 'link'> & {link: Pick<LinkFigures, 'writes' | 'requestBytes'>}} Sent */

/** Equal writes on one connection, each request after the answer to the one before. @param {RoundSite} site @param {Control} primary */
async function prepareWrites({ testbed, theCase: { params } }, primary) {
  const { payloadBytes, pipeline } = params;
  const sha = params.grouping === 'script' ? String(await primary.call('SCRIPT', 'LOAD', SCRIPT)) : null;
  const requests = Array.from({ length: WRITES / pipeline }, (_, i) => {
    const { key, value } = wordsOf(i, payloadBytes);
    return encodeCommand(
      sha === null ? ['SET', `${key}:0`, value] : ['EVALSHA', sha, '1', key, value, String(pipeline)],
    );
  });
  const target = { ...nodesOf(testbed).primary.address, credentials: testbed.stack.access.credentials };
  return async () => {
    const sender = await connect(target, testbed.signal);
    try {
      const histogram = newHistogram();
      const loadSince = measureThread();
      const begin = performance.now();
      let at = begin;
      for (const request of requests) {
        const [reply] = await sender.send(request, 1);
        if (reply !== (sha === null ? 'OK' : pipeline))
          throw new Error(`a write was answered with: ${String(reply).slice(0, 60)}`);
        const answeredAt = performance.now();
        histogram.recordValueWithCount(Math.round((answeredAt - at) * NS_A_MS), pipeline);
        at = answeredAt;
      }
      return {
        seconds: (at - begin) / MS_A_SECOND,
        operations: WRITES,
        outcomes: { acked: WRITES, underAcked: 0, rejected: 0, unknown: 0 },
        errors: {},
        histogram: encodeHistogram(histogram),
        load: loadSince(),
        link: { writes: WRITES, requestBytes: sum(requests.map(({ length }) => length)) },
      };
    } finally {
      sender.close();
    }
  };
}

/** @param {RoundSite} site */
function sendMix(site) {
  const { profile, signal } = site.testbed;
  return withTraffic(site, async (traffic) => {
    await pass(profile.seconds * MS_A_SECOND, signal);
    return sampleOfTraffic(await traffic.stop());
  });
}

/** @param {Control} node @returns {Promise<Map<string, number>>} command → how often it was executed */
async function commandCalls(node) {
  const stats = Object.entries(await node.info('commandstats'));
  return new Map(
    stats.map(([name, text]) => [name.replace('cmdstat_', ''), Number(/calls=(\d+)/.exec(text)?.[1] ?? 0)]),
  );
}

const OURS = new Set(['info', 'ping', 'select', 'role', 'config|get', 'client|setinfo', 'hello']);

/** @param {Map<string, number>} before @param {Map<string, number>} after */
function executedSince(before, after) {
  const grown = [...after].map(([name, calls]) => /** @type {const} */ ([name, calls - (before.get(name) ?? 0)]));
  return Object.fromEntries(grown.filter(([name, calls]) => calls > 0 && !OURS.has(name)));
}

/** @param {number} number 0 … 99,999,999; another one has other words @param {number} payloadBytes of the value @returns the beginning of the key, 46 bytes */
function wordsOf(number, payloadBytes) {
  const digits = String(number).padStart(8, '0');
  const text = `used:${digits} state:live plan:basic limit:1000000;`;
  return {
    key: `service:${digits.slice(-4)}:app:${digits}:metric:hits:20261121`,
    value: text.repeat(Math.ceil(payloadBytes / text.length)).slice(0, payloadBytes),
  };
}

export default linkBenchmark('link-demand', {
  measure: measureDemand,
  columns: COLUMNS,
  checks: (result) => [everyWriteAcked(result), ...demandChecks(result)],
});
