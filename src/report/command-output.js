/** What the commands `load` and `link observe` print for people. */

import { billedBytes, bytes, count, duration, percent, plural, rate, serverText } from '../format.js';
import { clientTitle, findClient } from '../registry/clients.js';
import { decodeHistogram } from '../stats/histogram.js';
import { left, makeTable, right, terminalTable } from '../table.js';
import { NS_A_MS, NS_A_SECOND } from '../units.js';
import { renderPlain } from './template.js';

/**
 * @import { Demand, Shortfall } from '../measure/link.js'
 * @import { LoadDocument } from '../result/schema.js'
 * @import { Column } from '../table.js'
 */

const LINK = new URL('link-observe.md', import.meta.url);
const PERCENTILES = [50, 90, 95, 99, 99.9, 99.99];

/** @param {LoadDocument} load @returns {string} */
export function renderLoad(load) {
  const { params, round, server } = load;
  return [
    `${serverText(server)}, ${describeParams(load)}`,
    '',
    facts(load),
    '',
    latencies(round),
    ...(round.agents ? ['', terminalTable(makeTable(AGENT_COLUMNS, round.agents))] : []),
    '',
    round.openLoop
      ? `Response time counts from the scheduled send, service time from the actual send.${waitingText(round.openLoop)}`
      : `Service time (closed loop): a stall delays few operations here. Use --rate to measure what users wait.`,
    ...(!findClient(params.client)?.library
      ? []
      : [`These figures show the library ${clientTitle(params.client)}, not Redis alone.`]),
  ].join('\n');
}

/** @param {LoadDocument} load */
function describeParams({ params, replicas }) {
  const parts = [
    plural(params.connections, 'connection'),
    `pipeline depth ${count(params.pipeline)}`,
    `${count(params.keys)} keys`,
    plural(params.threads, 'load thread'),
    `values of ${bytes(params.payloadBytes)}`,
    `client ${clientTitle(params.client)}`,
    plural(replicas, 'replica'),
  ];
  if (params.readRatio > 0) parts.push(`${percent(params.readRatio)} reads`);
  if (params.waitLocal !== undefined) parts.push(`WAITAOF ${params.waitLocal} ${params.wait}`);
  else if (params.wait > 0) parts.push(`WAIT ${params.wait}`);
  return parts.join(', ');
}

/** @type {readonly Column<NonNullable<LoadDocument['round']['agents']>[number]>[]} */
const AGENT_COLUMNS = [
  left('agent', ({ name, limitedBy }) => (limitedBy === 'nothing' ? name : `${name} (limited by its ${limitedBy})`)),
  right('connections', ({ connections }) => count(connections)),
  right('operations', ({ operations }) => count(operations)),
  right('a second', ({ operations, seconds }) => rate(operations / seconds)),
  right('p50', ({ latencyNs }) => duration(latencyNs.p50)),
  right('p99', ({ latencyNs }) => duration(latencyNs.p99)),
  right('load thread', ({ load }) => `${cpu(load.cpu)} CPU`),
  right('round trip', ({ clock }) => duration(clock.roundTripMs * NS_A_MS)),
  right('start, ms late', ({ startSkewMs, clock }) => `${startSkewMs.toFixed(1)} ± ${clock.boundMs.toFixed(1)}`),
];

/** @param {NonNullable<LoadDocument['round']['openLoop']>} openLoop @returns {string} whether the load kept its schedule */
function keptText({ sustained, unsent, due }) {
  if (sustained) return 'sustained';
  if (unsent === 0) return 'NOT SUSTAINED: sending took longer than asked';
  return `NOT SUSTAINED: ${count(unsent)} of ${count(due)} could not be sent in time`;
}

/** @param {LoadDocument} load */
function facts({ params, round, limitedBy, interrupted }) {
  const { outcomes, reads, openLoop, errors, seconds } = round;
  const rows = [];
  if (interrupted)
    rows.push(['INTERRUPTED', `after ${seconds.toFixed(2)} s${plannedText(params)}; figures of this part`]);
  const done = outcomes.acked + (reads?.answered ?? 0);
  rows.push(['throughput', `${rate(done / seconds)} over ${seconds.toFixed(2)} s`]);
  if (openLoop) {
    rows.push([
      'rate',
      `asked ${rate(openLoop.askedRate)}, achieved ${rate(openLoop.achievedRate)}, ${openLoop.arrivals}: ${keptText(openLoop)}`,
    ]);
    rows.push([
      'load thread late by',
      `p50 ${duration(openLoop.latenessNs.p50)}, p99 ${duration(openLoop.latenessNs.p99)}, max ${duration(openLoop.latenessNs.max)}`,
    ]);
  }
  rows.push(['writes', outcomeText(outcomes)]);
  if (reads)
    rows.push([
      'reads',
      `${count(reads.answered)} answered, ${count(reads.misses)} of them without a value, ${count(reads.failed)} failed`,
    ]);
  const kinds = Object.entries(errors);
  if (kinds.length > 0) rows.push(['errors', kinds.map(([kind, times]) => `${kind} ${count(times)}`).join(', ')]);
  rows.push(['load thread', `${cpu(round.load.cpu)} CPU, event loop ${percent(round.load.eventLoopUtilization)}`]);
  const [node] = round.nodes;
  if (node)
    rows.push([
      'server',
      `${cpu(node.mainThreadCpu ?? node.cpu)} CPU, ${node.memoryBytes === null ? 'unknown memory' : bytes(node.memoryBytes)}`,
    ]);
  rows.push(['limited by', limitedBy]);
  return terminalTable(makeTable(['', ''], rows)).trimStart();
}

/** @param {LoadDocument['params']} params */
function plannedText({ seconds, operations }) {
  if (operations !== undefined) return ` of ${count(operations)} operations`;
  return seconds === undefined ? '' : ` of ${seconds} s`;
}

/** @param {number | null} share */
function cpu(share) {
  return share === null ? 'unknown' : percent(share);
}

/** @param {LoadDocument['round']['outcomes']} outcomes */
function outcomeText({ acked, underAcked, rejected, unknown }) {
  return `${count(acked)} acked, ${count(underAcked)} underAcked, ${count(rejected)} rejected, ${count(unknown)} unknown`;
}

/** @param {NonNullable<LoadDocument['round']['openLoop']>} openLoop */
function waitingText({ waiting }) {
  return waiting
    ? ` It has ${plural(waiting.operations, 'unsent operation')} with the wait until the end, so figures with ≥ are lower bounds.`
    : '';
}

/** @param {LoadDocument['round']} round */
function latencies({ histogram, openLoop }) {
  const columns = ['', ...PERCENTILES.map((percentile) => right(`p${percentile}`)), right('max')];
  const rows = openLoop
    ? [
        latencyRow('response time', histogram, openLoop.waiting?.leastNs),
        latencyRow('service time', openLoop.serviceHistogram),
      ]
    : [latencyRow('service time', histogram)];
  return terminalTable(makeTable(columns, rows));
}

/** @param {string} title @param {string} encoded @param {number} [leastNs] from here on, values are lower bounds */
function latencyRow(title, encoded, leastNs = Number.POSITIVE_INFINITY) {
  const histogram = decodeHistogram(encoded);
  const { maxValue } = histogram;
  const cell = (/** @type {number} */ ns) => `${ns >= leastNs ? '≥ ' : ''}${duration(ns)}`;
  return [
    title,
    ...PERCENTILES.map((percentile) => cell(Math.min(histogram.getValueAtPercentile(percentile), maxValue))),
    cell(maxValue),
  ];
}

/** Above this mean use a link has no room for bursts and resyncs. */
const TIGHT = 0.7;

/** @param {number} seconds @returns {string} such as `64.0 s`, `2.4 h` */
function time(seconds) {
  return seconds < 3600 ? duration(seconds * NS_A_SECOND) : `${(seconds / 3600).toPrecision(2)} h`;
}

/**
 * @param {Demand} demand
 * @param {{speed: number, shortfall: Shortfall} | null} link speed: bytes a second of the link in question; null: no link
 * @returns {string} lines
 */
export function linkText(demand, link) {
  const { mean, seconds, monthBytes, backlogSeconds } = demand;
  const data = {
    ...demand,
    seconds: seconds.toFixed(1),
    month: billedBytes(monthBytes),
    backlog: Number.isFinite(backlogSeconds) ? time(backlogSeconds) : null,
    link: link && {
      ...link.shortfall,
      speed: link.speed,
      left: link.speed - mean,
      tight: link.shortfall.use > TIGHT,
      limitAfter: Number.isFinite(link.shortfall.limitAfterSeconds) ? time(link.shortfall.limitAfterSeconds) : null,
    },
  };
  return renderPlain(LINK, data, () => '');
}
