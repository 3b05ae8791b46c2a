/**
 * The suite `link`: replication over a link that is slow, long, compressed, or breaks.
 *
 * @import { BenchmarkResult, Result } from '../../src/result/schema.js'
 * @import { Column, FrontPage, Suite } from '../../src/run/types.js'
 */

import { bitRate, bytes, count, duration } from '../../src/format.js';
import { chart, code, list, table, text } from '../../src/report/blocks.js';
import { left, right } from '../../src/report/columns.js';
import { tell } from '../../src/report/findings.js';
import { MIB, NS_A_SECOND, SECONDS_AN_HOUR } from '../../src/units.js';
import { LOGIN_LINE, REDIS_CLI } from '../pages/paste.js';
import linkCompression from './compression.js';
import linkDark from './dark.js';
import linkDemand, { demandOf, isMix } from './demand.js';
import { params, roundFigures } from './document.js';
import linkLoss, { REPL_TIMEOUT_SECONDS } from './loss.js';
import linkMemory from './memory.js';
import linkShortfall from './shortfall.js';
import { shortfallCharts } from './shortfall-charts.js';
import {
  gigabytes,
  growthText,
  linkTitle,
  promotionText,
  secondsOf,
  timedOutText,
  total,
} from './shortfall-figures.js';

/** @import { Block } from '../../src/report/blocks.js' */

const benchmarks = [linkDemand, linkShortfall, linkMemory, linkCompression, linkLoss, linkDark];

/** @type {Suite} */
export default { name: 'link', params, roundFigures, benchmarks, frontPage };

/**
 * @param {Result} result
 * @returns {FrontPage} the first finding of each benchmark, losses first, and a table of links
 */
function frontPage(result) {
  const find = (/** @type {string} */ name) =>
    result.benchmarks.find((benchmark) => benchmark.name === name && benchmark.cases.length > 0);
  const answers = [linkShortfall, linkMemory, linkLoss, linkDark, linkCompression, linkDemand].map(
    ({ name, findings }) => {
      const measured = find(name);
      return { benchmark: name, findings: measured ? findings(measured, {}).slice(0, 1) : [] };
    },
  );
  const shortfall = find(linkShortfall.name);
  const demand = find(linkDemand.name);
  const compression = find(linkCompression.name);
  const waits = compression ? linkCompression.findings(compression, {}).filter(({ id }) => id === 'wait') : [];
  const { answer, toldFindings } = tell(answers);
  return {
    answer,
    // What to do names it beside the advice that needs it.
    toldFindings: [...toldFindings, ...tell([{ benchmark: linkCompression.name, findings: waits }]).toldFindings],
    evidence: shortfall ? evidenceOf(shortfall) : [],
    actions: actionsOf(demand, waits[0]?.text ?? null),
    covers: [linkShortfall.name],
    limits: [
      'Shaped links, tunnels and nodes share one machine. A real link also loses packets, and TCP then sends less.',
    ],
  };
}

/** @type {Column[]} */
const SHORTFALL_COLUMNS = [
  left('link of the replica', linkTitle),
  right('acked writes lost by a promotion', promotionText),
  right('behind after an hour', (one) => growthText(one, (growth) => gigabytes(growth * SECONDS_AN_HOUR))),
  right('disconnected', (one) => count(total(one, (link) => link.disconnects))),
  right('full resyncs', (one) => count(total(one, (link) => link.fullResyncs))),
  right('WAIT 1 timed out', timedOutText),
];

/** @param {BenchmarkResult} shortfall */
function evidenceOf(shortfall) {
  const { rate, payloadBytes } = shortfall.cases[0].params;
  const { pace } = shortfall;
  const lengths = pace && [1, 0].map((linkShare) => duration(secondsOf({ linkShare }, pace) * NS_A_SECOND));
  const length = lengths ? ` of ${lengths.join(', or ')} where the link carries less than demand` : '';
  return [
    ...shortfallCharts(shortfall).map(chart),
    table(SHORTFALL_COLUMNS, shortfall.cases),
    text(
      `Demand: the stream of ${count(rate ?? 0)} writes/s of ${bytes(payloadBytes)}. Losses are those of a promotion at the end of a round${length}; they grow with time. At 100% nothing is left to catch up after an outage. Behind after an hour: what the link cannot carry, by arithmetic from the round, if the ` +
        'primary disconnects nobody; the default buffer limit does that before. It was scaled down, so it disconnected the replica here, and a promotion lost more than by the slow link alone. Replica of a replica: WAIT counts the replica in between, so it says nothing about the last one.',
    ),
  ];
}

const LINK_FIRST =
  'First the link: it has to carry more than the stream of your busiest second, which is how far `master_repl_offset` grows in it. Below that no setting helps: the replica falls behind until the primary disconnects it, and a promotion loses what it lacks.';
const BACKLOG =
  'Backlog: it saves full resyncs. A promotion still loses what had not arrived: `WAIT` tells of each write whether a replica of the primary has it, and undoes none. `CONFIG REWRITE` keeps the setting through a restart.';
/** https://redis.io/docs/latest/operate/oss_and_stack/management/config-file/ under client-output-buffer-limit */
const BUFFER_LIMIT =
  'Buffer: keep `client-output-buffer-limit replica` (default: 256 MB, or 64 MB for 60 s). Without it a replica on a slow link takes the memory of the primary. A first number below the backlog counts as the backlog; the second (for 60 s) stands.';
const ALERT =
  'Alert on `master_repl_offset` of the primary minus `offset=` in its line of each replica, beyond what a second makes, and on `connected_slaves`; not on `lag`. `min-replicas-to-write` refuses writes when a replica is silent for `min-replicas-max-lag`, not when it is behind on a slow link.';
const TUNNEL_DELAYS =
  'Tunnel: `ssh` delays each acknowledgement, with `-C` or without, so think twice before you use it beside `WAIT`; another kind of tunnel was not measured.';
const BEHIND_TUNNEL =
  'Sentinels: one behind a tunnel reaches a node at the near end of the tunnel, usually 127.0.0.1, and sends clients to that address. Use a VPN, or give each node an address that all nodes, Sentinels and clients reach (`replica-announce-ip`, `replica-announce-port`, `sentinel announce-ip`, `sentinel announce-port`; each node its own), ' +
  'and monitor the primary by such an address: `SENTINEL GET-MASTER-ADDR-BY-NAME`. A Sentinel forgets old addresses by `SENTINEL RESET` with the name, only while the primary is up: on one Sentinel, then on the next when `SENTINEL CKQUORUM` is OK again and `SENTINEL REPLICAS` shows no 127.0.0.1.';

/**
 * @param {BenchmarkResult | undefined} demand
 * @param {string | null} waits what WAIT took through each tunnel; null: not measured
 * @returns {Block[]}
 */
function actionsOf(demand, waits) {
  const rates = (demand?.cases ?? []).flatMap((one) => (isMix(one) ? (demandOf(one)?.demand ?? []) : []));
  if (rates.length === 0) return [];
  const most = Math.max(...rates);
  const backlog = 2 ** Math.ceil(Math.log2((most * REPL_TIMEOUT_SECONDS) / MIB));
  return [
    text(`${LINK_FIRST} Then the backlog, on every node, because roles change. Keep what this shows:`),
    code(
      [
        LOGIN_LINE,
        ...['CONFIG GET repl-backlog-size', 'INFO memory | grep -e ^used_memory: -e ^maxmemory:'].map(
          (each) => `${REDIS_CLI} -h NODE -p 6379 ${each}`,
        ),
      ].join('\n'),
      'sh',
    ),
    code(
      [
        '# Put your number in: bytes of stream in your busiest second × (seconds of repl-timeout + seconds of your longest outage).',
        `# This one is for ${bitRate(most)} and ${REPL_TIMEOUT_SECONDS} s, the repl-timeout (${bytes(most * REPL_TIMEOUT_SECONDS)}). Each node takes it from maxmemory, or, if that is 0,`,
        '# from its host: without room keys are evicted, writes refused, or the server is killed.',
        `bytes=${backlog * MIB}`,
        `old=$(${REDIS_CLI} -h NODE -p 6379 CONFIG GET repl-backlog-size | tail -1)`,
        `[ "$old" -lt "$bytes" ] && ${REDIS_CLI} -h NODE -p 6379 CONFIG SET repl-backlog-size "$bytes" && echo "before: $old"`,
      ].join('\n'),
      'sh',
    ),
    list([
      BACKLOG,
      BUFFER_LIMIT,
      ALERT,
      [TUNNEL_DELAYS, ...(waits === null ? [] : [`${waits}.`])].join(' '),
      BEHIND_TUNNEL,
    ]),
  ];
}
