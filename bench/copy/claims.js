/**
 * Examines the claims of RedisShake's page. They are about RedisShake, so only its cases decide; the cases of this tool's movers are shown with them.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue } from '../../src/result/schema.js'
 * @import { CopyFigures } from './document.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 */
import { judge, nearFactor, nearShare, spanRatio, trueOrOpen } from '../../src/report/articles.js';
import { bytes, count, interval, percent, rate, times } from '../../src/report/format.js';
import { sum } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import { caseOf, figuresOf, isFinished, isForeign, limitOf, spread } from './figures.js';
import { ratioText, ratioTo } from './shards.js';

const DIFFERS = '1 pair on this machine (theirs: 12 shards, 32 cores), so another figure decides nothing';
const SHARDS_DIFFER = '3 shards on this machine (theirs: 12 shards, 32 cores), so another figure decides nothing';
const NETWORK = 'sent by source and mover (theirs: by the whole server)';
const CPU = 'CPU of source, copy and mover (theirs: of the whole server)';
/** A mover that copies this share of the writes keeps pace. */
const KEEPS_PACE = 0.9;
const SCAN_COUNT = 10;
/** Writes a second. */
const BENCH_RATE = 1_500_000;

/**
 * The first two copy a data set, the others copy the heaviest writing. The modes without RedisShake have these names.
 *
 * @typedef {'sync-rdb' | 'scan' | 'sync-aof' | 'scan-ksn'} Way
 */

/** @type {readonly Way[]} */
const WITHOUT_STREAM = ['sync-rdb', 'scan', 'scan-ksn'];
/** Modes without the stream may write at most this share of what the stream writes to disk. */
const LITTLE = 0.1;

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  keepsPace('copy.sync-aof', 'sync-aof'),
  keepsPace('copy.scan-ksn', 'scan-ksn'),
  ratioClaim('copy.ksn-cost', {
    of: 'scan-ksn',
    to: 'sync-aof',
    value: ({ sourceRate }) => sourceRate,
    claimed: nearShare(1084 / 1599),
    unit: percent,
    text: (ratio) => `the source writes ${interval(ratio, percent)} as fast as with sync`,
  }),
  ratioClaim('copy.sync-against-scan', {
    of: 'sync-rdb',
    to: 'scan',
    value: ({ copyRate }) => copyRate,
    claimed: nearFactor(1498 / 665),
    unit: times,
    text: (ratio) => interval(ratio, times),
  }),
  examination('copy.sync-against-scan-shard', {
    benchmark: 'copy-shards',
    differs: SHARDS_DIFFER,
    examine({ cases }) {
      const pair = ['redis-shake-sync', 'redis-shake-scan'].map((mode) =>
        cases.find(
          ({ params, rounds }) => params.copyMode === mode && params.movers === params.shards && rounds.length > 0,
        ),
      );
      const [sync, scan] = pair;
      if (!sync || !scan || ![sync, scan].every(isFinished)) return null;
      const rateOf = (/** @type {CopyFigures} */ { copyRate }) => copyRate;
      const found = judge(spanRatio(spread(sync, rateOf), spread(scan, rateOf)), nearFactor(220 / 58), {
        text: (ratio) => `${interval(ratio, times)} (limited by: ${limitsText([sync, scan])})`,
        unit: times,
        cases: [sync, scan],
        differs: sizesText(sync),
      });
      return trueUnlessBusy(found, [sync, scan]);
    },
  }),
  ratioClaim('copy.scan-network', {
    of: 'scan',
    to: 'sync-rdb',
    value: networkOf,
    claimed: nearFactor(1130 / 665 / (435 / 1498)),
    unit: times,
    text: (ratio) => interval(ratio, times),
    differs: NETWORK,
  }),
  ratioClaim('copy.scan-cpu', {
    of: 'scan',
    to: 'sync-rdb',
    value: cpuOf,
    claimed: nearFactor(1297.2 / 665 / (1605 / 1498)),
    unit: times,
    text: (ratio) => interval(ratio, times),
    differs: CPU,
  }),
  ratioClaim('copy.ksn-network', {
    of: 'scan-ksn',
    to: 'sync-aof',
    value: networkOf,
    claimed: nearFactor(2100 / 1081 / (1340 / 1520)),
    unit: times,
    text: (ratio) => interval(ratio, times),
    differs: NETWORK,
  }),
  ratioClaim('copy.ksn-cpu', {
    of: 'scan-ksn',
    to: 'sync-aof',
    value: cpuOf,
    claimed: nearFactor(1911.4 / 1081 / (1276.9 / 1520)),
    unit: times,
    text: (ratio) => interval(ratio, times),
    differs: CPU,
  }),
  examination('copy.bench-cores', {
    benchmark: 'copy',
    differs: `${DIFFERS}; the writers of this tool`,
    examine(benchmark) {
      const one = shakeCase(benchmark, 'sync-aof') ?? caseOf(benchmark, 'sync-aof');
      const written = one && spread(one, ({ sourceRate }) => sourceRate);
      if (!one || !written) return null;
      const found = judge(
        written,
        { least: BENCH_RATE },
        { text: (value) => interval(value, rate), unit: rate, cases: [one] },
      );
      return found && { ...found, holds: trueOrOpen(found.holds) };
    },
  }),
  examination('copy.sync-aof-disk', {
    benchmark: 'copy',
    differs: `${DIFFERS}; bytes that RedisShake’s process wrote to files (theirs: disk rates of the whole server, by htop)`,
    examine(benchmark) {
      const stream = shakeCase(benchmark, 'sync-aof');
      const others = WITHOUT_STREAM.flatMap((way) => shakeCase(benchmark, way) ?? []);
      // A mode that is missing could be one that writes.
      if (!stream || others.length < WITHOUT_STREAM.length) return null;
      const streamSpread = spread(stream, diskRateOf);
      const otherSpreads = others
        .flatMap((one) => spread(one, diskRateOf) ?? [])
        .sort((one, other) => other.median - one.median);
      const missing = [stream, ...others].filter((one) => spread(one, diskRateOf) === null);
      if (!streamSpread || missing.length > 0) {
        const counted = streamSpread ? `${interval(streamSpread, bytes)}/s with sync and the stream, but ` : '';
        const modes = missing.map(({ params }) => params.copyMode).join(', ');
        return {
          ours: `not measured: ${counted}nothing read what ${modes} wrote while it ran; \`sentinel-bench run copy --profile standard\``,
          holds: null,
          missing: true,
          rounds: stream.rounds.length,
          evidence: [stream, ...others].map(({ id }) => id),
        };
      }
      const found = judge(
        spanRatio(otherSpreads[0], streamSpread),
        { most: LITTLE },
        {
          text: () =>
            `${interval(streamSpread, bytes)}/s with sync and the stream, up to ${interval(otherSpreads[0], bytes)}/s with the others`,
          unit: percent,
          cases: [stream, ...others],
        },
      );
      return found && { ...found, holds: trueOrOpen(found.holds) };
    },
  }),
  clusterClaim('copy.cluster-sync-aof', 'redis-shake-sync-aof', 1520 / 1560),
  clusterClaim('copy.cluster-sync-rdb', 'redis-shake-sync', 1498 / 2640),
  clusterClaim('copy.cluster-scan-ksn', 'redis-shake-scan-ksn', 1081 / 1140),
  clusterClaim('copy.cluster-scan', 'redis-shake-scan', 665 / 696),
]);

/**
 * @param {ClaimId} id
 * @param {string} mode
 * @param {number} theirs speed of one process for all shards over that of one process a shard
 */
function clusterClaim(id, mode, theirs) {
  return examination(id, {
    benchmark: 'copy-shards',
    differs: SHARDS_DIFFER,
    examine({ cases }) {
      const together = cases.find(
        ({ params, rounds }) => params.copyMode === mode && params.movers === 1 && rounds.length > 0,
      );
      const ratio = together && ratioTo(together);
      const each = cases.find((one) => one.id === together?.summary.relativeToBaseline?.baseline);
      if (!together || !ratio || !each || ![together, each].every(isFinished)) return null;
      const found = judge(ratio, nearShare(theirs), {
        text: (value) => `${ratioText(value)} times as fast (limited by: ${limitsText([each, together])})`,
        unit: percent,
        cases: [together, each],
        differs: sizesText(together),
      });
      return trueUnlessBusy(found, [each, together]);
    },
  });
}

/** @param {readonly CaseResult[]} cases */
function limitsText(cases) {
  return [...new Set(cases.map(limitOf))].join(', ');
}

/**
 * @param {CaseResult} one
 * @returns {string} such as `100,000 keys with values of 64 B (theirs: 1 GB; 8 B where it wrote)`
 */
function sizesText(one) {
  const keys = Math.max(...figuresOf(one).map(({ keysBefore }) => keysBefore));
  return `${count(keys)} keys with values of ${count(one.params.payloadBytes)} B (theirs: 1 GB; 8 B where it wrote)`;
}

/**
 * Sizes and machines differ from theirs, and a machine that is too small for both ways says nothing about them.
 *
 * @param {Examined | null} found
 * @param {readonly CaseResult[]} cases
 */
function trueUnlessBusy(found, cases) {
  return openIfBusy(found && { ...found, holds: trueOrOpen(found.holds) }, cases);
}

/**
 * @param {Examined | null} found
 * @param {readonly CaseResult[]} cases
 */
function openIfBusy(found, cases) {
  return found && cases.some((one) => limitOf(one) === 'machine') ? { ...found, holds: null } : found;
}

/**
 * @param {ClaimId} id
 * @param {{of: Way, to: Way, value: (figures: CopyFigures) => number | null, claimed: Range, unit: (value: number) => string,
 *   text: (ratio: IntervalValue) => string, differs?: string}} what
 */
function ratioClaim(id, { of, to, value, claimed, unit, text, differs = '' }) {
  /** @param {(CaseResult | undefined)[]} cases */
  const ratio = ([one, base]) =>
    one && base && [one, base].every(isFinished) ? spanRatio(spread(one, value), spread(base, value)) : null;
  return examination(id, {
    benchmark: 'copy',
    differs: [DIFFERS, differs].filter(Boolean).join('; '),
    examine(benchmark) {
      const cases = [of, to].map((way) => shakeCase(benchmark, way)).filter((one) => one !== undefined);
      if (cases.length < 2) return null;
      const without = ratio([of, to].map((way) => caseOf(benchmark, way)));
      const found = judge(ratio(cases), claimed, {
        text: (measured) =>
          `${text(measured)} (limited by: ${limitsText(cases)})${without ? `; without RedisShake ${text(without)}` : ''}`,
        unit,
        cases,
        differs: sizesText(cases[0]),
      });
      return trueUnlessBusy(found, cases);
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {Way} way
 */
function keepsPace(id, way) {
  const paceOf = (/** @type {CaseResult} */ one) =>
    spread(one, ({ copyRate, sourceRate }) => (sourceRate > 0 ? copyRate / sourceRate : null));
  return examination(id, {
    benchmark: 'copy',
    differs: DIFFERS,
    examine(benchmark) {
      const one = shakeCase(benchmark, way);
      if (!one) return null;
      const wayCase = caseOf(benchmark, way);
      const without = wayCase ? paceOf(wayCase) : null;
      const found = judge(
        paceOf(one),
        { least: KEEPS_PACE },
        {
          text: (pace) =>
            `${interval(pace, percent)} of the writes${isFinished(one) ? '' : ', the rest never arrived'} (limited by: ${limitOf(one)})` +
            (without ? `; without RedisShake ${interval(without, percent)}` : ''),
          unit: percent,
          cases: [one],
        },
      );
      return openIfBusy(found && { ...found, holds: isFinished(one) ? trueOrOpen(found.holds) : false }, [one]);
    },
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Way} way
 * @returns {CaseResult | undefined} of RedisShake with one pair and the article's COUNT
 */
function shakeCase({ cases }, way) {
  const scans = way.startsWith('scan');
  const written = way === 'sync-aof' || way === 'scan-ksn';
  return cases.find((one) => {
    const { mover = '', pairs, scanCount = SCAN_COUNT, rate } = one.params;
    return (
      isForeign(one) &&
      pairs === 1 &&
      mover.includes('scan') === scans &&
      scanCount === SCAN_COUNT &&
      rate === undefined &&
      figuresOf(one).length > 0 &&
      figuresOf(one).every(({ sourceRate }) => sourceRate > 0 === written)
    );
  });
}

/**
 * A mover sends again what it reads, so both ways count.
 *
 * @param {CopyFigures} figures
 * @returns {number | null} bytes for each key; null: not counted
 */
function networkOf({ use: { source, copy, mover }, copiedKeys }) {
  // Another program counts nothing; what a copy receives comes from it.
  const sent = [source.networkOutBytes, mover ? (mover.networkOutBytes ?? copy.networkInBytes) : 0];
  return copiedKeys === 0 || sent.includes(null) ? null : (Number(sent[0]) + Number(sent[1])) / copiedKeys;
}

/**
 * @param {CopyFigures} figures
 * @returns {number | null} CPU seconds for each key, of source, copy and mover; null: not known
 */
function cpuOf({ use: { source, copy, mover }, seconds, copiedKeys }) {
  const shares = [source.cpu, copy.cpu, mover ? mover.cpu : 0];
  return copiedKeys === 0 || shares.includes(null) ? null : (sum(shares.map(Number)) * seconds) / copiedKeys;
}

/**
 * @param {CopyFigures} figures
 * @returns {number | null} bytes a second that the mover writes to disk; null: not counted
 */
function diskRateOf({ use: { mover }, seconds }) {
  return mover?.blockOutBytes == null ? null : mover.blockOutBytes / seconds;
}
