/**
 * Claims of an article about its tool that copies Redis data.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Claim, Examined } from '../../src/report/articles.js'
 */
import { ARTICLES } from '../../src/report/articles.js';
import { idsOf } from '../../src/report/findings.js';
import { percent } from '../../src/report/format.js';
import { caseOf, isFinished, limitOf, networkForEach, rateOf, ratioOf } from './figures.js';

const article = ARTICLES.copy;
/** The least that counts as “about twice”, as “keeps pace” and as “more network”. */
const TWICE = 1.5;
const KEEPS_PACE = 0.9;
const MORE_NETWORK = 2;
const DIFFERS = '1 pair on this machine (theirs: 12 shards, 32 cores)';

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  {
    article,
    benchmark: 'copy',
    claim: 'A full sync moves about twice as many keys a second as SCAN',
    theirs: '1,498 k against 665 k keys/s with one process for all shards, 220 k against 58 k a process; RedisShake',
    differs: DIFFERS,
    examine: (result) => examineSpeed(result, 'redis-shake-sync', 'redis-shake-scan'),
  },
  {
    article,
    benchmark: 'copy',
    claim: 'A full sync moves about twice as many keys a second as SCAN, without RedisShake',
    theirs: 'the same',
    differs: `Redis's own replication and this tool's SCAN; ${DIFFERS}`,
    examine: (result) => examineSpeed(result, 'sync-rdb', 'scan'),
  },
  {
    article,
    benchmark: 'copy',
    claim: 'SCAN needs more network for each key than a full sync',
    theirs: '5.9 times as much: 435 Mb/s at 1,498 k keys/s, 1,130 Mb/s at 665 k; RedisShake',
    differs: `Redis's own replication and this tool's SCAN; ${DIFFERS}`,
    examine(result) {
      const own = finished(result, ['sync-rdb', 'scan']);
      const [sync, scan] = own.map(networkForEach);
      if (!sync || !scan) return null;
      const ratio = scan / sync;
      return examined(own, `${ratio.toFixed(1)} times as much`, ratio >= MORE_NETWORK);
    },
  },
  keepsPace('sync-aof', 'Sync with the stream of writes keeps pace with the heaviest writing', 1520 / 1599),
  keepsPace('scan-ksn', 'SCAN with keyspace notifications keeps pace with the heaviest writing', 1081 / 1084),
]);

/**
 * @param {string} mode
 * @param {string} claim
 * @param {number} theirs writes copied of those made
 * @returns {Claim}
 */
function keepsPace(mode, claim, theirs) {
  return {
    article,
    benchmark: 'copy',
    claim,
    theirs: `${percent(theirs)} of the writes; RedisShake, one process for 12 shards`,
    differs: `Redis's own replication or this tool's SCAN; ${DIFFERS}`,
    examine(result) {
      const one = caseOf(result, mode);
      const ratio = one && ratioOf(one);
      if (!one || ratio == null) return null;
      const rest = isFinished(one) ? '' : ', the rest never arrived';
      const ours = `${percent(ratio)} of the writes${rest} (limited by: ${limitOf(one)})`;
      return examined([one], ours, ratio >= KEEPS_PACE && isFinished(one));
    },
  };
}

/**
 * @param {BenchmarkResult} result
 * @param {string} sync mode
 * @param {string} scan mode
 * @returns {Examined | null}
 */
function examineSpeed(result, sync, scan) {
  const own = finished(result, [sync, scan]);
  if (own.length < 2 || rateOf(own[1]) === 0) return null;
  const ratio = rateOf(own[0]) / rateOf(own[1]);
  return examined(own, `${ratio.toFixed(1)} times as many`, ratio >= TWICE);
}

/**
 * @param {BenchmarkResult} result
 * @param {string[]} modes
 * @returns {CaseResult[]} of one pair; none unless all modes were finished
 */
function finished(result, modes) {
  const own = modes.map((mode) => caseOf(result, mode)).filter((one) => one !== undefined);
  return own.length === modes.length && own.every(isFinished) ? own : [];
}

/**
 * @param {CaseResult[]} cases
 * @param {string} ours
 * @param {boolean} holds
 * @returns {Examined}
 */
function examined(cases, ours, holds) {
  return { ours, holds, rounds: Math.min(...cases.map(({ rounds }) => rounds.length)), evidence: idsOf(cases) };
}
