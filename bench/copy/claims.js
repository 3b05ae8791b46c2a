/**
 * Claims of an article about its tool that copies Redis data.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Claim, Examined } from '../../src/report/articles.js'
 */
import { ARTICLES, within } from '../../src/report/articles.js';
import { idsOf } from '../../src/report/findings.js';
import { percent } from '../../src/report/format.js';
import { caseOf, isFinished, limitOf, networkForEach, rateOf, ratioOf } from './figures.js';
import { ratioText, ratioTo } from './shards.js';

const article = ARTICLES.copy;
/** The least that counts as “about twice”, as “keeps pace” and as “more network”. */
const TWICE = 1.5;
const KEEPS_PACE = 0.9;
const MORE_NETWORK = 2;
/** A ratio of speeds from here on counts as about the same. */
const COUNTS_AS_EQUAL = 0.9;
const DIFFERS = '1 pair on this machine (theirs: 12 shards, 32 cores)';
const WITHOUT_SHAKE = "Redis's own replication and this tool's SCAN";
const SHARDS_DIFFER = '3 shards on this machine (theirs: 12 shards, 32 cores)';

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
    differs: `${WITHOUT_SHAKE}; ${DIFFERS}`,
    examine: (result) => examineSpeed(result, 'sync-rdb', 'scan'),
  },
  network('SCAN needs more network for each key than a full sync', DIFFERS, 'redis-shake-sync', 'redis-shake-scan'),
  network(
    'SCAN needs more network for each key than a full sync, without RedisShake',
    `${WITHOUT_SHAKE}; ${DIFFERS}`,
    'sync-rdb',
    'scan',
  ),
  ...keepsPace('sync-aof', 'Sync with the stream of writes keeps pace with the heaviest writing', 1520 / 1599),
  ...keepsPace('scan-ksn', 'SCAN with keyspace notifications keeps pace with the heaviest writing', 1081 / 1084),
  ...clusters('sync + aof', 'redis-shake-sync-aof', 0.97),
  ...clusters('sync + rdb', 'redis-shake-sync', 0.57),
  ...clusters('scan + ksn', 'redis-shake-scan-ksn', 0.95),
  ...clusters('scan + scan', 'redis-shake-scan', 0.95),
]);

/**
 * @param {string} claim
 * @param {string} differs
 * @param {string} syncMode
 * @param {string} scanMode
 * @returns {Claim}
 */
function network(claim, differs, syncMode, scanMode) {
  return {
    article,
    benchmark: 'copy',
    claim,
    theirs: '5.9 times as much: 435 Mb/s at 1,498 k keys/s, 1,130 Mb/s at 665 k; RedisShake',
    differs,
    examine(result) {
      const own = finished(result, [syncMode, scanMode]);
      const [sync, scan] = own.map(networkForEach);
      if (!sync || !scan) return null;
      const ratio = scan / sync;
      return examined(own, `${ratio.toFixed(1)} times as much`, ratio >= MORE_NETWORK);
    },
  };
}

/**
 * @param {string} phase as the article names it
 * @param {string} mode
 * @param {number} theirs speed of one process for 12 shards over that of 12 processes
 * @returns {Claim[]} of RedisShake, and of this tool's own mover where it copies in the same way
 */
function clusters(phase, mode, theirs) {
  const own = mode.replace('redis-shake-', '');
  const most = theirs < COUNTS_AS_EQUAL;
  const claim = `One process for a cluster copies ${most ? 'clearly slower than' : 'about as fast as'} one for each shard: ${phase}`;
  const modes = own.startsWith('scan') ? [mode, own] : [mode];
  return modes.map((one) => ({
    article,
    benchmark: 'copy-shards',
    claim: one === mode ? claim : `${claim}, without RedisShake`,
    theirs: `${theirs} times as fast; RedisShake, 12 shards`,
    differs: one === mode ? SHARDS_DIFFER : `${WITHOUT_SHAKE}; ${SHARDS_DIFFER}`,
    examine(result) {
      const together = result.cases.find(
        ({ params, rounds }) => params.mode === one && params.movers === 1 && rounds.length > 0,
      );
      const ratio = together && ratioTo(together);
      const each = result.cases.find(({ id }) => id === together?.summary.relativeToBaseline?.baseline);
      if (!together || !ratio || !each || ![together, each].every(isFinished)) return null;
      const holds = within(ratio, most ? { most: COUNTS_AS_EQUAL } : { least: COUNTS_AS_EQUAL });
      const ours = `${ratioText(ratio)} times as fast (limited by: ${[...new Set([each, together].map(limitOf))].join(', ')})`;
      return { ...examined([together, each], ours, false), holds };
    },
  }));
}

/**
 * @param {string} mode
 * @param {string} claim
 * @param {number} theirs writes copied of those made
 * @returns {Claim[]} of RedisShake, and of the same without it
 */
function keepsPace(mode, claim, theirs) {
  return [`redis-shake-${mode}`, mode].map((own) => ({
    article,
    benchmark: 'copy',
    claim: own === mode ? `${claim}, without RedisShake` : claim,
    theirs: `${percent(theirs)} of the writes; RedisShake, one process for 12 shards`,
    differs: own === mode ? `${WITHOUT_SHAKE}; ${DIFFERS}` : DIFFERS,
    examine(result) {
      const one = caseOf(result, own);
      const ratio = one && ratioOf(one);
      if (!one || ratio == null) return null;
      const rest = isFinished(one) ? '' : ', the rest never arrived';
      const ours = `${percent(ratio)} of the writes${rest} (limited by: ${limitOf(one)})`;
      return examined([one], ours, ratio >= KEEPS_PACE && isFinished(one));
    },
  }));
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
