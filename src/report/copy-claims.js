/**
 * What an article found of a tool that copies, held against what was measured here.
 */
import {
  COPY_SEED,
  caseOf,
  evidenceOf,
  isFinished,
  limitText,
  networkForEach,
  rateOf,
  ratioOf,
} from './copy-figures.js';
import { bytes, percent } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').Finding} Finding
 */

/** What the claims are taken for. */
const TWICE = 1.5;
const KEEPS_PACE = 0.9;
const MORE_NETWORK = 2;
/** The article: 1,498 k and 665 k keys a second with one process for 12 shards, 12 × 220 k and 12 × 58 k with one for each. */
const SEED_FULL = { one: 1498 / 665, each: 220 / 58 };
/** The article: 435 Mb/s sent at 1,498 k keys a second, 1,130 Mb/s at 665 k. */
const SEED_SENT = { sync: 435e6 / 8 / 1498e3, scan: 1130e6 / 8 / 665e3 };
/** The article: writes brought over of those made, one process for 12 shards. */
const SEED_RATIO = { 'sync-aof': 1520 / 1599, 'scan-ksn': 1081 / 1084 };

/**
 * What the article found of its own tool, between 12 shards on 32 cores, held against what was measured here.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function copyClaims(benchmark) {
  const finished = (/** @type {string} */ mode) => {
    const one = caseOf(benchmark, mode);
    return one && isFinished(one) ? one : undefined;
  };
  const [sync, scan] = ['sync-rdb', 'scan'].map(finished);
  const say = (/** @type {string} */ claim, /** @type {boolean} */ holds) =>
    `The claim that ${claim} (“${COPY_SEED}”) ${holds ? 'holds' : 'does not hold'} here`;
  /** @type {Finding[]} */
  const findings = [];
  if (sync && scan && rateOf(scan) > 0) {
    const ratio = rateOf(sync) / rateOf(scan);
    findings.push({
      text:
        `${say('a full sync moves about twice as many keys a second as SCAN, or more', ratio >= TWICE)}: ${ratio.toFixed(1)} times as many, with one ` +
        `pair and Redis’s own replication instead of its tool; there ${SEED_FULL.one.toFixed(1)} times with one process for all shards, ` +
        `${SEED_FULL.each.toFixed(1)} times with one for each. About twice or more: at least ${TWICE} times`,
      evidence: evidenceOf([sync, scan]),
    });
    const [own, more] = [networkForEach(sync), networkForEach(scan)];
    if (own && more) {
      findings.push({
        text:
          `${say('SCAN needs more network for each key than a full sync', more / own >= MORE_NETWORK)}: ${bytes(Math.round(more))} a key ` +
          `from the source to the mover and from there to the copy, against ${bytes(Math.round(own))} from source to copy, ` +
          `${(more / own).toFixed(1)} times as much; there the machine sent ${(SEED_SENT.scan / SEED_SENT.sync).toFixed(1)} times as much. More: at least ${MORE_NETWORK} times`,
        evidence: evidenceOf([sync, scan]),
      });
    }
  }
  const [shakeSync, shakeScan] = ['redis-shake-sync', 'redis-shake-scan'].map(finished);
  if (shakeSync && shakeScan && rateOf(shakeScan) > 0) {
    const ratio = rateOf(shakeSync) / rateOf(shakeScan);
    findings.push({
      text:
        `${say('a full sync moves about twice as many keys a second as SCAN, or more', ratio >= TWICE)} of its own tool, RedisShake: ` +
        `${ratio.toFixed(1)} times as many, its start included`,
      evidence: evidenceOf([shakeSync, shakeScan]),
    });
  }
  for (const [mode, there] of Object.entries(SEED_RATIO)) {
    const one = caseOf(benchmark, mode);
    const ratio = one && ratioOf(one);
    if (!one || ratio == null) continue;
    findings.push({
      text:
        `${say(`${mode === 'sync-aof' ? 'sync with the stream of writes' : 'SCAN with keyspace notifications'} keeps pace with the heaviest writing`, ratio >= KEEPS_PACE && isFinished(one))}: ` +
        `${percent(ratio)} with one pair${isFinished(one) ? '' : ', and the rest never came'}, limited by ${limitText(one)}; there ${percent(there)}. Keeps pace: at least ${percent(KEEPS_PACE)}`,
      evidence: [one.id],
    });
  }
  return findings;
}
