/**
 * The suite `copy`: filling a new node by full sync, SCAN, SCAN with notifications, or RedisShake.
 *
 * @import { BenchmarkResult, CaseResult, Result } from '../../src/result/schema.js'
 * @import { Benchmark, Column, FrontPage, Suite } from '../../src/run/types.js'
 */

import { count, duration, percent, rate } from '../../src/format.js';
import { chart, code, table, text } from '../../src/report/blocks.js';
import { left, right } from '../../src/report/columns.js';
import { NS_A_SECOND } from '../../src/units.js';
import { copyCharts } from './charts.js';
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
import { copyCases, HEAVIEST, MODERATE, OVERHEAD_SECONDS, PACES, SIZES } from './modes.js';
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
  'scan: SCAN, DUMP and RESTORE. ksn: with keyspace notifications, to copy changes. writes: while clients write. In the table, share of the writes: how many of the new writes ' +
  'the copy had when the writers stopped; expiry: a key expires earlier or later, by at most.';

const WARNING =
  '`REPLICAOF` deletes every key and function that NEW has. It copies no settings: give NEW the `databases`, `maxmemory`, modules, ACL users and persistence of the source before, and a configuration file that it may write (with an `aclfile` also `new ACL SAVE` after block 1). ' +
  'Sentinels find NEW through the source. After `REPLICAOF NO ONE` any that can log in makes it a replica again, which deletes what was written to it. So NEW gets a password that they do not know; that is not enough if it has an ACL user of theirs. ' +
  'If block 2 does not end with OK twice: stop NEW, remove its data files and the `requirepass` of its file, start it, and begin again. After block 2 a NEW that restarts follows the source again; after block 3 never begin again, because NEW has the only copy of the new writes. While it is a replica it counts for `WAIT` and `min-replicas-to-write`. ' +
  'If the source has a password, after block 1: `printf %s "$PASSWORD" | new -x CONFIG SET masterauth` (and `masteruser`), and `REDISCLI_AUTH` for `old`.';
/** What the page advises: each block looks before it acts. A test carries them out beside real Sentinels. */
export const PROTECT = `# 1. Put in the two names here, and nowhere else. Deletes nothing. If NEW has no key in any database, it gets a password,
# which is in a file here, and is never promoted. If it says OK twice, go on.
# TLS=--tls and AS='--user NAME', the user of the source, if they are needed.
TO=NEW FROM=PRIMARY
old() { redis-cli -e $TLS $AS -h "$FROM" -p 6379 "$@"; }
new() { REDISCLI_AUTH=$(cat "new-$TO.pw") redis-cli -e $TLS -h "$TO" -p 6379 "$@"; }
empty() { [ "$(tr -d '\\r')" = '# Keyspace' ]; }
redis-cli $TLS -h "$TO" -p 6379 INFO keyspace | empty && (umask 077; head -c 24 /dev/urandom | base64 > "new-$TO.pw") &&
  tr -d '\\n' < "new-$TO.pw" | redis-cli -e $TLS -h "$TO" -p 6379 -x CONFIG SET requirepass &&
  new CONFIG SET replica-priority 0`;
export const FILL = `# 2. Fills NEW from a primary, if NEW has the password, also in its file, and no key. Ends older connections, then OK twice.
redis-cli $TLS -h "$TO" -p 6379 PING | grep -q NOAUTH && old INFO replication | grep -q role:master &&
  [ "$(new CONFIG REWRITE)" = OK ] && new CLIENT KILL TYPE normal && new CLIENT KILL TYPE pubsub &&
  new INFO keyspace | empty && new REPLICAOF "$FROM" 6379 && new CONFIG REWRITE`;
export const RELEASE = `# 3. When new INFO replication says master_link_status:up, stop the writers. OK twice: NEW has all that the primary has, and
# is a primary of its own. Else see new INFO replication: for role:master new CONFIG REWRITE until OK, else block 3 again.
offset() { grep -E '^master_(replid|repl_offset):'; }
redis-cli $TLS -h "$TO" -p 6379 PING | grep -q NOAUTH && old INFO replication | grep -q role:master &&
  new INFO replication | grep -q master_link_status:up &&
  [ "$(old INFO replication | offset)" = "$(new INFO replication | offset)" ] && new REPLICAOF NO ONE &&
  new CONFIG REWRITE`;
const AFTERWARDS =
  'Block 3 cannot tell whether somebody still writes to the old primary. To refuse such writes, before it: note `old CONFIG GET min-replicas-to-write`, and `old CONFIG SET min-replicas-to-write 1000` (`min-replicas-max-lag` has to be above 0). If the writers go on with it after all, set the noted value again first. ' +
  'Writers then use NEW with the password of the file. Now make the Sentinels forget NEW, only while primary and replicas are well: `SENTINEL RESET` with the name at one, and at the next when `num-other-sentinels` and the other replicas are what they were. ' +
  'Only when `SENTINEL REPLICAS` of every Sentinel, also of one that was down, lacks NEW may it get its own password and priority.';

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
  overheadSeconds: OVERHEAD_SECONDS,
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
export default { name: 'copy', params, roundFigures, options, benchmarks: [copy, shards], frontPage };

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
    ...(advice.length > 0 && { basis: [sync, scan] }),
    evidence: [
      ...(full
        ? [chart({ ...full, note: [full.note, MODES_NOTE].filter((note) => note !== undefined).join(' ') })]
        : []),
      table(DECIDING_COLUMNS, cases),
    ],
    actions: [text(WARNING), ...[PROTECT, FILL, RELEASE].map((block) => code(block, 'sh')), text(AFTERWARDS)],
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
