/**
 * What the commands `load` and `link observe` print for people.
 */

import Table from 'cli-table3';
import { decodeHistogram } from '../stats/histogram.js';
import { bitRate, bytes, count, duration, percent, plural, rate, serverText } from './format.js';
import { PLAIN } from './terminal.js';

/**
 * @import { Demand, Shortfall } from '../measure/link-demand.js'
 * @import { LoadDocument } from '../result/schema.js'
 */

const PERCENTILES = [50, 90, 95, 99, 99.9, 99.99];

/**
 * @param {LoadDocument} load
 * @returns {string}
 */
export function renderLoad(load) {
  const { params, round, server } = load;
  return [
    `${serverText(server)}, ${describeParams(load)}`,
    '',
    facts(load),
    '',
    latencies(round),
    '',
    round.openLoop
      ? 'Response time counts from when an operation was meant to leave; service time from when it did.'
      : 'Service time, closed loop: a stall delays few operations here. Give --rate to see what users would wait.',
    ...(params.client === 'native' ? [] : [`These are figures of the ${params.client} library, not of Redis alone.`]),
  ].join('\n');
}

/** @param {LoadDocument} load */
function describeParams({ params, replicas }) {
  const parts = [
    plural(params.connections, 'connection'),
    `pipeline depth ${count(params.pipeline)}`,
    `values of ${bytes(params.payloadBytes)}`,
    `${count(params.keys)} keys`,
    plural(params.threads, 'load thread'),
    `client ${params.client}`,
    plural(replicas, 'replica'),
  ];
  if (params.readRatio > 0) parts.push(`${percent(params.readRatio)} reads`);
  if (params.waitLocal !== undefined) parts.push(`WAITAOF ${params.waitLocal} ${params.wait}`);
  else if (params.wait > 0) parts.push(`WAIT ${params.wait}`);
  return parts.join(', ');
}

/** @param {LoadDocument} load */
function facts({ round, limitedBy }) {
  const { outcomes, reads, openLoop, errors, seconds } = round;
  const table = new Table({ chars: PLAIN, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  const done = outcomes.acked + (reads?.answered ?? 0);
  table.push(['throughput', `${rate(done / seconds)} over ${seconds.toFixed(2)} s`]);
  if (openLoop) {
    const kept = openLoop.sustained
      ? 'sustained'
      : `NOT SUSTAINED: ${count(openLoop.unsent)} of ${count(openLoop.due)} could not leave`;
    table.push([
      'rate',
      `asked ${rate(openLoop.askedRate)}, achieved ${rate(openLoop.achievedRate)}, ${openLoop.arrivals}: ${kept}`,
    ]);
    table.push([
      'sent late by',
      `p50 ${duration(openLoop.latenessNs.p50)}, p99 ${duration(openLoop.latenessNs.p99)}, max ${duration(openLoop.latenessNs.max)}`,
    ]);
  }
  table.push(['writes', outcomeText(outcomes)]);
  if (reads)
    table.push([
      'reads',
      `${count(reads.answered)} answered, ${count(reads.misses)} of them without a value, ${count(reads.failed)} failed`,
    ]);
  const kinds = Object.entries(errors);
  if (kinds.length > 0) table.push(['errors', kinds.map(([kind, times]) => `${kind} ${count(times)}`).join(', ')]);
  table.push(['load thread', `${cpu(round.load.cpu)} CPU, event loop ${percent(round.load.eventLoopUtilization)}`]);
  const [node] = round.nodes;
  if (node)
    table.push([
      'server',
      `${cpu(node.mainThreadCpu ?? node.cpu)} CPU, ${node.memoryBytes === null ? 'unknown memory' : bytes(node.memoryBytes)}`,
    ]);
  table.push(['limited by', limitedBy]);
  return withoutTrailingSpace(table.toString());
}

/** @param {number | null} share */
function cpu(share) {
  return share === null ? 'unknown' : percent(share);
}

/** @param {LoadDocument['round']['outcomes']} outcomes */
function outcomeText({ acked, underAcked, rejected, unknown }) {
  return `${count(acked)} acked, ${count(underAcked)} underAcked, ${count(rejected)} rejected, ${count(unknown)} unknown`;
}

/** @param {LoadDocument['round']} round */
function latencies({ histogram, openLoop }) {
  const table = new Table({
    head: ['', ...PERCENTILES.map((percentile) => `p${percentile}`), 'max'],
    colAligns: ['left', ...PERCENTILES.map(() => /** @type {const} */ ('right')), 'right'],
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  if (openLoop)
    table.push(latencyRow('response time', histogram), latencyRow('service time', openLoop.serviceHistogram));
  else table.push(latencyRow('service time', histogram));
  return withoutTrailingSpace(table.toString());
}

/**
 * @param {string} title
 * @param {string} encoded
 */
function latencyRow(title, encoded) {
  const histogram = decodeHistogram(encoded);
  const { maxValue } = histogram;
  return [
    title,
    ...PERCENTILES.map((percentile) => duration(Math.min(histogram.getValueAtPercentile(percentile), maxValue))),
    duration(maxValue),
  ];
}

/** @param {string} text */
function withoutTrailingSpace(text) {
  return text.replaceAll(/ +$/gm, '');
}

const NS_A_SECOND = 1e9;
/** A link that is fuller than this on average has nothing left for a burst or a resync. */
const TIGHT = 0.7;

/** @param {number} seconds @returns {string} such as `64.0 s`, `2.4 h` */
function time(seconds) {
  return seconds < 3600 ? duration(seconds * NS_A_SECOND) : `${(seconds / 3600).toPrecision(2)} h`;
}

/**
 * @param {Demand} demand
 * @param {{speed: number, shortfall: Shortfall} | null} link bytes a second of the link that is asked about; null: none is
 * @returns {string} lines
 */
export function linkText(demand, link) {
  const { seconds, mean, peak, sent, backlogSeconds, bufferBytes, replicas } = demand;
  const lines = [
    `The replication stream took ${bitRate(mean)} on average and ${bitRate(peak)} at its peak, to each replica (${seconds.toFixed(1)} s, looked at once a second; what TCP and IP add is not in it).`,
  ];
  if (sent !== null) lines.push(`Counted on its way out: ${bitRate(sent)} to each replica, full resyncs included.`);
  lines.push(
    Number.isFinite(backlogSeconds)
      ? `A replica that is away for up to ${time(backlogSeconds)} catches up from the backlog; after that it needs a full resync.`
      : 'Nothing is written: a replica that is away misses nothing.',
  );
  lines.push(
    replicas.length === 0
      ? 'No replica is connected.'
      : `Behind: ${replicas.map(({ name, lagBytes, lagSeconds }) => `${name} ${bytes(lagBytes)}, last heard of ${lagSeconds} s ago`).join('; ')}. Output buffers of replicas: ${bytes(bufferBytes)}.`,
  );
  if (link) lines.push(...shortfallLines(demand, link));
  return lines.join('\n');
}

/**
 * @param {Demand} demand
 * @param {{speed: number, shortfall: Shortfall}} link
 */
function shortfallLines({ mean }, { speed, shortfall }) {
  const { use, peakUse, pilesUp, limitAfterSeconds } = shortfall;
  const lines = [
    `Of a link of ${bitRate(speed)} that is ${percent(use)} on average and ${percent(peakUse)} at the peak.`,
  ];
  if (pilesUp > 0) {
    const end = Number.isFinite(limitAfterSeconds)
      ? `the replica output buffer limit is reached after ${time(limitAfterSeconds)}, the replica is cut off, and its full resync does not fit through the link either while writes go on`
      : 'and no limit of the output buffer ends that';
    lines.push(
      `It is too slow: ${bytes(pilesUp)} an hour pile up in the primary’s memory for each such replica; ${end}.`,
    );
  } else if (use > TIGHT) {
    lines.push(`It is tight: ${bitRate(speed - mean)} are left for bursts and for a full resync.`);
  } else {
    lines.push(`It is enough: ${bitRate(speed - mean)} are left.`);
  }
  return lines;
}
