/**
 * The benchmark `link-compression`: what a compressing tunnel saves on the wire, and what CPU and delay it costs.
 *
 * @import { Block } from '../../../src/report/blocks.js'
 * @import { Chart } from '../../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult, Check, Finding } from '../../../src/result/schema.js'
 * @import { Benchmark, Column } from '../../../src/run/types.js'
 */
import { list, text } from '../../../src/report/blocks.js';
import { medianNote } from '../../../src/report/charts/against.js';
import { grid, legend, valueAxis } from '../../../src/report/charts/parts.js';
import { outcomesOf, TOO_FEW } from '../../../src/report/columns.js';
import { roundsText } from '../../../src/report/findings.js';
import { bitRate, bytes, count, duration, percent, rate } from '../../../src/report/format.js';
import { checkEach } from '../../../src/run/checks.js';
import { median } from '../../../src/stats/statistics.js';
import { MIX, mixCase, ON_A_PATH, tunnelName } from '../traffic.js';
import { measureCompression } from './measure.js';

/**
 * @typedef {Object} Compression medians over the rounds of a case
 * @property {number} stream bytes a second of the replication stream
 * @property {number} wire bytes a second to the replica, on the wire
 * @property {number} back bytes a second to the primary
 * @property {number} ratio bytes of the stream for each byte to the replica; meaningless unless `whole`
 * @property {boolean} whole in all rounds the wire carried exactly what the stream grew by: the replica caught up, without a
 *   full resync
 * @property {'stream' | 'packets'} counts the unit of bytes on the wire
 * @property {string | undefined} by the program that carried it
 * @property {number | null} primaryEndCpu CPU seconds a second of the tunnel’s processes; null: no processes, or not known
 * @property {number | null} replicaEndCpu
 * @property {number} requests answered a second
 * @property {boolean} kept the requested rate was reached, to a hundredth
 * @property {number | null} behindBytes when the load ended; null: in a round the replica was not connected
 * @property {number | null} catchUpMs from then until the replica had everything; null: in a round it did not
 * @property {number} waitP50 ns
 * @property {number} waitMax ns, of all rounds
 * @property {number} waits asked in all rounds
 * @property {number} waitsReached
 * @typedef {{result: CaseResult, figures: Compression}} Measured
 */

/** From the least CPU to the most. */
const TUNNELS = ['none', 'ssh', 'ssh-C', 'zstd-1', 'zstd-5', 'zstd-9'];
/** @type {readonly ('regular' | 'random')[]} */
const PATTERNS = ['regular', 'random'];
/** Longer pipelines arrive together and are compressed together: measured through two of the tunnels. */
const TOGETHER = ['ssh-C', 'zstd-5'];
const LONG = 100;

const PACES = {
  quick: { rounds: 1, seconds: 3, warmUpSeconds: 0 },
  standard: { rounds: 3, seconds: 10, warmUpSeconds: 0 },
  full: { rounds: 5, seconds: 30, warmUpSeconds: 0 },
};

/** The article's minute, in bytes a second. */
export const ARTICLE = Object.freeze({ before: 23.7e6 / 8, after: 1.94e6 / 8 });

const NS_A_MS = 1e6;
/** Catching up within this is no backlog. */
const SOON_MS = 200;
const BUSY = 0.9;
/** A rate counts as reached from this share of it on. */
const KEPT = 0.99;

/**
 * @param {CaseResult} result
 * @returns {Compression | null} null: its rounds have no figures of a wire
 */
export function compressionOf({ params, rounds }) {
  const all = rounds.flatMap(({ link, seconds, operations }) =>
    link?.wire && link.waits && seconds > 0
      ? [{ ...link, wire: link.wire, waits: link.waits, rate: operations / seconds }]
      : [],
  );
  if (all.length === 0) return null;
  const middle = (/** @type {(one: (typeof all)[number]) => number} */ value) => median(all.map(value));
  const requests = middle(({ rate }) => rate);
  return {
    // In the time that the wire took, for the two to be compared.
    stream: middle(({ streamBytes, wire }) => streamBytes / wire.seconds),
    wire: middle(({ wire }) => wire.toReplicaBytes / wire.seconds),
    back: middle(({ wire }) => wire.toPrimaryBytes / wire.seconds),
    ratio: middle(({ streamBytes, wire }) => (wire.toReplicaBytes > 0 ? streamBytes / wire.toReplicaBytes : 0)),
    whole: all.every(({ catchUpMs = null, fullResyncs = 0 }) => catchUpMs !== null && fullResyncs === 0),
    counts: all[0].wire.counts,
    by: all[0].by,
    primaryEndCpu: medianUnlessNull(all.map(({ wire }) => wire.primaryEndCpu)),
    replicaEndCpu: medianUnlessNull(all.map(({ wire }) => wire.replicaEndCpu)),
    requests,
    kept: params.rate === undefined || requests >= KEPT * params.rate,
    behindBytes: medianUnlessNull(all.map(({ behindBytes = null }) => behindBytes)),
    catchUpMs: medianUnlessNull(all.map(({ catchUpMs = null }) => catchUpMs)),
    waitP50: middle(({ waits }) => waits.latencyNs.p50),
    waitMax: Math.max(...all.map(({ waits }) => waits.latencyNs.max)),
    waits: all.reduce((sum, { waits }) => sum + waits.asked, 0),
    waitsReached: all.reduce((sum, { waits }) => sum + waits.reached, 0),
  };
}

/** @param {readonly (number | null)[]} values */
function medianUnlessNull(values) {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : median(known);
}

/**
 * What was busy while the rate was not reached or the replica fell behind.
 *
 * @param {CaseResult} result
 * @returns {string} `nothing` when neither happened
 */
export function limitOf(result) {
  const figures = compressionOf(result);
  if (!figures) return '';
  const { kept, catchUpMs, primaryEndCpu, replicaEndCpu } = figures;
  if (kept && catchUpMs !== null && catchUpMs < SOON_MS) return 'nothing';
  if ((primaryEndCpu ?? 0) >= BUSY) return 'tunnel, primary’s end';
  if ((replicaEndCpu ?? 0) >= BUSY) return 'tunnel, replica’s end';
  const { limitedBy } = result.summary;
  return limitedBy === 'nothing' ? 'not known' : limitedBy;
}

/**
 * @param {string} title
 * @param {(figures: Compression) => string} text
 * @returns {Column}
 */
function column(title, text) {
  return {
    title,
    align: 'right',
    cell: (result) => {
      const figures = compressionOf(result);
      return figures ? text(figures) : TOO_FEW;
    },
  };
}

/** @param {number | null} cpu */
export function cpuShare(cpu) {
  return cpu === null ? '' : percent(cpu);
}

/** @type {Column[]} */
export const COMPRESSION_COLUMNS = [
  { title: 'tunnel', align: 'left', cell: tunnelName },
  { title: 'keys', align: 'left', cell: ({ params }) => params.pattern ?? '' },
  { title: 'pipeline', align: 'right', cell: ({ params }) => count(params.pipeline) },
  column('requests', ({ requests }) => rate(requests)),
  column('stream', ({ stream }) => bitRate(stream)),
  column('wire', ({ wire }) => bitRate(wire)),
  column('back', ({ back }) => bitRate(back)),
  column('ratio', ({ whole, ratio }) => (whole ? ratio.toFixed(ratio < 10 ? 2 : 1) : 'not known')),
  column('CPU, primary’s end', ({ primaryEndCpu }) => cpuShare(primaryEndCpu)),
  column('CPU, replica’s end', ({ replicaEndCpu }) => cpuShare(replicaEndCpu)),
  column('behind at the end', ({ behindBytes }) => (behindBytes === null ? 'not connected' : bytes(behindBytes))),
  column('in sync after', ({ catchUpMs }) => (catchUpMs === null ? 'never' : duration(catchUpMs * NS_A_MS))),
  column('WAIT p50', ({ waitP50 }) => duration(waitP50)),
  column('WAIT longest', ({ waitMax }) => duration(waitMax)),
  { title: 'limited by', align: 'left', cell: limitOf },
];

/** A tunnel of the plain path carries the stream, give or take what was under way and the replica’s heartbeat. */
const METER = 0.01;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function compressionFindings({ cases }) {
  const measured = measuredOf(cases);
  const fewest = Math.min(...measured.map(({ result }) => result.params.pipeline));
  const main = measured.filter(({ result, figures }) => result.params.pipeline === fewest && figures.whole);
  const regular = main.filter(({ result }) => result.params.pattern === 'regular');
  const random = main.filter(({ result }) => result.params.pattern === 'random');
  const kept = regular.filter(({ figures }) => figures.kept);
  return [
    ratios(regular, 'Regular keys'),
    cost(kept),
    waits(kept),
    ratios(random, 'Random keys and values'),
    longerPipelines(measured, fewest),
    overhead(regular),
    rateNotKept(measured),
    notWhole(measured),
  ].filter((finding) => finding !== null);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Measured[]}
 */
export function measuredOf(cases) {
  return cases.flatMap((result) => {
    const figures = compressionOf(result);
    return figures ? [{ result, figures }] : [];
  });
}

/** @param {readonly Measured[]} own */
function evidence(own) {
  return own.map(({ result }) => result.id);
}

/**
 * @param {number} ratio
 * @returns {string} such as `6.51:1`
 */
export function toOne(ratio) {
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)}:1`;
}

/**
 * @param {readonly Measured[]} own of one pattern
 * @param {string} what
 * @returns {Finding | null}
 */
function ratios(own, what) {
  const tunnels = own.filter(({ result }) => result.params.tunnel !== 'none');
  if (tunnels.length === 0) return null;
  const parts = tunnels.map(({ result, figures: { ratio, kept } }) => {
    return `${tunnelName(result)} ${toOne(ratio)}${kept ? '' : ' (rate not reached)'}`;
  });
  const n = roundsText(tunnels[0].result.rounds.length);
  return { text: `${what}, stream to wire: ${parts.join(', ')} (${n})`, evidence: evidence(tunnels) };
}

/**
 * @param {readonly Measured[]} measured
 * @param {number} fewest requests in a pipeline
 * @returns {Finding | null}
 */
function longerPipelines(measured, fewest) {
  const regular = measured.filter(({ result, figures }) => result.params.pattern === 'regular' && figures.whole);
  const pairs = regular.flatMap((longer) => {
    const { tunnel, pipeline } = longer.result.params;
    const base = regular.find(({ result: { params } }) => params.tunnel === tunnel && params.pipeline === fewest);
    return base && pipeline > fewest ? [{ base, longer }] : [];
  });
  const [first] = pairs;
  if (!first) return null;
  const parts = pairs.map(
    ({ base, longer }) => `${tunnelName(base.result)} ${toOne(base.figures.ratio)} → ${toOne(longer.figures.ratio)}`,
  );
  return {
    text: `Pipeline depth ${first.longer.result.params.pipeline} instead of ${fewest} compresses better: ${parts.join(', ')}`,
    evidence: evidence(pairs.flatMap(({ base, longer }) => [base, longer])),
  };
}

/**
 * @param {readonly Measured[]} regular
 * @returns {Finding | null} what ssh adds, which no compression shrinks
 */
function overhead(regular) {
  const plain = regular.find(({ result }) => result.params.tunnel === 'ssh');
  const added = plain ? plain.figures.wire / plain.figures.stream - 1 : 0;
  if (!plain || added <= 0) return null;
  const headers = plain.figures.counts === 'packets' ? 'TCP/IP headers, ssh headers' : 'ssh headers';
  return {
    text: `ssh without compression adds ${percent(added)} to the stream: ${headers}, padding and checksums, which no compression shrinks`,
    evidence: [plain.result.id],
  };
}

/**
 * @param {readonly Measured[]} regular
 * @returns {Finding | null}
 */
function cost(regular) {
  const known = regular.filter(({ figures }) => figures.primaryEndCpu !== null);
  if (known.length === 0) return null;
  const parts = known.map(({ result, figures }) => `${tunnelName(result)} ${cpuShare(figures.primaryEndCpu)}`);
  const { stream } = known[0].figures;
  return {
    text: `CPU of the primary’s end of the tunnel, of one core, at ${bitRate(stream)} of stream: ${parts.join(', ')}`,
    evidence: evidence(known),
  };
}

/**
 * @param {readonly Measured[]} regular
 * @returns {Finding | null}
 */
function waits(regular) {
  if (regular.length === 0) return null;
  const parts = regular.map(({ result, figures: { waitP50, waits: asked, waitsReached } }) => {
    const missed = asked > waitsReached ? ` (${count(asked - waitsReached)} of ${count(asked)} timed out)` : '';
    return `${tunnelName(result)} ${duration(waitP50)}${missed}`;
  });
  return { text: `SET + WAIT 1, p50: ${parts.join(', ')}`, evidence: evidence(regular) };
}

/**
 * @param {readonly Measured[]} measured
 * @returns {Finding | null}
 */
function rateNotKept(measured) {
  const slow = measured.filter(({ figures }) => !figures.kept);
  if (slow.length === 0) return null;
  const parts = slow.map(({ result, figures }) => `${result.id} (${rate(figures.requests)})`);
  return {
    text: `Requested rate not reached, so CPU and WAIT are not compared: ${parts.join(', ')}`,
    evidence: evidence(slow),
  };
}

/**
 * @param {readonly Measured[]} measured
 * @returns {Finding | null}
 */
function notWhole(measured) {
  const own = measured.filter(({ figures }) => !figures.whole);
  if (own.length === 0) return null;
  const ids = own.map(({ result }) => result.id).join(', ');
  return {
    text: `No ratio where the replica did not catch up or needed a full resync: ${ids}`,
    evidence: evidence(own),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Block[]} the programs that carried the stream
 */
export function compressionDetails({ cases }) {
  const measured = measuredOf(cases);
  /** @type {Map<string, string>} */
  const by = new Map();
  for (const { result, figures } of measured) {
    if (figures.by !== undefined) by.set(tunnelName(result), figures.by);
  }
  if (by.size === 0) return [];
  const packets = measured.some(({ figures }) => figures.counts === 'packets');
  return [
    text(
      `What carried the stream. The wire is ${packets ? 'packets with their headers' : 'TCP payload without headers'}.`,
    ),
    list([...by].map(([name, carrier]) => (carrier.startsWith(name) ? carrier : `${name}: ${carrier}`))),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]} none where nothing was measured
 */
export function compressionChecks({ cases }) {
  const measured = measuredOf(cases);
  if (cases.length === 0) return [];
  const own = measured.map(({ result, figures }) => ({ id: result.id, result, figures }));
  const plain = own.filter(({ result }) => result.params.tunnel === 'none');
  const tunnels = [...new Set(own.map(({ result }) => result.params.tunnel ?? 'none'))];
  const compressing = tunnels
    .filter((tunnel) => tunnel === 'ssh-C' || tunnel.startsWith('zstd-'))
    .map((id) => ({ id }));
  return [
    checkEach('every request was answered, without an error', cases, (result) => {
      const { rejected, unknown } = outcomesOf(result);
      const kinds = new Set(result.rounds.flatMap((round) => Object.keys(round.errors)));
      return rejected + unknown + kinds.size === 0 ? null : [...kinds].join(', ') || 'no answer';
    }),
    checkEach('the replica had everything after each round, without a full resync', own, ({ figures }) =>
      figures.whole ? null : 'it did not catch up, or had a full resync',
    ),
    ...(plain.length === 0
      ? []
      : [checkEach('without a tunnel the wire carried the stream and next to nothing else', plain, otherThanStream)]),
    ...(compressing.length === 0
      ? []
      : [
          checkEach('regular keys compressed better than random ones', compressing, ({ id }) => {
            const ratiosOf = (/** @type {string} */ pattern) =>
              own.flatMap(({ result: { params }, figures }) =>
                params.tunnel === id && params.pattern === pattern && figures.whole ? figures.ratio : [],
              );
            const [least, most] = [Math.min(...ratiosOf('regular')), Math.max(...ratiosOf('random'))];
            return Number.isFinite(least) && Number.isFinite(most) && least <= most ? toOne(least) : null;
          }),
        ]),
  ];
}

/** @param {{result: CaseResult}} plain */
function otherThanStream({ result }) {
  const shares = result.rounds.flatMap(({ link }) => {
    if (!link?.wire) return [];
    const share = link.wire.toReplicaBytes / link.streamBytes;
    const most = link.wire.counts === 'stream' ? 1 + METER : Number.POSITIVE_INFINITY;
    return share >= 1 - METER && share <= most ? [] : [percent(share)];
  });
  return shares.length === 0 ? null : `${shares.join(', ')} of it`;
}

/**
 * @param {BenchmarkResult} benchmark the benchmark `link-compression`
 * @returns {Chart[]}
 */
function compressionCharts({ name, cases }) {
  // A tunnel that carried less than was asked for took less of a CPU for that alone.
  const known = cases.flatMap((one) => {
    const figures = compressionOf(one);
    return figures?.whole && figures.kept ? [{ one, figures, group: groupOf(one) }] : [];
  });
  const groups = [...new Set(known.map(({ group }) => group))];
  const costs = known.flatMap(({ one, figures, group }) =>
    figures.primaryEndCpu === null || figures.stream === 0
      ? []
      : [
          {
            tunnel: tunnelName(one),
            group,
            ratio: figures.ratio,
            cpuMs: perMegabyte(figures.primaryEndCpu, figures.stream),
          },
        ],
  );
  return costs.length < 2 ? [] : [costChart(name, groups, costs, medianNote(known.map(({ one }) => one)))];
}

const TUNNEL = 'tunnel';
const RATIO = 'stream to wire';
const cpuOf = (/** @type {string} */ group) => `CPU, ${group}`;
const GROUP_LOOKS = Object.freeze([
  { color: /** @type {const} */ ('$blue'), symbol: 'circle' },
  { color: /** @type {const} */ ('$orange'), symbol: 'diamond' },
  { color: /** @type {const} */ ('$sky'), symbol: 'triangle' },
]);

/**
 * @param {string} name of the benchmark
 * @param {readonly string[]} groups
 * @param {readonly {tunnel: string, group: string, ratio: number, cpuMs: number}[]} costs
 * @param {string} medians what the figures are over the rounds
 * @returns {Chart}
 */
function costChart(name, groups, costs, medians) {
  const shown = groups.filter((group) => costs.some((each) => each.group === group));
  return {
    id: `${name}.cost`,
    title: 'What compression saves and what CPU it takes',
    alt: costs
      .map(
        ({ tunnel, group, ratio, cpuMs }) =>
          `${tunnel}, ${group}: 1 to ${ratio.toFixed(2)}, ${duration(cpuMs * NS_A_MS)} of CPU a MB.`,
      )
      .join(' '),
    note: `Above is less on the wire, to the left is less CPU, which is that of the tunnel at the primary’s end. Only where the rate was reached that was asked for. Without a tunnel a byte of stream is a byte on the wire.${medians}`,
    columns: [
      { name: TUNNEL },
      { name: RATIO, format: 'times' },
      ...shown.map((group) => ({ name: cpuOf(group), format: /** @type {const} */ ('milliseconds') })),
    ],
    rows: costs.map(({ tunnel, group, ratio, cpuMs }) => [
      tunnel,
      ratio,
      ...shown.map((each) => (each === group ? cpuMs : null)),
    ]),
    height: 400,
    option: {
      grid: grid({ top: 96, right: 90 }),
      legend: { ...legend(shown), itemWidth: 12, itemHeight: 12, itemGap: 24 },
      tooltip: { trigger: 'item' },
      xAxis: valueAxis('CPU time for a megabyte of stream', { format: 'milliseconds', across: true, min: 0 }),
      // With room for the name of the highest.
      yAxis: {
        ...valueAxis('bytes of stream for a byte on the wire', { format: 'times', min: 0 }),
        boundaryGap: [0, '15%'],
      },
      series: shown.map((group) => {
        const { color, symbol } = GROUP_LOOKS[groups.indexOf(group) % GROUP_LOOKS.length];
        return {
          type: 'scatter',
          name: group,
          encode: { x: cpuOf(group), y: RATIO },
          symbol,
          symbolSize: 12,
          itemStyle: { color, opacity: 1 },
          // Slanted, so that names of points beside each other do not lie over each other.
          label: { show: true, position: 'top', rotate: 30, align: 'left', formatter: `{@${TUNNEL}}`, color: '$ink' },
        };
      }),
    },
  };
}

/** @param {CaseResult} one */
function groupOf({ params: { pattern, pipeline } }) {
  return `${pattern ?? ''} keys, pipelines of ${count(pipeline)}`;
}

/**
 * @param {number} cpu CPU seconds a second
 * @param {number} stream bytes a second, above 0: not every tunnel carried as much
 * @returns {number} milliseconds of CPU time
 */
function perMegabyte(cpu, stream) {
  return (1e3 * 1e6 * cpu) / stream;
}

/** @type {Benchmark} */
export default {
  name: 'link-compression',
  question: 'How much less does replication send when its stream is compressed, and what does that cost?',
  method:
    `${MIX.rate.toLocaleString('en-US')} requests a second as in the article, 62% of them writes, in pipelines of 10 over 4 connections, ` +
    'while the replica follows through the tunnel. The stream (growth of the primary’s offset) and the wire between both ends of the ' +
    'tunnel are read before the load and after the replica has caught up; handshake and first sync are in neither. The wire is TCP ' +
    'payload, on Docker packets with their headers. A separate writer sends SET and WAIT 1 twenty times a second. Regular: counters and ' +
    'short texts under keys of one pattern; random: 24 letters a key, and values alike. `ssh -C` has one level. OpenSSH’s server leaves ' +
    'Nagle’s algorithm on for a connection that only forwards (9.2, seen with strace), so WAIT may wait for the acknowledgement of an ' +
    'earlier segment. On loopback a segment holds 64 KB and that wait is far longer than in a network, whose segments hold 1.4 KB. ' +
    'Everything runs on one machine: WAIT has no distance, and the tunnel shares the cores with the nodes.',
  ...ON_A_PATH,
  pace: ({ name }) => PACES[name],
  cases: () => [
    ...PATTERNS.flatMap((pattern) => TUNNELS.map((tunnel) => mixCase(`${tunnel}-${pattern}`, { pattern, tunnel }))),
    ...TOGETHER.map((tunnel) => mixCase(`${tunnel}-regular-long`, { pattern: 'regular', tunnel, pipeline: LONG })),
  ],
  measure: measureCompression,
  table: COMPRESSION_COLUMNS,
  charts: compressionCharts,
  details: compressionDetails,
  findings: compressionFindings,
  checks: compressionChecks,
};
