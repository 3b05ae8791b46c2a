/**
 * The benchmark `link-loss`: how long replication stops when its tunnel is killed, and whether it needs a full resync.
 *
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { LinkFigures } from './document.js'
 * @import { Benchmark, Column } from '../../src/run/types.js'
 */

import { bitRate, bytes, count, duration, plural } from '../../src/format.js';
import { barChart } from '../../src/report/charts/bars.js';
import { checkEach } from '../../src/report/checks.js';
import { left, outcomesOf, right, TOO_FEW } from '../../src/report/columns.js';
import { MIB, MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { measureLoss } from './loss-round.js';
import { MIX, mixCase, ON_A_PATH, paceOf, tunnelName } from './round.js';

/**
 * @typedef {NonNullable<LinkFigures['outage']>} Outage
 *
 * @typedef {Object} Loss one round
 * @property {CaseResult} result
 * @property {string} name of the round, for a sentence
 * @property {LinkFigures} link
 * @property {NonNullable<LinkFigures['outage']>} outage
 * @property {number} restartAfterMs
 * @property {number} backlogBytes
 */

/** Redis's default, and a minute's worth. */
const SMALL = 1 * MIB;
const LARGE = 64 * MIB;

/** The tunnel, the supervisor's delay, and the primary's backlog. */
const LOSSES = [
  { tunnel: 'ssh-C', restartAfterMs: 0, backlog: SMALL },
  { tunnel: 'ssh-C', restartAfterMs: 0, backlog: LARGE },
  { tunnel: 'ssh-C', restartAfterMs: 3000, backlog: SMALL },
  { tunnel: 'ssh-C', restartAfterMs: 3000, backlog: LARGE },
  { tunnel: 'zstd-5', restartAfterMs: 0, backlog: LARGE },
  { tunnel: 'zstd-5', restartAfterMs: 3000, backlog: SMALL },
];

/** Redis's default `repl-timeout`: when a silent dead link is noticed. */
export const REPL_TIMEOUT_SECONDS = 60;
/** The missed bytes decide the resync only when they differ this much from the backlog: samples are 20 ms apart. */
const MARGIN = 1.25;

/** @param {number} ms */
function time(ms) {
  return duration(ms * NS_A_MS);
}

/**
 * @param {CaseResult['params']} params
 * @returns {number} bytes
 */
export function backlogOf({ settings }) {
  return Number(settings?.['repl-backlog-size'] ?? 0);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Loss[]} a round each
 */
export function lossesOf(cases) {
  return cases.flatMap((result) =>
    result.rounds.flatMap(({ link }, index) =>
      link?.outage
        ? [
            {
              result,
              name: result.rounds.length === 1 ? result.id : `${result.id}, round ${index + 1}`,
              link,
              outage: link.outage,
              restartAfterMs: result.params.restartAfterMs ?? 0,
              backlogBytes: backlogOf(result.params),
            },
          ]
        : [],
    ),
  );
}

/**
 * @param {string} title
 * @param {(loss: Loss) => number | null} value
 * @param {(value: number) => string} text
 * @param {string} missing shown when a round has no value
 * @returns {Column} from the least to the most of the rounds
 */
const column = (title, value, text, missing) =>
  right(title, (result) => {
    const values = lossesOf([result]).map(value);
    if (values.length === 0) return TOO_FEW;
    return values.includes(null) ? missing : fromTo(values.map(Number), text, '–');
  });

/**
 * @param {readonly number[]} values at least one
 * @param {(value: number) => string} text
 * @param {string} [joint]
 */
function fromTo(values, text, joint = ' to ') {
  const [low, high] = [text(Math.min(...values)), text(Math.max(...values))];
  return low === high ? low : `${low}${joint}${high}`;
}

/** @type {Column[]} */
export const LOSS_COLUMNS = [
  left('tunnel', tunnelName),
  right('started again', ({ params }) => restartText(params)),
  right('backlog', ({ params }) => bytes(backlogOf(params))),
  column('stream', ({ link }) => link.demandBytesPerSecond, bitRate, ''),
  column('noticed', ({ outage }) => outage.noticedMs, time, 'never'),
  column('tunnel back', ({ outage }) => outage.tunnelMs, time, 'not known'),
  column('away', ({ outage }) => outage.awayMs, time, 'for good'),
  column('caught up', ({ outage }) => outage.behindMs, time, 'never'),
  left('resync', (result) => [...new Set(lossesOf([result]).map(({ outage }) => outage.resync))].join(', ')),
  column('missed', ({ link }) => link.missedBytes ?? null, bytes, ''),
  column('restarts', ({ outage }) => outage.restarts, count, ''),
];

/** @param {CaseResult['params']} params */
function restartText({ restartAfterMs = 0 }) {
  return restartAfterMs === 0 ? 'at once' : `after ${time(restartAfterMs)}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function lossChecks({ cases }) {
  const losses = lossesOf(cases);
  if (losses.length === 0) return [];
  const title = (/** @type {Loss} */ { name }) => name;
  const check = (/** @type {string} */ name, /** @type {(loss: Loss) => string | null} */ wrong) =>
    checkEach(name, losses, wrong, { title });
  return [
    checkEach('the primary answered every request meanwhile', cases, (result) => {
      const { rejected, unknown } = outcomesOf(result);
      return rejected + unknown === 0 ? null : `${count(rejected)} rejected, ${count(unknown)} unanswered`;
    }),
    check('the replica came back after every kill', ({ outage: { awayMs, behindMs } }) =>
      awayMs === null ? 'the replica never came back' : behindMs === null ? 'it did not catch up' : null,
    ),
    check('both sides held the same in the end', ({ link: { agreement } }) => {
      if (!agreement) return 'the replica never caught up';
      const { primaryKeys, replicaKeys, compared, different } = agreement;
      if (primaryKeys !== replicaKeys) return `${count(primaryKeys)} and ${count(replicaKeys)} keys`;
      if (compared === 0) return 'there were no keys to compare';
      return different === 0 ? null : `${plural(different, 'difference')} in ${plural(compared, 'key')}`;
    }),
    check('the size of the gap decided between partial and full resync', expectedResync),
  ];
}

/**
 * @param {Loss} loss
 * @returns {string | null}
 */
function expectedResync({ link: { missedBytes }, outage: { resync }, backlogBytes }) {
  if (typeof missedBytes !== 'number' || backlogBytes === 0) return null;
  const expected =
    missedBytes * MARGIN < backlogBytes ? 'partial' : missedBytes > backlogBytes * MARGIN ? 'full' : resync;
  return resync === expected ? null : `${resync}, with ${bytes(missedBytes)} missed of ${bytes(backlogBytes)}`;
}

/**
 * @param {BenchmarkResult} benchmark the benchmark `link-loss`
 * @returns {Chart[]}
 */
function lossCharts({ name, cases }) {
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
    ? ' Where the tunnel’s return was not seen, its time counts as not connected.'
    : '';
  const chart = barChart({
    id: `${name}.away`,
    title: 'From the kill of a tunnel until the replica had everything',
    note: `Behind each bar: partial or full resync. Of several rounds: the one with the median time away.${unknown}`,
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
  const outages = rounds.flatMap(({ link }) => (link?.outage && link.outage.awayMs !== null ? [link.outage] : []));
  outages.sort((a, b) => Number(a.awayMs) - Number(b.awayMs));
  return outages[Math.floor((outages.length - 1) / 2)];
}

/**
 * If the return of the tunnel was not seen, all of that time counts as not connected.
 *
 * @param {Outage} outage
 * @returns {(number | null)[]} seconds of each stage
 */
function stagesOf({ tunnelMs, awayMs, behindMs }) {
  const away = Number(awayMs) / MS_A_SECOND;
  const back = tunnelMs === null ? null : Math.min(tunnelMs / MS_A_SECOND, away);
  return [back, away - (back ?? 0), behindMs === null ? null : Math.max(0, behindMs / MS_A_SECOND - away)];
}

/** @param {CaseResult} one */
function titleOf(one) {
  return `${tunnelName(one)}, again ${restartText(one.params)}, backlog ${bytes(backlogOf(one.params))}`;
}

/** @type {Benchmark} */
export default {
  name: 'link-loss',
  question: 'How long does replication stop when its tunnel dies and a supervisor restarts it?',
  method:
    `The tunnel’s end beside the replica is killed (SIGKILL) after 1.5 s of ${MIX.rate.toLocaleString('en-US')} requests a second, 62% of ` +
    'them writes to regular keys. A supervisor restarts it at once or after 3 s; the requests go on. On Docker the engine’s own time to ' +
    'kill and start is included. Both nodes are sampled every 20 ms. Tunnel back: it accepted connections again. Away: until the ' +
    'replica’s link was up, which after a full resync is when the data set was loaded. Caught up: until the replica had everything that ' +
    'was written by then. Missed: how far the stream had moved on when the replica asked for the rest. After the requests every key of ' +
    'both nodes is compared: type, value, expiry. Everything runs on one machine: distance would add round trips.',
  ...ON_A_PATH,
  pace: paceOf({ quick: [1, 4], standard: [3, 6], full: [7, 10] }),
  cases: () =>
    LOSSES.map(({ tunnel, restartAfterMs, backlog }) =>
      mixCase(`${tunnel}-after-${restartAfterMs}ms-backlog-${backlog / MIB}mb`, {
        pattern: 'regular',
        tunnel,
        restartAfterMs,
        settings: { 'repl-backlog-size': String(backlog) },
      }),
    ),
  measure: measureLoss,
  table: LOSS_COLUMNS,
  charts: lossCharts,
  findings: () => [],
  checks: lossChecks,
};
