/**
 * The suite `copy`: filling a new node by full sync, SCAN, SCAN with notifications, or RedisShake.
 *
 * @import { BenchmarkResult, CaseResult, Result } from '../../src/result/schema.js'
 * @import { Benchmark, Column, FrontPage, Suite } from '../../src/run/types.js'
 */
import { chart, code, table, text } from '../../src/report/blocks.js';
import { left, right } from '../../src/report/columns.js';
import { count, duration, percent, rate } from '../../src/report/format.js';
import { NS_A_SECOND } from '../../src/units.js';
import { copyCharts } from './charts.js';
import { claims } from './claims.js';
import { whyNotCase } from './cores.js';
import { params, roundFigures } from './document.js';
import {
  differencesText,
  isFinished,
  isForeign,
  isIncremental,
  isWrittenTo,
  modeTitle,
  rateOf,
  ratioOf,
  typical,
} from './figures.js';
import { measureCopy } from './measure.js';
import { copyCases, HEAVIEST, MODERATE, PACES, SIZES } from './modes.js';
import { CopyParameters, options, withCores } from './options.js';
import { copyChecks, copyFindings, fastest } from './report.js';
import shards, { shardAnswer } from './shards.js';
import { COPY_COLUMNS, copyDetails, p99Cell } from './tables.js';

/** The answer: speed, correctness with and without notice of changes. */
const ANSWERS = 3;
const LIMITS = [
  'Sources, copies, movers and writers share one machine; a network or separate cores change the figures.',
];
const MODES_NOTE =
  'sync: the new node becomes a replica; rdb: it copies existing keys, disk: through a file on the source; aof: it follows new writes. ' +
  'scan: SCAN, DUMP and RESTORE. ksn: with keyspace notifications, to copy changes. writes: while clients write.';

const WARNING =
  '`REPLICAOF` deletes every key that NEW has. NEW must be empty, and no Sentinel may be able to command it: Sentinels find NEW through the ' +
  'source, and after `REPLICAOF NO ONE` they make it a replica again, which deletes what was written to it. A password that the Sentinels do not know keeps them ' +
  'away. They list NEW as down until `SENTINEL RESET` on one Sentinel after the other, at least 30 s apart, while primary and replicas are well.';
/** What the page advises. A test carries it out beside real Sentinels. */
export const ACTION = `# 1. DBSIZE must answer 0. If not, stop here: the next step deletes these keys.
redis-cli -h NEW DBSIZE
# 2. Choose a password that no Sentinel has. Never promote NEW.
redis-cli -h NEW CONFIG SET replica-priority 0
redis-cli -h NEW CONFIG SET requirepass NEW_PASSWORD
# 3. Fill it. Does the source have a password? First CONFIG SET masterauth on NEW.
REDISCLI_AUTH=NEW_PASSWORD redis-cli -h NEW REPLICAOF SOURCE 6379
# 4. Wait for master_link_status:up. Stop the writers. Wait until slave_repl_offset of NEW is master_repl_offset of SOURCE.
REDISCLI_AUTH=NEW_PASSWORD redis-cli -h NEW INFO replication
# 5. Only then:
REDISCLI_AUTH=NEW_PASSWORD redis-cli -h NEW REPLICAOF NO ONE`;

/** @type {Benchmark} */
const copy = {
  name: 'copy',
  question: 'How fast can a new node be filled, what does that cost the source, and is the copy right?',
  method:
    'A pair is a source and an empty node. Full copies: each source holds the same data set of every type, and the time counts from the ' +
    'start of the copying until the copy has everything; nothing writes meanwhile, or (-writes) each source takes ' +
    `${count(MODERATE.rate)} mixed writes a second. sync-rdb is diskless, sync-rdb-disk writes the data set to a file first. ` +
    'Incremental copies (sync-aof, scan-ksn, with and without RedisShake): source and copy are equal at first (keys before). Then ' +
    `${HEAVIEST.connections} connections a source send two SETs of ${HEAVIEST.payloadBytes} B at a time, as fast as they are answered, all in ` +
    'in one thread (quick) or several; the time counts from the first write until the copy has the last. Then the writers stop, and source and copy ' +
    'are compared key by key: type, value, expiry. Rates are of all pairs together. Nodes, movers and writers share this machine.',
  needs: ['stop', 'configure', 'stats'],
  kind: 'custom',
  stacks: {
    sentinels: false,
    settings: {
      'min-replicas-to-write': '0',
      // Past the default of 32mb Redis closes the connection of a slow subscriber, and its messages are lost.
      'client-output-buffer-limit': 'pubsub 1gb 0 0',
    },
  },
  pace: ({ name }) => PACES[name],
  cases: (how) => withCores(copyCases(how), how.parameters),
  whyNotCase,
  parameters: CopyParameters,
  measure: (site) => measureCopy(site, SIZES[site.testbed.profile.name]),
  table: COPY_COLUMNS,
  charts: copyCharts,
  details: copyDetails,
  findings: copyFindings,
  checks: copyChecks,
};

/** @type {Suite} */
export default { name: 'copy', params, roundFigures, options, benchmarks: [copy, shards], frontPage, claims };

/**
 * @param {Result} result
 * @returns {FrontPage}
 */
function frontPage(result) {
  const benchmark = result.benchmarks.find(({ name }) => name === copy.name);
  // Its first findings are the answer then.
  if (!benchmark) return { answer: [], evidence: [], limits: LIMITS };
  const cluster = result.benchmarks.find(({ name }) => name === shards.name);
  const acrossShards = cluster ? shardAnswer(cluster) : null;
  const cases = decidingCases(benchmark);
  const [full] = copyCharts(benchmark);
  const [sync, scan] = fastest(benchmark);
  const advice =
    sync && scan && rateOf(sync) > rateOf(scan)
      ? [
          `Fill a new node by full sync (\`REPLICAOF\`): ${(rateOf(sync) / rateOf(scan)).toFixed(1)} times as fast as the fastest copy with SCAN.`,
        ]
      : [];
  return {
    answer: [
      ...advice,
      // The advice and the table have the fastest ways.
      ...copyFindings(benchmark)
        .filter(({ id }) => advice.length === 0 || id !== 'filling')
        .slice(0, ANSWERS - advice.length)
        .map(({ text: one }) => `${one}.`),
      ...(acrossShards === null ? [] : [acrossShards]),
    ],
    evidence: [
      ...(full
        ? [chart({ ...full, note: [full.note, MODES_NOTE].filter((note) => note !== undefined).join(' ') })]
        : []),
      table(DECIDING_COLUMNS, cases),
    ],
    actions: [text(WARNING), code(ACTION, 'sh')],
    // On loopback every page says so.
    limits: result.stack.path === 'loopback' ? [] : LIMITS,
    covers: [copy.name, ...(acrossShards === null ? [] : [shards.name])],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {CaseResult[]} of one pair. Without writers only the fastest of each mover, and of another tool the fastest of each kind: the
 *   others are in details.md
 */
function decidingCases({ cases }) {
  const onePair = cases.filter(({ params, rounds }) => params.pairs === 1 && rounds.length > 0);
  const isBeaten = (/** @type {CaseResult} */ one) =>
    !isWrittenTo(one) &&
    onePair.some(
      (other) => !isWrittenTo(other) && other.params.mover === one.params.mover && rateOf(other) > rateOf(one),
    );
  const kindOf = (/** @type {CaseResult} */ one) => `${isIncremental(one)} ${isWrittenTo(one)}`;
  const isSlower = (/** @type {CaseResult} */ one) =>
    isForeign(one) &&
    onePair.some((other) => isForeign(other) && kindOf(other) === kindOf(one) && rateOf(other) > rateOf(one));
  const isFullSync = (/** @type {CaseResult} */ one) =>
    !isForeign(one) && !isIncremental(one) && isWrittenTo(one) && !one.params.mover?.includes('scan');
  const isSlowerSync = (/** @type {CaseResult} */ one) =>
    isFullSync(one) && onePair.some((other) => isFullSync(other) && rateOf(other) > rateOf(one));
  return onePair.filter((one) => !isBeaten(one) && !isSlower(one) && !isSlowerSync(one));
}

/** @type {Column[]} */
const DECIDING_COLUMNS = [
  left('mode, one pair', modeTitle),
  right('keys or writes/s', (result) => rate(rateOf(result))),
  right('took', (result) => {
    const seconds = typical(result, (figures) => figures.seconds);
    return !isFinished(result) ? 'never finished' : seconds === null ? '' : duration(seconds * NS_A_SECOND);
  }),
  right('share of the writes', (result) => {
    const share = isIncremental(result) ? ratioOf(result) : null;
    return share === null ? '' : percent(share);
  }),
  right('writers’ p99 before / during', (result) => (isWrittenTo(result) ? p99Cell(result, ['before', 'during']) : '')),
  right('keys different', differencesText),
];
