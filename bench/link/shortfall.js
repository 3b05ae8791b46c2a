/** The benchmark `link-shortfall`: what piles up on a link that is too slow or long, when the replica is disconnected, and what a promotion then loses. */
/** @import { LinkFigures } from './document.js' */
/** @import { Link } from './round.js' */
/** @import { LedgerWriter } from './writers.js' */
/** @import { BenchmarkResult, CaseFigures, CaseResult, Chart, ColumnSpec, Measure, RoundSite } from '../types.js' */
/** @import { Style } from '../../src/report/charts/chart.js' */
import { figure } from '../../src/facts/query.js';
import { bytes, count, percent } from '../../src/format.js';
import { binarySteps, grid, legend, valueAxis } from '../../src/report/charts/parts.js';
import { styleAt } from '../../src/report/charts/styles.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import { figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { untilAborted } from '../../src/run/interruption.js';
import { roundAround } from '../../src/run/round.js';
import { stopFollowing } from '../../src/stacks/redis/replication.js';
import { clockMs } from '../../src/stats/clock.js';
import { addCounts, knownMedian } from '../../src/stats/statistics.js';
import { MS_A_SECOND, SECONDS_AN_HOUR } from '../../src/units.js';
import { linkBenchmark, linksOf, linkTitle, TIMED_OUT, total } from './benchmark.js';
import { followLog, readOutputLimit, untilStill, watchReplication, withStream } from './replication.js';
import { nodesOf, onPath, pass, startWaitProber } from './round.js';
import { lossIn, withWriter, wrongWrites } from './writers.js';

const SAMPLE_MS = 200;
const PROBE_MS = 250;
/** Shares of the pace’s seconds: a shortfall takes a while to show. */
const LONGER = 1.6;
const SHORTER = 0.5;

const CLOSE = 0.1;
const ROUGHLY = 0.3;
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

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  link: { title: 'link of the replica', text: linkTitle },
  demand: { title: 'demand', metric: 'link-demand', format: 'bits' },
  cap: { title: 'capped to', metric: 'link-limit', format: 'bits' },
  missing: { title: 'writes lost by a promotion', metric: 'link-promotion-missing', format: 'count' },
  lost: { title: 'of writing', metric: 'link-promotion-lost', format: 'seconds' },
  behind: figures('behind after an hour', behindText),
  lag: { title: 'largest lag', metric: 'link-max-lag', format: 'bytes' },
  buffer: { title: 'largest output buffer', metric: 'link-max-buffer', format: 'bytes' },
  memory: { title: 'sender memory grew by', metric: 'link-memory-growth', format: 'bytes' },
  disconnected: total('disconnected', 'link-disconnects'),
  full: total('full resyncs', 'link-full-resyncs'),
  partial: total('partial', 'link-partial-resyncs'),
  wait: { title: 'WAIT 1 p50', metric: 'link-waits-latency-p50', format: 'ms' },
  waits: TIMED_OUT,
};

/** @param {BenchmarkResult} benchmark */
export function shortfallChecks({ cases }) {
  const isShort = (/** @type {CaseResult} */ { params: { linkShare = 1 } }) => linkShare < 1;
  const enough = cases.filter(({ params }) => params.linkShare === undefined || params.linkShare > 1);
  const check = (
    /** @type {string} */ name,
    /** @type {readonly CaseResult[]} */ of,
    /** @type {(result: CaseResult) => string | null} */ wrong,
  ) => checkEach(name, of, wrong, { title: linkTitle });
  return [
    check('replication demanded what was intended', cases, otherDemand),
    check('on a sufficient link no replica is disconnected and the lag is bounded', enough, notEnough),
    check('on a link below demand the lag grows by the difference', cases.filter(isShort), growsOtherwise),
    check('the promoted replica was audited for acknowledged writes', cases, (result) =>
      linksOf(result).every(({ promotion }) => promotion && promotion.acked > 0) ? null : 'not in every round',
    ),
  ];
}

/** @param {CaseResult} result */
function otherDemand({ params: { rate = 0, linkShare = 0 }, summary, rounds }) {
  const written = summary.throughput.median;
  if (rate === 0 || Math.abs(written / rate - 1) > CLOSE)
    return `${count(written)} writes a second instead of ${count(rate)}`;
  const off = rounds
    .flatMap(({ link }) =>
      link?.limitBytesPerSecond ? (link.demandBytesPerSecond * linkShare) / link.limitBytesPerSecond : [],
    )
    .find((share) => Math.abs(share - 1) > CLOSE);
  return off === undefined ? null : `the demand was ${percent(off)} of the demand that the cap was computed from`;
}

/** @param {CaseResult} result */
function notEnough(result) {
  const links = linksOf(result);
  if (links.some(({ disconnects, fullResyncs }) => disconnects || fullResyncs))
    return 'the replica was disconnected or resynced';
  const lag = knownMedian(links.map(({ maxLagBytes }) => maxLagBytes));
  const demand = knownMedian(links.map(({ demandBytesPerSecond }) => demandBytesPerSecond));
  if (lag === null || demand === null) return 'the lag is not known';
  const seconds = BOUND_SECONDS + (result.params.linkLatencyMs ?? 0) / MS_A_SECOND;
  return lag > demand * seconds ? `it was behind by up to ${bytes(lag)}` : null;
}

/** A busy machine may fail to shape the link; then the figures of the case are not those of its link. @param {CaseResult} result */
function growsOtherwise(result) {
  const links = linksOf(result);
  const growth = knownMedian(links.map(({ growthBytesPerSecond }) => growthBytesPerSecond));
  const missing = knownMedian(
    links.map(({ limitBytesPerSecond: limit, demandBytesPerSecond }) => limit && demandBytesPerSecond - limit),
  );
  if (growth === null || missing === null) return 'the growth is not known';
  if (Math.abs(growth / missing - 1) <= ROUGHLY) return null;
  return `by ${bytes(Math.max(0, growth))} a second instead of ${bytes(Math.max(0, missing))}`;
}

/** @type {Measure} */
export function measureShortfall(site) {
  const { params } = site.theCase;
  const seconds = site.testbed.profile.seconds * ((params.linkShare ?? 1) < 1 ? LONGER : SHORTER);
  return withWriter(site, { ...params, seconds }, (writer) =>
    onPath(site, (link) => carryOut(site, { ...link, writer, seconds })),
  );
}

/** @param {RoundSite} site @param {Link & {writer: LedgerWriter, seconds: number}} by */
async function carryOut({ testbed, theCase: { params, id }, keyPrefix, now }, { writer, seconds, ...link }) {
  const { path, ends } = link;
  const { signal, stack } = testbed;
  const nodes = nodesOf(testbed, params);
  const { linkShare, linkLatencyMs: latencyMs = 0, rate = 0 } = params;
  const limit = linkShare && Math.round(linkShare * rate * writer.bytesPerWrite);
  await path.shape({ latencyMs, bytesPerSecond: limit });
  const disconnects = await followLog(stack, nodes.sender);
  let lostAt = 0;

  async function write() {
    const outputLimit = await readOutputLimit(ends.primary);
    const wait = { key: `${keyPrefix}p`, everyMs: PROBE_MS, timeoutMs: params.waitTimeoutMs };
    const prober = await startWaitProber(testbed, wait);
    const stop = new AbortController();
    const watch = await watchReplication(ends, { everyMs: SAMPLE_MS, signal: stop.signal });
    try {
      await writer.start();
      await pass(seconds * MS_A_SECOND, signal);
      // Both end before the cut: afterwards no WAIT and no sample would be answered.
      const { waits, errors } = await untilAborted(prober.stop(), signal);
      const samples = await watch();
      // The sender is lost from here on. Writes acknowledged while the cut is made count, later ones do not.
      await path.dark(true);
      lostAt = clockMs();
      const sample = await writer.stop();
      const { acked, unknown } = sample.outcomes;
      const limited = limit !== undefined && { limitBytesPerSecond: limit };
      return {
        ...sample,
        errors: addCounts(sample.errors, errors),
        link: {
          writes: acked + unknown + waits.asked,
          ...limited,
          ...samples,
          outputLimit,
          disconnects: await disconnects(),
          waits,
        },
      };
    } finally {
      stop.abort();
      prober.close();
    }
  }

  now(`${id}: writing`);
  const round = await roundAround(testbed, () => withStream(link, write));
  now(`${id}: promoting the replica and looking for every write`);
  await untilStill(ends.replica, signal);
  await stopFollowing(ends.replica);
  // An acknowledged write that the promoted replica lacks is a loss, not an error.
  const promotion = lossIn(await writer.audit(nodes.replica, lostAt));
  const errors = addCounts(round.errors, wrongWrites(await writer.audit(nodes.primary)));
  return { ...round, errors, link: { .../** @type {LinkFigures} */ (round.link), promotion } };
}

export default linkBenchmark('link-shortfall', {
  measure: measureShortfall,
  columns: COLUMNS,
  charts: lagCharts,
  checks: (result) => [everyWriteAcked(result), ...shortfallChecks(result)],
});

/**
 * @typedef {Object} Timeline the first round of a case
 * @property {string} name
 * @property {Style} style
 * @property {NonNullable<LinkFigures['samples']>} samples
 * @property {number} slope bytes a second by which the lag should grow, 0: the link is enough
 * @property {number} lastOnline index of the last sample before the first disconnection; -1: there was none
 */

const TIME = 'since the load began';
const STEPS = 9;
const byArithmetic = (/** @type {string} */ name) => `${name}, by arithmetic`;
const lostLink = (/** @type {string} */ name) => `${name}, disconnected`;

/** @param {BenchmarkResult} benchmark @returns {Chart[]} */
export function lagCharts({ name, cases }) {
  const timelines = cases.filter(({ params }) => params.linkShare !== undefined).flatMap(timelineIn);
  if (timelines.length === 0) return [];
  const names = timelines.flatMap((each) => [each.name, byArithmetic(each.name), lostLink(each.name)]);
  const most = Math.max(1, ...timelines.map(mostBehind));
  const [worst] = timelines.toSorted((a, b) => mostBehind(b) - mostBehind(a));
  return [
    {
      id: `${name}.lag`,
      title: 'How far the replica is behind while writes go on',
      alt: `Most, ${bytes(mostBehind(worst))}, with ${worst.name}.`,
      note: 'Dashed: demand minus what the link carries. Cross: the primary closed the connection.',
      columns: [
        { name: TIME, format: 'seconds' },
        ...names.map((each) => ({ name: each, format: /** @type {const} */ ('bytes') })),
      ],
      rows: timelines.flatMap((timeline) => rowsOf(timeline, names)),
      height: 440,
      option: {
        grid: grid({ top: 116 }),
        legend: { ...legend(timelines.map((each) => each.name)), right: 12 },
        xAxis: valueAxis(TIME, { format: 'seconds', across: true, min: 0 }),
        yAxis: { ...valueAxis('bytes not yet processed', { format: 'bytes', min: 0 }), ...binarySteps(most, STEPS) },
        series: timelines.flatMap(seriesOf),
      },
    },
  ];
}

/** @param {CaseResult} one @param {number} index @returns {Timeline[]} empty without samples */
function timelineIn(one, index) {
  const link = linksOf(one).find(({ samples = [] }) => samples.filter(({ lagBytes }) => lagBytes !== null).length > 1);
  if (!link) return [];
  const { samples = [], demandBytesPerSecond, limitBytesPerSecond = demandBytesPerSecond } = link;
  const slope = Math.max(0, demandBytesPerSecond - limitBytesPerSecond);
  const lost = samples.findIndex(({ state }) => state !== 'online');
  const lastOnline = lost === -1 ? -1 : samples.slice(0, lost).findLastIndex(({ lagBytes }) => lagBytes !== null);
  return [{ name: linkTitle(one), style: styleAt(index), samples, slope, lastOnline }];
}

/** @param {Timeline} timeline @returns {number} bytes */
const mostBehind = ({ samples }) => Math.max(0, ...samples.map(({ lagBytes }) => lagBytes ?? 0));

/** A block of rows for each case: cases have gaps at different times. @param {Timeline} timeline @param {readonly string[]} names of columns */
function rowsOf({ name, samples, slope, lastOnline }, names) {
  const at = names.indexOf(name);
  const end = lastOnline === -1 ? samples.length - 1 : lastOnline;
  return samples.map(({ afterMs, lagBytes }, i) => {
    const expected = slope > 0 && i <= end ? (slope * afterMs) / MS_A_SECOND : null;
    const figures = [lagBytes, expected, i === lastOnline ? lagBytes : null];
    return [afterMs / MS_A_SECOND, ...names.map((_, column) => figures[column - at] ?? null)];
  });
}

/** @param {Timeline} timeline */
function seriesOf({ name, style: { color, symbol } }) {
  const line = { type: 'line', name, itemStyle: { color }, tooltip: { valueFormatter: '@bytes' } };
  return [
    { ...line, encode: { x: TIME, y: name }, symbol, symbolSize: 5, lineStyle: { color, width: 2 } },
    {
      ...line,
      encode: { x: TIME, y: byArithmetic(name) },
      symbol: 'none',
      lineStyle: { color, type: 'dashed', width: 1.5, opacity: 0.8 },
    },
    {
      ...line,
      type: 'scatter',
      encode: { x: TIME, y: lostLink(name) },
      symbol: 'path://M0,0L10,10M10,0L0,10',
      symbolSize: 14,
      itemStyle: { color: 'transparent', borderColor: color, borderWidth: 3 },
      z: 5,
    },
  ];
}
