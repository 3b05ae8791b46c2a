/**
 * Examines the claims of the article about AOF on network storage.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { Storage } from './figures.js'
 */
import { judge, nearFactor, nearShare, pairedRatioOf, spanRatio, within } from '../../src/report/articles.js';
import { bytes, duration, interval, percent, plural, rate, times } from '../../src/report/format.js';
import { bootstrapInterval } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import { casesOn, evidenceOf, p99Of, storagesOf } from './figures.js';
import { modeTitle, storageTitle } from './modes.js';

/** Limits in the words of the claims. */
const LONG_P99_NS = 100e6;
const SHORT_P99_NS = 5.12e6;
const NETWORK_P99_NS = 200e6;
const HALF_A_SECOND_NS = 500e6;
/** A loss of more than a tenth is more than minimal. */
const MINIMAL = Object.freeze({ least: 0.9 });
const HALF = Object.freeze({ most: 0.5 });
/** GET is affected much less if it keeps this many times the share that SET keeps. */
const MUCH_LESS = 1.5;
/** The article's configurations, with RDB thresholds. Earlier results have only those without. */
const CONFIGURATIONS = Object.freeze({ off: ['thresholds', 'off'], everysec: ['everysec-thresholds', 'everysec'] });
/** Their setting with 375,795 keys; they name the settings and not the values. */
const TUNED = 'everysec-thresholds-tuning-2';
/** The same result always has the same interval. */
const SEED = 1;

const DIFFERS = 'native load client; this machine’s disk';
const DIFFERS_STORAGE = 'native load client; storages measured one after the other';

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  localClaim('aof.local-throughput', {
    claimed: inverse(nearFactor(7696 / 1275)),
    of: throughput,
    text: (ratio, [off, on]) => `${rates(off, on)}, a factor of ${factor(inverseOf(ratio))}`,
  }),
  localClaim('aof.local-mean', {
    claimed: nearFactor(14.39 / 1.47),
    of: ({ latencyNs }) => latencyNs.mean,
    text: (ratio) => interval(ratio, times),
  }),
  localClaim('aof.local-p99-factor', {
    claimed: nearFactor(102.53 / 5.12),
    of: ({ latencyNs }) => latencyNs.p99,
    tail: true,
    text: (ratio) => interval(ratio, times),
  }),
  local('aof.local-p99', examineTunings),
  local('aof.off-p99', (benchmark, local) => {
    const off = caseOn(benchmark, local, 'set', 'off');
    return off ? judge(p99Of(off), { most: SHORT_P99_NS }, { text: durations, cases: [off] }) : null;
  }),
  local('aof.tuning', (benchmark, local) => {
    const plain = caseOn(benchmark, local, 'set', 'everysec');
    const tuned = plain && tunings(benchmark, local).filter((one) => one !== plain);
    if (!tuned || tuned.length === 0) return null;
    const ratios = tuned.map((one) => pairedRatioOf(one, plain, throughput));
    const judged = ratios.map((ratio) => ratio && within(ratio, nearShare(1)));
    const medians = ratios.flatMap((ratio) => ratio?.median ?? []);
    return {
      ours: `${percent(Math.min(...medians))} to ${percent(Math.max(...medians))} of plain everysec in ${plural(tuned.length, 'case')}`,
      holds: all(judged),
      rounds: Math.min(...[plain, ...tuned].map(({ rounds }) => rounds.length)),
      evidence: [plain, ...tuned].map(({ id }) => id),
    };
  }),
  local(
    'aof.local-data',
    (benchmark, local) => {
      const [empty, full] = [false, true].map((isLoaded) =>
        casesOn(benchmark, local, { operation: 'set', mode: TUNED }).find(
          ({ params }) => (params.preloadKeys !== undefined) === isLoaded,
        ),
      );
      if (!empty || !full) return null;
      return judge(spanRatio(full.summary.throughput, empty.summary.throughput), nearShare(1212 / 1248), {
        text: (ratio) => `${interval(ratio, percent)} of the throughput with a small data set`,
        cases: [empty, full],
        differs: `${plural(full.params.preloadKeys ?? 0, 'key')} of ${bytes(full.params.payloadBytes)} (theirs: 375,795 of a size that is not stated)`,
      });
    },
    `${DIFFERS}; stacks measured one after the other`,
  ),
  network('aof.gap', (benchmark, local, other) => {
    const [off, on] = [caseOn(benchmark, local, 'set', 'off'), caseOn(benchmark, other, 'set', 'everysec')];
    if (!off || !on) return null;
    return judge(spanRatio(off.summary.throughput, on.summary.throughput), nearFactor(7696 / 537), {
      text: (ratio) => `a factor of ${factor(ratio)} on ${storageTitle(other)}`,
      cases: [off, on],
    });
  }),
  network('aof.gap-p99', (benchmark, local, other) => {
    const [off, on] = [caseOn(benchmark, local, 'set', 'off'), caseOn(benchmark, other, 'set', 'everysec')];
    if (!off || !on) return null;
    return judge(spanRatio(p99Of(on), p99Of(off)), nearFactor(201.86 / 5.12), {
      text: (ratio) => `a factor of ${factor(ratio)} on ${storageTitle(other)}`,
      cases: [off, on],
    });
  }),
  network('aof.network-half', (...place) => compareStorages(...place, 'set', HALF)),
  network('aof.network-p99', (benchmark, _, other) => {
    const on = caseOn(benchmark, other, 'set', 'everysec');
    return on
      ? judge(
          p99Of(on),
          { least: NETWORK_P99_NS },
          {
            text: (p99) => `${durations(p99)} on ${storageTitle(other)}`,
            cases: [on],
          },
        )
      : null;
  }),
  network('aof.network-max', (benchmark, _, other) => {
    const on = caseOn(benchmark, other, 'set', 'everysec');
    if (!on || on.rounds.length === 0) return null;
    const longest = bootstrapInterval(
      on.rounds.map(({ latencyNs }) => latencyNs.max),
      { seed: SEED },
    );
    return judge(
      longest,
      { least: HALF_A_SECOND_NS },
      {
        text: (value) => `longest of a round ${durations(value)} on ${storageTitle(other)}`,
        cases: [on],
      },
    );
  }),
  localClaim('aof.get-local', {
    operation: 'get',
    claimed: nearShare(2537 / 8027),
    of: throughput,
    text: (ratio, [off, on]) => `${rates(off, on)}, ${interval(ratio, percent)}`,
  }),
  local('aof.get-less', (benchmark, local) => {
    const [get, set] = /** @type {const} */ (['get', 'set']).map((operation) => pairOn(benchmark, local, operation));
    if (!get || !set) return null;
    const [kept, left] = [get, set].map(([off, on]) => pairedRatioOf(on, off, throughput));
    return judge(
      spanRatio(kept, left),
      { least: MUCH_LESS },
      {
        text: () => `GET keeps ${kept && interval(kept, percent)}, SET ${left && interval(left, percent)}`,
        cases: [...get, ...set],
      },
    );
  }),
  network('aof.get-network', (...place) => compareStorages(...place, 'get', MINIMAL)),
  localClaim('aof.ping-local', {
    operation: 'ping',
    claimed: HALF,
    of: throughput,
    text: (ratio, [off, on]) => `${rates(off, on)}, ${interval(ratio, percent)}`,
  }),
  network('aof.ping-network', (...place) => compareStorages(...place, 'ping', { least: 1 })),
  local('aof.fsync-stall', (benchmark, local) => {
    const on = caseOn(benchmark, local, 'set', 'everysec');
    const delayed = on && evidenceOf(on).delayedFsyncs;
    if (!on || delayed == null) return null;
    return {
      ours: `${plural(delayed, 'write')} waited for a running fsync in ${plural(on.rounds.length, 'round')}`,
      holds: delayed > 0,
      rounds: on.rounds.length,
      evidence: [on.id],
    };
  }),
  splitClaim('aof.split', (alone, split) =>
    judge(spanRatio(split.summary.throughput, alone.summary.throughput), MINIMAL, {
      text: (ratio) => `${interval(ratio, percent)} of the throughput of the primary alone`,
      cases: [alone, split],
    }),
  ),
  splitClaim('aof.split-p99', (_, split) => judge(p99Of(split), { most: 5e6 }, { text: durations, cases: [split] })),
]);

/**
 * @param {ClaimId} id
 * @param {(benchmark: BenchmarkResult, local: Storage) => Examined | null} examine local: the first storage
 * @param {string} [differs]
 */
function local(id, examine, differs = DIFFERS) {
  return examination(id, {
    benchmark: 'persistence',
    differs,
    examine(benchmark, { storage }) {
      const [first] = storagesOf(benchmark, storage);
      return first ? examine(benchmark, first) : null;
    },
  });
}

/**
 * SET, GET or PING with AOF everysec against the same without AOF, paired by round.
 *
 * @param {ClaimId} id
 * @param {{operation?: 'set' | 'get' | 'ping', claimed: Range, of: (round: RoundResult) => number, tail?: true,
 *   text: (ratio: IntervalValue, cases: [CaseResult, CaseResult]) => string}} what operation: default: set; tail: p99, which needs many values
 */
function localClaim(id, { operation = 'set', claimed, of, tail, text }) {
  return local(id, (benchmark, storage) => {
    const pair = pairOn(benchmark, storage, operation);
    if (!pair || (tail && pair.some((one) => p99Of(one) === null))) return null;
    const [off, on] = pair;
    return judge(pairedRatioOf(on, off, of), claimed, { text: (ratio) => text(ratio, pair), cases: pair });
  });
}

/**
 * @param {ClaimId} id
 * @param {(benchmark: BenchmarkResult, local: Storage, other: Storage) => Examined | null} examine other: the second storage
 */
function network(id, examine) {
  return examination(id, {
    benchmark: 'persistence',
    differs: DIFFERS_STORAGE,
    examine(benchmark, { storage }) {
      const [first, other] = storagesOf(benchmark, storage);
      const found = other ? examine(benchmark, first, other) : null;
      return found && { ...found, differs: other.emulated === false ? 'another storage' : 'emulated storage' };
    },
  });
}

/**
 * @param {ClaimId} id
 * @param {(alone: CaseResult, split: CaseResult) => Examined | null} examine
 */
function splitClaim(id, examine) {
  return local(
    id,
    (benchmark, storage) => {
      const [split] = ['split-rdb', 'split'].flatMap((mode) =>
        casesOn(benchmark, storage, { operation: 'set', replicas: 1, mode, preloadKeys: undefined }),
      );
      const alone = caseOn(benchmark, storage, 'set', 'off');
      const found = alone && split ? examine(alone, split) : null;
      return found && { ...found, differs: split.params.mode === 'split' ? 'the replica has AOF as well' : '' };
    },
    `${DIFFERS}; both nodes on one machine`,
  );
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {'set' | 'get' | 'ping'} operation
 * @param {keyof typeof CONFIGURATIONS} mode
 * @returns {CaseResult | undefined} with the article's values and a small data set
 */
function caseOn(benchmark, storage, operation, mode) {
  const [found] = CONFIGURATIONS[mode].flatMap((each) =>
    casesOn(benchmark, storage, { operation, mode: each, preloadKeys: undefined }),
  );
  return found;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {'set' | 'get' | 'ping'} operation
 * @returns {[CaseResult, CaseResult] | null} without AOF and with AOF everysec
 */
function pairOn(benchmark, storage, operation) {
  const [off, on] = /** @type {const} */ (['off', 'everysec']).map((mode) =>
    caseOn(benchmark, storage, operation, mode),
  );
  return off && on ? [off, on] : null;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @returns {CaseResult[]} SET with every configuration of AOF, while no rewrite runs
 */
function tunings(benchmark, storage) {
  return casesOn(benchmark, storage, { operation: 'set', preloadKeys: undefined, during: undefined }).filter(
    ({ params }) => params.settings?.appendonly === 'yes',
  );
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @returns {Examined | null} one configuration below 100 ms contradicts the claim
 */
function examineTunings(benchmark, storage) {
  const cases = casesOn(benchmark, storage, { operation: 'set' })
    .filter((one) => one.params.settings?.appendonly === 'yes' && p99Of(one) !== null)
    .toSorted((a, b) => a.summary.p99Ns.median - b.summary.p99Ns.median);
  if (cases.length === 0) return null;
  const shown = (/** @type {CaseResult} */ { params, summary }) =>
    `${duration(summary.p99Ns.median)} (${modeTitle(params)})`;
  return {
    ours: `${shown(cases[0])} to ${shown(cases[cases.length - 1])} in ${plural(cases.length, 'case')}`,
    holds: all(cases.map(({ summary }) => within(summary.p99Ns, { least: LONG_P99_NS }))),
    rounds: Math.min(...cases.map(({ rounds }) => rounds.length)),
    evidence: cases.map(({ id }) => id),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} local
 * @param {Storage} other
 * @param {'set' | 'get' | 'ping'} operation
 * @param {Range} claimed of the ratio
 * @returns {Examined | null}
 */
function compareStorages(benchmark, local, other, operation, claimed) {
  const [here, there] = [local, other].map((storage) => caseOn(benchmark, storage, operation, 'everysec'));
  if (!here || !there) return null;
  const [base, own] = [here, there].map(({ summary }) => rate(summary.throughput.median));
  const where = `${own} on ${storageTitle(other)}, ${base} on ${storageTitle(local)}`;
  return judge(spanRatio(there.summary.throughput, here.summary.throughput), claimed, {
    text: (ratio) => `${where}: ${interval(ratio, times)}`,
    cases: [there, here],
  });
}

/**
 * @param {readonly (boolean | null)[]} judged
 * @returns {boolean | null} one that does not hold decides
 */
function all(judged) {
  return judged.includes(false) ? false : judged.includes(null) ? null : true;
}

/** @param {RoundResult} round */
function throughput(round) {
  return round.throughput;
}

/** @param {IntervalValue} ns */
function durations(ns) {
  return interval(ns, duration);
}

/** @param {IntervalValue} value */
function factor(value) {
  return interval(value, times).replaceAll('×', '');
}

/**
 * @param {CaseResult} off
 * @param {CaseResult} on
 */
function rates(off, on) {
  const [from, to] = [off, on].map(({ summary }) => rate(summary.throughput.median));
  return `${from} to ${to} on \`${off.params.storage}\` with AOF everysec`;
}

/** @param {Required<Range>} range */
function inverse({ least, most }) {
  return { least: 1 / most, most: 1 / least };
}

/** @param {IntervalValue} value */
function inverseOf({ median, low, high }) {
  return { median: 1 / median, low: 1 / high, high: 1 / low };
}
