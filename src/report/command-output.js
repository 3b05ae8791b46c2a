/**
 * What the commands `load` and `link observe` print for people.
 * @import { Demand, Shortfall } from '../measure/link.js' @import { LoadDocument } from '../result/schema.js'
 * @import { Column } from '../table.js'
 */
import { billedBytes, count, duration, percent, rate, serverText } from '../format.js';
import { clientTitle, findClient } from '../registry/clients.js';
import { decodeHistogram } from '../stats/histogram.js';
import { left, right } from '../table.js';
import { NS_A_MS, NS_A_SECOND } from '../units.js';
import { table } from './blocks.js';
import { renderPlain } from './template.js';

const LOAD = new URL('load.md', import.meta.url);
const LINK = new URL('link-observe.md', import.meta.url);
const PERCENTILES = [50, 90, 95, 99, 99.9, 99.99];

/** @param {LoadDocument} load */
export function renderLoad({ params, replicas, server, round, limitedBy, interrupted }) {
  const { outcomes, reads = null, openLoop = null, errors, seconds, load } = round;
  const [node] = round.nodes;
  const data = {
    replicas,
    limitedBy,
    interrupted: interrupted === true,
    outcomes,
    reads,
    openLoop,
    params: { waitLocal: null, seconds: null, operations: null, ...params },
    server: serverText(server),
    client: clientTitle(params.client),
    library: findClient(params.client)?.library === true,
    seconds: seconds.toFixed(2),
    throughput: (outcomes.acked + (reads?.answered ?? 0)) / seconds,
    waiting: openLoop?.waiting?.operations ?? null,
    errors: Object.entries(errors),
    threadCpu: cpu(load.cpu),
    eventLoop: load.eventLoopUtilization,
    node: node ? { cpu: cpu(node.mainThreadCpu ?? node.cpu), memory: node.memoryBytes } : null,
    tables: { latencies: latencies(round), agents: table(AGENT_COLUMNS, round.agents ?? []) },
  };
  return renderPlain(LOAD, data);
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

/** @param {number | null} share */
const cpu = (share) => (share === null ? 'unknown' : percent(share));

/** @param {LoadDocument['round']} round */
function latencies({ histogram, openLoop }) {
  const columns = ['', ...PERCENTILES.map((percentile) => right(`p${percentile}`)), right('max')];
  const response = openLoop ? [latencyRow('response time', histogram, openLoop.waiting?.leastNs)] : [];
  return table(columns, [...response, latencyRow('service time', openLoop?.serviceHistogram ?? histogram)]);
}

/** @param {string} title @param {string} encoded @param {number} [leastNs] from here on, values are lower bounds */
function latencyRow(title, encoded, leastNs = Number.POSITIVE_INFINITY) {
  const histogram = decodeHistogram(encoded);
  const values = PERCENTILES.map((percentile) => histogram.getValueAtPercentile(percentile));
  const { maxValue } = histogram;
  const cells = [...values.map((ns) => Math.min(ns, maxValue)), maxValue];
  return [title, ...cells.map((ns) => `${ns >= leastNs ? '≥ ' : ''}${duration(ns)}`)];
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
  return renderPlain(LINK, data);
}
