/**
 * What the nodes use while idle, writing and reading, as in the article on replication, and its table beside ours.
 *
 * @import { BenchmarkResult, CaseResult, Check, Finding } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { LoadBenchmark } from '../../src/run/types.js'
 */

import { bytes, count, interval, percent, plural, rate } from '../../src/format.js';
import { heading, rightAligned, table, text } from '../../src/report/blocks.js';
import { checkEach } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding, roundsText } from '../../src/report/findings.js';
import { activityOf, cpuText, orUnknown, perSecond, useOf } from '../../src/report/resources.js';
import { makeCase } from '../../src/run/case.js';
import { CustomParameters } from '../../src/run/parameters.js';
import { sum } from '../../src/stats/statistics.js';
import { MODES } from './modes.js';

/** As many as in the article. */
const CONNECTIONS = 50;
/** A row of a usual size. */
const PAYLOAD_BYTES = 256;
const KEYS = 10_000;
/** The article's rounds took five minutes. An answer to a claim needs five rounds. */
const PACE = Object.freeze({
  quick: { rounds: 2, seconds: 2, warmUpSeconds: 0.5 },
  standard: { rounds: 5, seconds: 9, warmUpSeconds: 1 },
  full: { rounds: 5, seconds: 300, warmUpSeconds: 1 },
});
/** So long that no round falls back to async unnoticed. */
const TIMEOUT_MS = '60000';

/** Each has its own stack, and is one of the article's. */
const STACKS = Object.freeze([
  { replicas: 0, mode: 'async', title: 'no replica' },
  { replicas: 1, mode: 'async', title: '1 replica, async' },
  { replicas: 2, mode: 'after-sync', title: '2 replicas, semi-sync' },
]);

/**
 * The article's figures: MySQL behind an HTTP application and, with replicas, a proxy; five minutes. CPU is in shares of a core, memory in
 * MiB, rates in HTTP requests a second.
 *
 * @type {readonly {replicas: number, operation: 'idle' | 'set' | 'get', rate?: number, cpu: [main: number, replicas?: number], memory: number,
 *   network: string, disk: string}[]}
 */
const THEIRS = Object.freeze([
  { replicas: 0, operation: 'idle', cpu: [0.0061], memory: 407, network: '16 kB / 14 kB', disk: '95 MB / 286 MB' },
  {
    replicas: 0,
    operation: 'set',
    rate: 403,
    cpu: [2.1128],
    memory: 533,
    network: '144 MB / 133 MB',
    disk: '95 MB / 1.28 GB',
  },
  {
    replicas: 0,
    operation: 'get',
    rate: 272,
    cpu: [5.0902],
    memory: 547,
    network: '182 MB / 344 MB',
    disk: '96 MB / 1.28 GB',
  },
  {
    replicas: 1,
    operation: 'set',
    rate: 320,
    cpu: [1.1196, 0.5659],
    memory: 447,
    network: '60 MB / 97 MB',
    disk: '34 MB / 743 MB',
  },
  {
    replicas: 1,
    operation: 'get',
    rate: 249,
    cpu: [0.1735, 3.5566],
    memory: 388,
    network: '96 MB / 185 MB',
    disk: '44 MB / 1.03 GB',
  },
  {
    replicas: 2,
    operation: 'idle',
    cpu: [0.0069, 0.012],
    memory: 357,
    network: '53 kB / 6.46 MB',
    disk: '26 MB / 281 MB',
  },
  {
    replicas: 2,
    operation: 'set',
    cpu: [1.1676, 0.9121],
    memory: 428,
    network: '7.5 MB / 26 MB',
    disk: '27 MB / 384 MB',
  },
]);

/** @type {LoadBenchmark} */
export default {
  name: 'semi-sync-resources',
  question: 'What do the nodes use while idle, writing and reading, and how much load moves to the replicas?',
  method:
    `Rows of ${PAYLOAD_BYTES} B, ${count(KEYS)} preloaded rows, ${CONNECTIONS} connections with one operation at a time each. Three stacks one ` +
    'after the other: the primary alone; one replica, async; two replicas, semi-sync AFTER_SYNC. Reads go to the replicas if there are any.',
  system: 'mariadb',
  kind: 'load',
  needs: ['stop', 'stats', 'configure'],
  usePerNode: true,
  stacks: {},
  parameters: CustomParameters,
  pace: ({ name }) => PACE[name],
  cases: () =>
    STACKS.flatMap(({ replicas, mode }) => {
      const { settings } = MODES[mode];
      const waits = settings.rpl_semi_sync_master_enabled === 'ON';
      const shape = {
        client: /** @type {const} */ ('mysql2'),
        replicas,
        mode,
        connections: CONNECTIONS,
        payloadBytes: PAYLOAD_BYTES,
        keyspace: KEYS,
        settings: { ...settings, ...(waits && { rpl_semi_sync_master_timeout: TIMEOUT_MS }) },
      };
      return [
        makeCase({ ...shape, operation: 'idle' }),
        makeCase({ ...shape, operation: 'set' }),
        makeCase({ ...shape, operation: 'get', readFrom: replicas > 0 ? 'replicas' : 'primary' }),
      ];
    }),
  table: [
    column.left('stack', stackTitle),
    column.left('activity', activityOf),
    column.right('throughput', (one) => (isIdle(one) ? '' : rate(one.summary.throughput.median))),
    { ...column.p99, cell: (one) => (isIdle(one) ? '' : column.p99.cell(one)) },
    column.right('primary CPU', (one) => cpuText(useOf(one, 'primary')?.cpu)),
    column.right('replicas CPU', (one) => cpuText(useOf(one, 'replica')?.cpu)),
    column.right('primary memory', (one) => orUnknown(useOf(one, 'primary')?.memoryBytes ?? null, bytes)),
    column.limitedBy,
  ],
  details: (result) => articleTable(result),
  findings: (result) => [...readingFinding(result), ...writingFinding(result)],
  checks: resourceChecks,
};

/** @param {CaseResult} one */
function isIdle({ params }) {
  return params.operation === 'idle';
}

/** @param {CaseResult} one */
function stackTitle({ params }) {
  return STACKS.find(({ replicas }) => replicas === params.replicas)?.title ?? plural(params.replicas ?? 0, 'replica');
}

/**
 * @param {BenchmarkResult} result
 * @param {'idle' | 'set' | 'get'} operation
 * @param {number} replicas
 * @returns {CaseResult | undefined}
 */
function resourceCase({ cases }, operation, replicas) {
  return cases.find(({ params }) => params.operation === operation && params.replicas === replicas);
}

/** @param {BenchmarkResult} result @returns {Finding[]} */
function readingFinding(result) {
  const [alone, routed] = [resourceCase(result, 'get', 0), resourceCase(result, 'get', 1)];
  if (!alone || !routed) return [];
  const [before, after] = [alone, routed].map((one) => useOf(one, 'primary')?.cpu);
  const cpu =
    before == null || after == null
      ? ''
      : `primary ${percent(after)} of a core instead of ${percent(before)}, replica ${cpuText(useOf(routed, 'replica')?.cpu)}; `;
  return [
    finding(
      'reading',
      `Reads sent to a replica: ${cpu}reads ${ratesText(routed, alone)} (${roundsText(routed.rounds.length)})`,
      [alone, routed],
    ),
  ];
}

/** @param {BenchmarkResult} result @returns {Finding[]} */
function writingFinding(result) {
  const writing = STACKS.flatMap(({ replicas, title }) => {
    const one = resourceCase(result, 'set', replicas);
    return one ? [{ one, text: `${title} ${interval(one.summary.throughput, rate)}` }] : [];
  });
  if (writing.length < 2) return [];
  const parts = writing.map((each) => each.text).join('; ');
  return [
    finding(
      'writing',
      `Writing: ${parts} (${roundsText(writing[0].one.rounds.length)})`,
      writing.map(({ one }) => one),
    ),
  ];
}

/**
 * @param {BenchmarkResult} result
 * @returns {Block[]} the article's table, row by row beside ours
 */
export function articleTable(result) {
  const rows = THEIRS.flatMap((theirs) => {
    const one = resourceCase(result, theirs.operation, theirs.replicas);
    if (!one) return [];
    const [primary, replicas] = [useOf(one, 'primary'), useOf(one, 'replica')];
    const cpu = (/** @type {readonly (number | null | undefined)[]} */ nodes) => nodes.map(cpuText).join(' / ');
    return [
      [
        `${stackTitle(one)}: ${activityOf(one)}`,
        theirs.rate === undefined ? '' : rate(theirs.rate),
        cpu(theirs.cpu),
        bytes(theirs.memory * 2 ** 20),
        theirs.network,
        theirs.disk,
        isIdle(one) ? '' : rate(one.summary.throughput.median),
        cpu([primary?.cpu, ...(replicas ? [replicas.cpu] : [])]),
        orUnknown(primary?.memoryBytes ?? null, bytes),
        `${orUnknown(primary?.networkIn ?? null, perSecond)} / ${orUnknown(primary?.networkOut ?? null, perSecond)}`,
        `${orUnknown(primary?.blockIn ?? null, perSecond)} / ${orUnknown(primary?.blockOut ?? null, perSecond)}`,
      ],
    ];
  });
  if (rows.length === 0) return [];
  return [
    heading(4, 'The article’s table beside ours'),
    text(
      'Theirs: MySQL, HTTP requests; network and disk since the containers started. Ours: MariaDB, one row an operation; network and disk a second. ' +
        'CPU: of one core, primary / all replicas. Memory, network and disk: of the primary, in / out.',
    ),
    table(
      [
        { title: '' },
        ...rightAligned(['theirs', 'CPU', 'memory', 'network', 'disk', 'ours', 'CPU', 'memory', 'network', 'disk']),
      ],
      rows,
      { compact: true },
    ),
  ];
}

/** The primary sent less than this share of the bytes read: others answered the reads. */
const NEXT_TO_NOTHING = 0.1;

/** @param {BenchmarkResult} result @returns {Check[]} */
function resourceChecks({ cases }) {
  const title = (/** @type {CaseResult} */ one) => `${stackTitle(one)}, ${activityOf(one)}`;
  const doing = (/** @type {string} */ operation) => cases.filter(({ params }) => params.operation === operation);
  return [
    checkEach('every read found its row, on the node that it was sent to', doing('get'), readsWentAstray, { title }),
    checkEach(
      'idle rounds had no operations',
      cases.filter(isIdle),
      ({ rounds }) => {
        const operations = sum(rounds.map((round) => round.operations));
        return operations === 0 ? null : plural(operations, 'operation');
      },
      { title },
    ),
  ];
}

/** @param {CaseResult} one @returns {string | null} */
function readsWentAstray({ rounds, params }) {
  const answered = sum(rounds.map(({ outcomes }) => outcomes.acked));
  const misses = sum(rounds.map(({ reads }) => reads?.misses ?? 0));
  if (answered === 0) return 'no read was answered';
  if (misses > 0) return `${count(misses)} of ${count(answered)} reads found nothing`;
  if (params.readFrom !== 'replicas') return null;
  const sent = sum(
    rounds.flatMap(({ nodes }) =>
      nodes.filter(({ role }) => role === 'primary').map((node) => node.networkOutBytes ?? 0),
    ),
  );
  const share = sent / (answered * params.payloadBytes);
  return share <= NEXT_TO_NOTHING ? null : `the primary sent ${percent(share)} of the bytes read`;
}

/**
 * @param {CaseResult} one
 * @param {CaseResult} base
 * @returns {string} such as `110 k/s (108–112) instead of 90.0 k/s (89.1–92.4)`; of intervals that overlap: that it is undecided
 */
function ratesText({ summary: { throughput: own } }, { summary: { throughput: others } }) {
  const overlap = own.low <= others.high && others.low <= own.high;
  return `${interval(own, rate)} instead of ${interval(others, rate)}${overlap ? ', undecided' : ''}`;
}
