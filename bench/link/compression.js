/**
 * The benchmark `link-compression`: bytes that a compressing tunnel saves, and the CPU and delay that it costs.
 *
 * @import { Block } from '../../src/report/blocks.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { Benchmark, Column } from '../../src/run/types.js'
 */

import { bitRate, bytes, count, duration, percent, rate } from '../../src/format.js';
import { list, text } from '../../src/report/blocks.js';
import { medianNote } from '../../src/report/charts/against.js';
import { grid, legend, valueAxis } from '../../src/report/charts/parts.js';
import { checkEach, checkMeasured } from '../../src/report/checks.js';
import { left, outcomesOf, right, TOO_FEW } from '../../src/report/columns.js';
import { columnOf } from '../../src/report/over-rounds.js';
import { median, sum } from '../../src/stats/statistics.js';
import { NS_A_MS } from '../../src/units.js';
import { measureCompression } from './compression-round.js';
import { keptRate, MIX, mixCase, ON_A_PATH, paceOf, tunnelName } from './round.js';

/**
 * @typedef {Object} Compression medians over the rounds of a case
 * @property {number} stream bytes a second of the replication stream
 * @property {number} wire bytes a second to the replica, on the wire
 * @property {number} back bytes a second to the primary
 * @property {number} ratio bytes of the stream for each byte to the replica; meaningless unless `whole`
 * @property {boolean} whole in all rounds the wire carried exactly the growth of the stream: the replica caught up, without a
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

/** Catching up within this is no backlog. */
const SOON_MS = 200;
const BUSY = 0.9;

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
    // Over the same seconds as the wire, so that both can be compared.
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
    kept: keptRate({ params }, requests),
    behindBytes: medianUnlessNull(all.map(({ behindBytes = null }) => behindBytes)),
    catchUpMs: medianUnlessNull(all.map(({ catchUpMs = null }) => catchUpMs)),
    waitP50: middle(({ waits }) => waits.latencyNs.p50),
    waitMax: Math.max(...all.map(({ waits }) => waits.latencyNs.max)),
    waits: sum(all.map(({ waits }) => waits.asked)),
    waitsReached: sum(all.map(({ waits }) => waits.reached)),
  };
}

/** @param {readonly (number | null)[]} values */
function medianUnlessNull(values) {
  const measured = values.filter((value) => value !== null);
  return measured.length < values.length ? null : median(measured);
}

/**
 * The busy part while the rate was not reached or the replica fell behind.
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

const column = columnOf(compressionOf, TOO_FEW);

/** @param {number | null} cpu */
const cpuShare = (cpu) => (cpu === null ? '' : percent(cpu));

/** @param {number} ratio */
const ratioText = (ratio) => ratio.toFixed(ratio < 10 ? 2 : 1);

/** @type {Column[]} */
export const COMPRESSION_COLUMNS = [
  left('tunnel', tunnelName),
  left('keys', ({ params }) => params.pattern ?? ''),
  right('pipeline depth', ({ params }) => count(params.pipeline)),
  column('requests', ({ requests }) => rate(requests)),
  column('stream', ({ stream }) => bitRate(stream)),
  column('wire', ({ wire }) => bitRate(wire)),
  column('back', ({ back }) => bitRate(back)),
  column('ratio', ({ whole, ratio }) => (whole ? ratioText(ratio) : 'not known')),
  column('CPU, primary’s end', ({ primaryEndCpu }) => cpuShare(primaryEndCpu)),
  column('CPU, replica’s end', ({ replicaEndCpu }) => cpuShare(replicaEndCpu)),
  column('behind at the end', ({ behindBytes }) => (behindBytes === null ? 'not connected' : bytes(behindBytes))),
  column('in sync after', ({ catchUpMs }) => (catchUpMs === null ? 'never' : duration(catchUpMs * NS_A_MS))),
  column('WAIT p50', ({ waitP50 }) => duration(waitP50)),
  column('WAIT longest', ({ waitMax }) => duration(waitMax)),
  left('limited by', limitOf),
];

/** Without a tunnel the wire carries the stream, give or take bytes under way and the replica’s heartbeat. */
const METER = 0.01;

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

/**
 * @param {number} ratio
 * @returns {string} such as `6.51:1`
 */
function toOne(ratio) {
  return `${ratioText(ratio)}:1`;
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
  const rows = measured.map(({ result, figures }) => ({ id: result.id, result, figures }));
  const plain = rows.filter(({ result }) => result.params.tunnel === 'none');
  const tunnels = [...new Set(rows.map(({ result }) => result.params.tunnel ?? 'none'))];
  const compressing = tunnels
    .filter((tunnel) => tunnel === 'ssh-C' || tunnel.startsWith('zstd-'))
    .map((id) => ({ id }));
  return [
    checkEach('every request was answered, without an error', cases, (result) => {
      const { rejected, unknown } = outcomesOf(result);
      const kinds = new Set(result.rounds.flatMap((round) => Object.keys(round.errors)));
      return rejected + unknown + kinds.size === 0 ? null : [...kinds].join(', ') || 'no answer';
    }),
    checkEach('the replica had everything after each round, without a full resync', rows, ({ figures }) =>
      figures.whole ? null : 'it did not catch up, or had a full resync',
    ),
    ...checkMeasured('without a tunnel the wire carried the stream and little else', plain, otherThanStream),
    ...checkMeasured('regular keys compressed better than random ones', compressing, ({ id }) => {
      const ratiosOf = (/** @type {string} */ pattern) =>
        rows.flatMap(({ result: { params }, figures }) =>
          params.tunnel === id && params.pattern === pattern && figures.whole ? figures.ratio : [],
        );
      const [least, most] = [Math.min(...ratiosOf('regular')), Math.max(...ratiosOf('random'))];
      return Number.isFinite(least) && Number.isFinite(most) && least <= most ? toOne(least) : null;
    }),
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
  // A tunnel that carried less than the requested rate took less CPU for that reason alone.
  const cpuRows = cases.flatMap((one) => {
    const figures = compressionOf(one);
    return figures?.whole && figures.kept ? [{ one, figures, group: groupOf(one) }] : [];
  });
  const groups = [...new Set(cpuRows.map(({ group }) => group))];
  const costs = cpuRows.flatMap(({ one, figures, group }) =>
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
  return costs.length < 2 ? [] : [costChart(name, groups, costs, medianNote(cpuRows.map(({ one }) => one)))];
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
    note: `Higher: fewer bytes on the wire. Further left: less CPU, of the tunnel at the primary’s end. Only cases that reached the requested rate. Without a tunnel a byte of stream is a byte on the wire.${medians}`,
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
      // Leaves room for the name of the highest point.
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
          // Slanted, so that the names of neighbouring points do not overlap.
          label: { show: true, position: 'top', rotate: 30, align: 'left', formatter: `{@${TUNNEL}}`, color: '$ink' },
        };
      }),
    },
  };
}

/** @param {CaseResult} one */
function groupOf({ params: { pattern, pipeline } }) {
  return `${pattern ?? ''} keys, pipeline depth ${count(pipeline)}`;
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
  pace: paceOf({ quick: [1, 3], standard: [5, 6], full: [5, 30] }),
  cases: () => [
    ...PATTERNS.flatMap((pattern) => TUNNELS.map((tunnel) => mixCase(`${tunnel}-${pattern}`, { pattern, tunnel }))),
    ...TOGETHER.map((tunnel) => mixCase(`${tunnel}-regular-long`, { pattern: 'regular', tunnel, pipeline: LONG })),
  ],
  measure: measureCompression,
  table: COMPRESSION_COLUMNS,
  charts: compressionCharts,
  details: compressionDetails,
  findings: () => [],
  checks: compressionChecks,
};
