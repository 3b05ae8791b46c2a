/**
 * The benchmark `link-shortfall`: what piles up on a slow link, when the replica is disconnected, and what a promotion then loses. Writes go on
 * while the replica's link is too slow or long; then the replica is promoted.
 *
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { TrialSample, TrialThread } from '../../src/load/trial-thread.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check, RoundResult } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Case, Measure, RoundSite } from '../../src/run/types.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './replication.js'
 */
import { valueMaker } from '../../src/audit/value.js';
import { keyName } from '../../src/clients/native-batch.js';
import { figure } from '../../src/facts/query.js';
import { bytes, count, percent } from '../../src/format.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { stopFollowing, untilInSync } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { addCounts, knownMedian } from '../../src/stats/statistics.js';
import { MS_A_SECOND, SECONDS_AN_HOUR } from '../../src/units.js';
import { totalOf } from '../pages/fact-table.js';
import { linkBenchmark, linkCase } from './benchmark.js';
import { linksOf, linkTitle, timedOutText } from './figures.js';
import { lagCharts } from './lag-chart.js';
import * as replication from './replication.js';
import { controlOf, nodesOf, onPath, pass, startWaitProber } from './round.js';
import { auditsOf, describeWriters, planWriters, withWriters, wrongWrites } from './writers.js';

/** Of every case. With keys and the protocol they are some 35 Mbit/s of replication, 1.5 times the article's 23. */
const LOAD = Object.freeze({ rate: 4000, payloadBytes: 1000, connections: 10, waitTimeoutMs: 500 });
/**
 * Redis’s own limit of 256 MB, or 64 MB for 60 s, is reached after minutes or hours. A 64th of its bytes and a 30th of its seconds fit into a
 * round.
 */
const SCALED_LIMIT = 'replica 4mb 1mb 2';
/** It holds all that a round writes. */
const LARGE_BACKLOG = '64mb';
const SHARES = [1.25, 1, 0.75, 0.5];
const LATENCIES_MS = [1, 20, 80];
const SHORT = 0.75;

/** Between two samples, and between two writes with WAIT. */
const SAMPLE_MS = 200;
const PROBE_MS = 250;
/** Shares of the pace’s seconds: a shortfall takes a while to show. */
const LONGER = 1.6;
const SHORTER = 0.5;
/** Enough for an exact mean: a PING every 10 s adds 14 bytes. */
const CALIBRATION_WRITES = 500;

/** A demand within this share of the intended one is right. */
const CLOSE = 0.1;
/** A cap on a busy machine holds within this share. */
const ROUGHLY = 0.3;
/** A lag of fewer seconds of writing is bounded. */
const BOUND_SECONDS = 1;
/** Less growth than this share of the demand comes from uneven writers. */
const NO_GROWTH = 0.01;

/** @param {number} size in bytes @returns {string} in powers of ten, as in the article */
const gigabytes = (size) => `${(size / 1e9).toPrecision(2)} GB`;

/** @param {CaseFigures} row @returns {string} what the link cannot carry in an hour, if the primary disconnects nobody */
function behindText(row) {
  const [growth, demand] = [figure(row, 'link-growth'), figure(row, 'link-demand') ?? 0];
  if (growth === null) return NOT_MEASURED;
  return growth > NO_GROWTH * demand ? gigabytes(growth * SECONDS_AN_HOUR) : '0';
}

/** @param {string} title @param {string} metric @returns {ColumnSpec} over all rounds */
const total = (title, metric) => ({ title, text: (row) => count(totalOf(row, metric)), align: 'right' });

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  link: { title: 'link of the replica', text: linkTitle },
  demand: { title: 'demand', metric: 'link-demand', format: 'bits' },
  cap: { title: 'capped to', metric: 'link-limit', format: 'bits' },
  missing: { title: 'writes lost by a promotion', metric: 'link-promotion-missing', format: 'count' },
  lost: { title: 'of writing', metric: 'link-promotion-lost', format: 'seconds' },
  behind: { title: 'behind after an hour', text: behindText, align: 'right' },
  lag: { title: 'largest lag', metric: 'link-max-lag', format: 'bytes' },
  buffer: { title: 'largest output buffer', metric: 'link-max-buffer', format: 'bytes' },
  memory: { title: 'sender memory grew by', metric: 'link-memory-growth', format: 'bytes' },
  disconnected: total('disconnected', 'link-disconnects'),
  full: total('full resyncs', 'link-full-resyncs'),
  partial: total('partial', 'link-partial-resyncs'),
  missed: { title: 'missed when back', metric: 'link-missed', format: 'bytes' },
  wait: { title: 'WAIT 1 p50', metric: 'link-waits-latency-p50', format: 'ms' },
  waits: { title: 'WAIT 1 timed out', text: timedOutText, align: 'right' },
};

/** @returns {Case[]} links below or above demand, and distant ones */
function shortfallCases() {
  const one = (/** @type {string} */ id, /** @type {Partial<CaseParams>} */ params) =>
    linkCase(id, { ...LOAD, ...params });
  return [
    ...SHARES.map((linkShare) => one(`share-${Math.round(linkShare * 100)}`, { linkShare })),
    ...LATENCIES_MS.map((linkLatencyMs) => one(`latency-${linkLatencyMs}ms`, { linkLatencyMs })),
    one(`share-${SHORT * 100}-backlog-${LARGE_BACKLOG}`, {
      linkShare: SHORT,
      settings: { 'repl-backlog-size': LARGE_BACKLOG },
    }),
    one(`share-${SHORT * 100}-chain`, { linkShare: SHORT, chain: true, replicas: 2 }),
  ];
}

/** @param {CaseResult} result @param {(link: LinkFigures) => number | null | undefined} value @returns {number | null} the median of the rounds */
const typical = (result, value) => knownMedian(linksOf(result).map(value));

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function shortfallChecks({ cases }) {
  const isShort = (/** @type {CaseResult} */ { params: { linkShare = 1 } }) => linkShare < 1;
  const enough = cases.filter(({ params }) => params.linkShare === undefined || params.linkShare > 1);
  const words = { title: linkTitle };
  return [
    checkEach('replication demanded what was intended', cases, otherDemand, words),
    checkEach('on a sufficient link no replica is disconnected and the lag is bounded', enough, notEnough, words),
    checkEach('on a link below demand the lag grows by the difference', cases.filter(isShort), growsOtherwise, words),
    checkEach(
      'the promoted replica was audited for acknowledged writes',
      cases,
      (result) =>
        linksOf(result).every(({ promotion }) => promotion && promotion.acked > 0) ? null : 'not in every round',
      words,
    ),
  ];
}

/** @param {CaseResult} result */
function otherDemand({ params: { rate = 0, linkShare }, summary, rounds }) {
  const written = summary.throughput.median;
  if (rate === 0 || Math.abs(written / rate - 1) > CLOSE)
    return `${count(written)} writes a second instead of ${count(rate)}`;
  const off = rounds
    .flatMap(({ link }) =>
      link?.limitBytesPerSecond === undefined || linkShare === undefined
        ? []
        : (link.demandBytesPerSecond * linkShare) / link.limitBytesPerSecond,
    )
    .find((share) => Math.abs(share - 1) > CLOSE);
  return off === undefined ? null : `the demand was ${percent(off)} of the demand that the cap was computed from`;
}

/** @param {CaseResult} result */
function notEnough(result) {
  if (linksOf(result).some(({ disconnects, fullResyncs }) => disconnects || fullResyncs))
    return 'the replica was disconnected or resynced';
  const [lag, demand] = [
    typical(result, (link) => link.maxLagBytes),
    typical(result, (link) => link.demandBytesPerSecond),
  ];
  if (lag === null || demand === null) return 'the lag is not known';
  const seconds = BOUND_SECONDS + (result.params.linkLatencyMs ?? 0) / 1000;
  return lag > demand * seconds ? `it was behind by up to ${bytes(lag)}` : null;
}

/** A busy machine may fail to shape the link; then the figures of the case are not those of its link. @param {CaseResult} result */
function growsOtherwise(result) {
  const [growth, missing] = [
    typical(result, (link) => link.growthBytesPerSecond),
    typical(result, (link) => link.limitBytesPerSecond && link.demandBytesPerSecond - link.limitBytesPerSecond),
  ];
  if (growth === null || missing === null) return 'the growth is not known';
  if (Math.abs(growth / missing - 1) <= ROUGHLY) return null;
  return `by ${bytes(Math.max(0, growth))} a second instead of ${bytes(Math.max(0, missing))}`;
}

/** @type {Measure} */
export function measureShortfall(site) {
  return withWriters((thread) => onPath(site, (link) => carryOut(site, link, thread)));
}

/**
 * @param {RoundSite} site
 * @param {{path: Path, ends: Ends}} link
 * @param {TrialThread} thread
 * @returns {Promise<RoundResult>}
 */
async function carryOut({ testbed, theCase: { params, id }, keyPrefix, now }, { path, ends }, thread) {
  const { signal, stack } = testbed;
  const { primary, sender, replica } = nodesOf(testbed, params);
  const seconds = testbed.profile.seconds * ((params.linkShare ?? 1) < 1 ? LONGER : SHORTER);
  const plan = planWriters(testbed, params, { keyPrefix: `${keyPrefix}w:`, seconds });
  const demand = (params.rate ?? 0) * (await bytesPerWrite(controlOf(testbed, primary), params, `${keyPrefix}c:`));
  await untilInSync(ends.primary, ends.replica, signal);
  const { linkShare, linkLatencyMs: latencyMs = 0 } = params;
  const limit = linkShare === undefined ? undefined : Math.round(linkShare * demand);
  await path.shape({ latencyMs, bytesPerSecond: limit });
  const logs = await Promise.all([sender, replica].map((node) => replication.followLog(stack, node.id)));

  /** @type {TrialSample | undefined} */
  let sample;
  let lostAt = 0;
  now(`${id}: writing`);
  const round = await roundAround(testbed, async () => {
    const outputLimit = await replication.readOutputLimit(ends.primary);
    const before = await replication.lookAt(ends);
    const memory = Number((await ends.primary.info('memory')).used_memory);
    const wait = { key: `${keyPrefix}p`, everyMs: PROBE_MS, timeoutMs: params.waitTimeoutMs };
    const prober = await startWaitProber(testbed, wait);
    const stop = new AbortController();
    const watch = replication.watchReplication(ends, { everyMs: SAMPLE_MS, signal: stop.signal });
    try {
      await untilAborted(thread.start(plan), signal);
      await pass(seconds * MS_A_SECOND, signal);
      // Both end before the cut: afterwards no WAIT and no sample would be answered.
      const { waits, errors } = await untilAborted(prober.stop(), signal);
      const samples = await watch.stop();
      // The sender is lost from here on. Writes acknowledged while the cut is made count, later ones do not.
      await path.cut();
      lostAt = clockMs();
      sample = await untilAborted(thread.stop(), signal);
      const after = await replication.lookAt(ends);
      const [sent, received] = await Promise.all(logs.map((added) => added()));
      const written = describeWriters(plan, sample, errors);
      const streamBytes = after.written - before.written;
      return {
        ...written,
        link: {
          writes: written.outcomes.acked + written.outcomes.unknown + waits.asked,
          streamBytes,
          demandBytesPerSecond: streamBytes / written.seconds,
          by: path.by,
          ...(limit !== undefined && { limitBytesPerSecond: limit }),
          ...replication.mostIn(samples, memory),
          growthBytesPerSecond: replication.growthOf(samples),
          outputLimit,
          disconnects: replication.disconnectsBetween(before, after, sent),
          ...replication.resyncsBetween(before, after),
          // Later refusals follow full resyncs, which make the gap longer.
          missedBytes: replication.missedOf(received)[0] ?? replication.largest(replication.caughtUpOf(sent)),
          waits,
        },
      };
    } finally {
      stop.abort();
      prober.close();
    }
  });

  now(`${id}: promoting the replica and looking for every write`);
  await replication.untilStill(ends.replica, signal);
  await stopFollowing(ends.replica);
  if (!sample || !round.link) throw new Error('the writers reported nothing');
  const { onPrimary, onPromoted } = await auditsOf(testbed, { plan, sample, lostAt }, replica);
  // An acknowledged write that the promoted replica lacks is a loss, not an error.
  const promotion = { acked: onPromoted.acked, missing: onPromoted.ackedLost };
  return { ...round, errors: addCounts(round.errors, wrongWrites(onPrimary)), link: { ...round.link, promotion } };
}

/**
 * Writes as the writers do, to other keys of the same length, and measures the growth of the stream.
 * @param {Control} primary
 * @param {CaseParams} params
 * @param {string} keyPrefix as long as that of the writers
 * @returns {Promise<number>} bytes of the replication stream a write
 */
async function bytesPerWrite(primary, { payloadBytes }, keyPrefix) {
  const offset = async () => Number((await primary.info('replication')).master_repl_offset);
  const value = valueMaker(keyPrefix, payloadBytes);
  // The first write after a while is preceded by a SELECT.
  await primary.call('SET', keyName(keyPrefix, CALIBRATION_WRITES), value(CALIBRATION_WRITES));
  const before = await offset();
  const numbers = Array.from({ length: CALIBRATION_WRITES }, (_, number) => number);
  await Promise.all(numbers.map((number) => primary.call('SET', keyName(keyPrefix, number), value(number))));
  return ((await offset()) - before) / CALIBRATION_WRITES;
}

export default linkBenchmark('link-shortfall', {
  settings: { 'repl-backlog-size': '1mb', 'client-output-buffer-limit': SCALED_LIMIT },
  paces: { quick: [1, 8.5], standard: [5, 9], full: [5, 30] },
  cases: shortfallCases,
  measure: measureShortfall,
  columns: COLUMNS,
  charts: lagCharts,
  checks: (result) => [everyWriteAcked(result), ...shortfallChecks(result)],
});
