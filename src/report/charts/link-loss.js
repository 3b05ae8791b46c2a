/**
 * For how long there was no replication once a tunnel was killed, and what made up that time.
 */
import { bytes } from '../format.js';
import { tunnelName } from '../link-compression.js';
import { backlogOf } from '../link-loss.js';
import { barChart } from './bars.js';

/**
 * @typedef {import('../schema.js').CaseResult} CaseResult
 * @typedef {NonNullable<import('../schema.js').LinkFigures['outage']>} Outage
 */

const MS = 1000;

/**
 * @param {import('../schema.js').BenchmarkResult} benchmark the benchmark `link-loss`
 * @returns {import('./types.js').Chart[]}
 */
export function lossCharts({ name, cases }) {
  const outages = cases.flatMap((one) => {
    const outage = typicalOutage(one);
    return outage ? [{ one, outage }] : [];
  });
  const rows = outages.map(({ one, outage }) => ({
    title: titleOf(one),
    values: stagesOf(outage),
    more: [outage.behindMs === null ? `${outage.resync}, never had all` : outage.resync],
  }));
  const unknown = outages.some(({ outage }) => outage.tunnelMs === null)
    ? ' Where it is not known when the tunnel was back, all of the time without it is told as not connected.'
    : '';
  const chart = barChart({
    id: `${name}.away`,
    title: 'From the kill of a tunnel until the replica had everything',
    note: `Behind each bar: how the replica got what it lacked, by a partial resync or a full one. Of several rounds the one whose replica was away for the median time.${unknown}`,
    rowName: 'tunnel, and when it was started again',
    rows,
    parts: [
      { name: 'no tunnel', color: '$red' },
      { name: 'tunnel back, not connected', color: '$orange', striped: true },
      { name: 'connected, catching up', color: '$sky' },
    ],
    axis: 'since the kill',
    format: 'seconds',
    stacked: true,
    more: [{ name: 'resync' }],
  });
  return chart ? [chart] : [];
}

/**
 * @param {CaseResult} one
 * @returns {Outage | undefined} the one with the median time away; undefined: no replica came back
 */
function typicalOutage({ rounds }) {
  const known = rounds.flatMap(({ link }) => (link?.outage && link.outage.awayMs !== null ? [link.outage] : []));
  known.sort((a, b) => Number(a.awayMs) - Number(b.awayMs));
  return known[Math.floor((known.length - 1) / 2)];
}

/**
 * Where it is not known when the tunnel was back, all of that time is told as not connected.
 *
 * @param {Outage} outage
 * @returns {(number | null)[]} seconds of each stage
 */
function stagesOf({ tunnelMs, awayMs, behindMs }) {
  const away = Number(awayMs) / MS;
  const back = tunnelMs === null ? null : Math.min(tunnelMs / MS, away);
  return [back, away - (back ?? 0), behindMs === null ? null : Math.max(0, behindMs / MS - away)];
}

/** @param {CaseResult} one */
function titleOf(one) {
  const { restartAfterMs = 0 } = one.params;
  const again = restartAfterMs === 0 ? 'at once' : `after ${restartAfterMs / MS} s`;
  return `${tunnelName(one)}, again ${again}, backlog ${bytes(backlogOf(one.params))}`;
}
