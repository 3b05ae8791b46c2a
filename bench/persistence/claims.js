/**
 * Examines the claims of the article about AOF on network storage.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { ClaimId } from '../claims/index.js'
 * @import { Storage } from './figures.js'
 */
import {
  judge,
  nearFactor,
  nearShare,
  openBecause,
  openIfMachineLimits,
  pairedRatioOf,
  rangeText,
  spanRatio,
  trueOrOpen,
  within,
} from '../../src/report/articles.js';
import { bytes, count, duration, interval, percent, plural, rate, times } from '../../src/report/format.js';
import { NS_A_MS } from '../../src/units.js';
import { examination } from '../claims/index.js';
import { casesOn, evidenceOf, meanOf, p99Of, primaryOf, storagesOf } from './figures.js';
import { modeTitle, storageTitle } from './modes.js';

/** Limits in the words of the claims. */
const LONG_P99_NS = 100e6;
const SHORT_P99_NS = 5.12e6;
const NETWORK_P99_NS = 200e6;
const HALF_A_SECOND_NS = 500e6;
/** A loss of more than a tenth is more than minimal. */
const MINIMAL = Object.freeze({ least: 0.9 });
const HALF = Object.freeze({ most: 0.5 });
const THREE_TIMES = 'latency is not told apart from writing each byte three times, so this decides nothing';
/** Slower by more than a tenth. */
const MINIMAL_LOSS = Object.freeze({ most: 0.9 });
/** Requests behind each of their figures. */
const THEIR_REQUESTS = 50_000;
/** Events of the latency monitor: writes of the AOF behind a running fsync, and other writes of the AOF. */
const AOF_FSYNC_EVENTS = ['aof-write-pending-fsync', 'aof-fsync-always'];
const AOF_WRITE_EVENTS = ['aof-write-alone', 'aof-write-active-child'];
/** GET is affected much less if it keeps this many times the share that SET keeps. */
const MUCH_LESS = 1.5;
/** The article's configurations, with RDB thresholds. Earlier results have only those without. */
const CONFIGURATIONS = Object.freeze({ off: ['thresholds', 'off'], everysec: ['everysec-thresholds', 'everysec'] });
/** Their setting with 375,795 keys; they name the settings and not the values. */
const TUNED = 'everysec-thresholds-tuning-2';
const DIFFERS = 'native load client; this machine’s disk';
const DECIDES_NOTHING = 'which decides nothing';
/** In a closed loop the mean latency is connections divided by throughput, so it tells nothing that throughput does not. */
const CLOSED_LOOP = 'in a closed loop a mean is the inverse of throughput, so another one decides nothing';
const DIFFERS_STORAGE = 'native load client; storages measured one after the other';

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  localClaim('aof.local-throughput', {
    claimed: inverse(nearFactor(7696 / 1275)),
    of: throughput,
    unit: times,
    limits: nearFactor(7696 / 1275),
    text: (ratio, [off, on]) => `${rates(off, on)}, a factor of ${factor(inverseOf(ratio))}`,
  }),
  localClaim('aof.local-mean', {
    claimed: nearFactor(14.39 / 1.47),
    of: ({ latencyNs }) => latencyNs.mean,
    open: CLOSED_LOOP,
    unit: times,
    text: (ratio) => interval(ratio, times),
  }),
  localClaim('aof.local-p99-factor', {
    claimed: nearFactor(102.53 / 5.12),
    of: ({ latencyNs }) => latencyNs.p99,
    tail: true,
    unit: times,
    text: (ratio) => interval(ratio, times),
  }),
  local('aof.local-p99', examineTunings),
  local('aof.off-p99', (benchmark, local) => {
    const off = caseOn(benchmark, local, 'set', 'off');
    const found = off && judge(p99Of(off), { most: SHORT_P99_NS }, { text: durations, unit: duration, cases: [off] });
    return trueOr(found, 'another machine, so a longer tail decides nothing');
  }),
  local('aof.tuning', (benchmark, local) => {
    const plain = caseOn(benchmark, local, 'set', 'everysec');
    const tuned = plain && tunings(benchmark, local).filter((one) => one !== plain);
    if (!tuned || tuned.length === 0) return null;
    const ratios = tuned.map((one) => pairedRatioOf(one, plain, throughput));
    const judged = ratios.map((ratio) => ratio && within(ratio, nearFactor(1)));
    const medians = ratios.flatMap((ratio) => ratio?.median ?? []);
    return trueOr(
      {
        ours: `${percent(Math.min(...medians))} to ${percent(Math.max(...medians))} of plain everysec in ${plural(tuned.length, 'case')}`,
        holds: all(judged),
        rounds: Math.min(...[plain, ...tuned].map(({ rounds }) => rounds.length)),
        allowed: rangeText(nearFactor(1), percent),
        evidence: [plain, ...tuned].map(({ id }) => id),
      },
      'other settings than theirs, which are not stated, so they decide nothing',
    );
  }),
  local('aof.local-data', (benchmark, local) => compareDataSets(benchmark, local, nearShare(1212 / 1248)), DIFFERS),
  network('aof.gap', (benchmark, local, other) => {
    const [off, on] = [caseOn(benchmark, local, 'set', 'off'), caseOn(benchmark, other, 'set', 'everysec')];
    if (!off || !on) return null;
    return judge(spanRatio(off.summary.throughput, on.summary.throughput), nearFactor(7696 / 537), {
      text: (ratio) => `a factor of ${factor(ratio)} on ${storageTitle(other)}`,
      unit: times,
      cases: [off, on],
    });
  }),
  network('aof.gap-p99', (benchmark, local, other) => {
    const [off, on] = [caseOn(benchmark, local, 'set', 'off'), caseOn(benchmark, other, 'set', 'everysec')];
    if (!off || !on) return null;
    return tailOf([off, on], (cases) =>
      judge(spanRatio(p99Of(on), p99Of(off)), nearFactor(201.86 / 5.12), {
        text: (ratio) => `a factor of ${factor(ratio)} on ${storageTitle(other)}`,
        unit: times,
        cases,
      }),
    );
  }),
  // Three replicas on one disk write three times as much, with hardly any latency of a network.
  network('aof.network-half', (...place) => openBecause(compareStorages(...place, 'set', HALF), THREE_TIMES)),
  network('aof.warning', (...place) => openBecause(compareStorages(...place, 'set', MINIMAL_LOSS), THREE_TIMES)),
  network('aof.network-p99', (benchmark, _, other) => {
    const on = caseOn(benchmark, other, 'set', 'everysec');
    if (!on) return null;
    const found = tailOf([on], (cases) =>
      judge(
        p99Of(on),
        { least: NETWORK_P99_NS },
        { text: (p99) => `${durations(p99)} on ${storageTitle(other)}`, unit: duration, cases },
      ),
    );
    return openBecause(found, THREE_TIMES);
  }),
  network('aof.network-max', (benchmark, _, other) => {
    const on = caseOn(benchmark, other, 'set', 'everysec');
    if (!on || on.rounds.length === 0) return null;
    // One long SET is enough, as in their one run; the claim is about the longest of all.
    const longest = Math.max(...on.rounds.map(({ latencyNs }) => latencyNs.max));
    const value = { median: longest, low: longest, high: longest };
    const found = tailOf([on], (cases) =>
      judge(
        value,
        { least: HALF_A_SECOND_NS },
        { text: () => `${duration(longest)} at most on ${storageTitle(other)}`, unit: duration, cases },
      ),
    );
    return openBecause(found, 'one maximum of other storage decides nothing');
  }),
  {
    ...network('aof.network-data', (benchmark, _, other) => compareDataSets(benchmark, other, nearShare(537 / 577))),
    with: 'a second storage',
  },
  local('aof.every-set-waits', (benchmark, _, others) => examineWaits(benchmark, others), DIFFERS_STORAGE),
  local('aof.get-local', (benchmark, local) => {
    const pair = pairOn(benchmark, local, 'get');
    if (!pair) return null;
    const [off, on] = pair;
    const beside = ratioBesideWrites(benchmark, local);
    const found = judge(pairedRatioOf(on, off, throughput), nearShare(2537 / 8027), {
      unit: percent,
      text: (ratio) =>
        `${rates(off, on)}, ${interval(ratio, percent)} alone${beside ? `, ${interval(beside, percent)} beside writes` : ''}`,
      cases: pair,
    });
    return trueOr(found, 'whether the files of SET were still written is not stated, so GET alone decides nothing');
  }),
  local('aof.get-less', (benchmark, local) => {
    const [get, set] = /** @type {const} */ (['get', 'set']).map((operation) => pairOn(benchmark, local, operation));
    if (!get || !set) return null;
    const [alone, left] = [get, set].map(([off, on]) => pairedRatioOf(on, off, throughput));
    // Without files to write GET cannot lose anything.
    const kept = ratioBesideWrites(benchmark, local);
    const found = judge(
      spanRatio(kept, left),
      { least: MUCH_LESS },
      {
        text: () =>
          `GET keeps ${kept && interval(kept, percent)} beside writes, ${alone && interval(alone, percent)} alone; SET ${left && interval(left, percent)}`,
        unit: times,
        cases: [...get, ...set],
      },
    );
    return openBecause(found, 'GET loses beside our writers only, and theirs are not stated, so this decides nothing');
  }),
  network('aof.get-network', (...place) => compareStorages(...place, 'get', MINIMAL)),
  localClaim('aof.ping-local', {
    operation: 'ping',
    claimed: HALF,
    of: throughput,

    unit: percent,
    text: (ratio, [off, on]) => `${rates(off, on)}, ${interval(ratio, percent)}`,
  }),
  network('aof.ping-network', (...place) => compareStorages(...place, 'ping', { least: 1 })),
  localClaim('aof.get-mean', {
    operation: 'get',
    claimed: nearFactor(4.29 / 1.47),
    of: ({ latencyNs }) => latencyNs.mean,
    open: CLOSED_LOOP,
    unit: times,
    text: (ratio) => interval(ratio, times),
  }),
  localClaim('aof.ping-mean', {
    operation: 'ping',
    claimed: { least: nearFactor(0.84 / 0.32).least, most: nearFactor(1.5 / 0.32).most },
    of: ({ latencyNs }) => latencyNs.mean,
    open: CLOSED_LOOP,
    unit: times,
    text: (ratio) => interval(ratio, times),
  }),
  meanOnStorages('aof.get-mean-network', 'get', { most: 1 / MINIMAL.least }),
  meanOnStorages('aof.ping-mean-network', 'ping', { most: 1 }),
  {
    ...local('aof.fsync-stall', (benchmark, local) => {
      const on = caseOn(benchmark, local, 'set', 'everysec');
      const delayed = on && evidenceOf(on).delayedFsyncs;
      if (!on || delayed == null) return null;
      const [stalls, alone] = [AOF_FSYNC_EVENTS, AOF_WRITE_EVENTS].map((names) => stallsOf(on, names));
      const waits = [...stalls, ...alone].map((ns) => ns / NS_A_MS);
      const shown = waits.length === 0 ? 'no stall of 10 ms' : `stalls of ${shownRange(waits)} ms in writes of the AOF`;
      return {
        ours: `${shown}, ${stalls.length} of them behind a running fsync; ${plural(delayed, 'write')} put off`,
        differs:
          'a write that no fsync precedes stalls in the kernel, which this cannot tell from a sync of the file system',
        // Redis puts a write off for two seconds before it counts it, so only longer rounds could count one.
        holds: stalls.length > 0 || delayed > 0 ? true : null,
        rounds: on.rounds.length,
        evidence: [on.id],
      };
    }),
    needsNodes: /** @type {const} */ (true),
  },
  splitClaim('aof.split', (alone, split) =>
    judge(pairedRatioOf(split, alone, throughput), MINIMAL, {
      text: (ratio) => `${interval(ratio, percent)} of the throughput of primary and replica without persistence`,
      unit: percent,
      cases: [alone, split],
    }),
  ),
  splitClaim('aof.split-p99', (_, split) =>
    judge(p99Of(split), { most: 5e6 }, { text: durations, unit: duration, cases: [split] }),
  ),
]);

/**
 * A tail grows with the number of requests, and a stall once a second needs seconds to show: fewer than theirs contradict nothing.
 *
 * @param {readonly CaseResult[]} cases
 * @param {(cases: readonly CaseResult[]) => Examined | null} examine
 * @returns {Examined | null}
 */
function tailOf(cases, examine) {
  const found = examine(cases);
  const fewest = Math.min(...cases.map(({ summary }) => summary.samples));
  if (!found || fewest >= THEIR_REQUESTS) return found;
  const differs = `${count(fewest)} requests (theirs: ${count(THEIR_REQUESTS)}), so a shorter tail decides nothing`;
  return { ...found, holds: trueOrOpen(found.holds), differs: [found.differs, differs].filter(Boolean).join('; ') };
}

/**
 * @param {ClaimId} id
 * @param {'get' | 'ping'} operation
 * @param {Range} claimed of the mean with AOF on network storage over that with AOF on the local disk
 */
function meanOnStorages(id, operation, claimed) {
  return network(id, (benchmark, local, other) => {
    const [here, there] = [local, other].map((storage) => caseOn(benchmark, storage, operation, 'everysec'));
    if (!here || !there) return null;
    const [base, otherMean] = [here, there].map(meanOf);
    const found = judge(spanRatio(otherMean, base), claimed, {
      text: (ratio) =>
        `${duration(otherMean.median)} on ${storageTitle(other)}, ${duration(base.median)} on ${storageTitle(local)}: ${interval(ratio, times)}`,
      unit: times,
      cases: [there, here],
    });
    const judged = trueOr(found, CLOSED_LOOP);
    return operation === 'ping' ? openIfLimited(judged, [here, there]) : judged;
  });
}

/**
 * @param {Examined | null | undefined} found
 * @param {string} why another figure decides nothing
 * @returns {Examined | null}
 */
function trueOr(found, why) {
  if (!found) return null;
  return { ...found, holds: trueOrOpen(found.holds), differs: [found.differs, why].filter(Boolean).join('; ') };
}

/**
 * A PING needs so little of the server that the client or the machine may be what is measured.
 *
 * @param {Examined | null} found
 * @param {readonly CaseResult[]} cases
 * @returns {Examined | null}
 */
function openIfLimited(found, cases) {
  const limits = [...new Set(cases.map(({ summary }) => summary.limitedBy))].filter((each) =>
    ['machine', 'client'].includes(each),
  );
  if (!found || limits.length === 0) return found;
  return openBecause(found, `limited by the ${limits.join(' and the ')}, ${DECIDES_NOTHING}`);
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} others every other storage must agree: the article names no kind of network storage
 * @returns {Examined | null}
 */
function examineWaits(benchmark, others) {
  const found = others.flatMap((storage) => {
    const [every, always] = /** @type {const} */ (['everysec', 'always']).map(
      (mode) => casesOn(benchmark, storage, { operation: 'set', mode, preloadKeys: undefined })[0],
    );
    const judged =
      every && always
        ? judge(pairedRatioOf(every, always, throughput), nearFactor(1), {
            text: (ratio) => `${interval(ratio, times)} as many SETs as always on ${storageTitle(storage)}`,
            unit: times,
            cases: [every, always],
          })
        : null;
    return judged ?? [];
  });
  if (found.length === 0) return null;
  const agree = found.every(({ holds }) => holds === found[0].holds);
  return {
    ...found[0],
    ours: `everysec takes ${found.map(({ ours }) => ours).join(', ')}`,
    holds: agree ? found[0].holds : null,
    rounds: Math.min(...found.map(({ rounds }) => rounds)),
    evidence: found.flatMap(({ evidence }) => evidence),
    differs: agree ? 'storages of this machine' : `storages of this machine, which disagree, ${DECIDES_NOTHING}`,
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @returns {IntervalValue | null} GET with AOF everysec over GET without AOF, while others write; null: not measured
 */
function ratioBesideWrites({ cases }, storage) {
  const [off, on] = ['off', 'everysec'].map((mode) =>
    cases.find(
      ({ params }) =>
        params.mode === mode &&
        params.operation === 'get' &&
        params.storage === storage.label &&
        params.backgroundConnections !== undefined,
    ),
  );
  return pairedRatioOf(on, off, throughput);
}

/**
 * @param {CaseResult} one
 * @param {readonly string[]} names of events of the latency monitor
 * @returns {number[]} nanoseconds, the longest of each event and round
 */
function stallsOf({ rounds }, names) {
  return rounds.flatMap((round) => {
    const events = primaryOf(round)?.counters?.events ?? {};
    return names.flatMap((name) => (events[name] ? events[name].maxMs * NS_A_MS : []));
  });
}

/** @param {readonly number[]} values at least one */
function shownRange(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => count(Math.round(value)));
  return least === most ? least : `${least} to ${most}`;
}

/**
 * @param {ClaimId} id
 * @param {(benchmark: BenchmarkResult, local: Storage, others: Storage[]) => Examined | null} examine local: the first storage
 * @param {string} [differs]
 */
function local(id, examine, differs = DIFFERS) {
  return examination(id, {
    benchmark: 'persistence',
    differs,
    examine(benchmark, { storage }) {
      const [first, ...others] = storagesOf(benchmark, storage);
      return first ? examine(benchmark, first, others) : null;
    },
  });
}

/**
 * SET, GET or PING with AOF everysec against the same without AOF, paired by round.
 *
 * @param {ClaimId} id
 * @param {{operation?: 'set' | 'get' | 'ping', claimed: Range, of: (round: RoundResult) => number, tail?: true,
 *   open?: string, unit: (value: number) => string, limits?: Range, text: (ratio: IntervalValue, cases: [CaseResult, CaseResult]) => string}} what
 *   operation: default: set; tail: p99, which needs many values; open: why another figure decides nothing
 */
function localClaim(id, { operation = 'set', claimed, of, tail, open, text, ...shown }) {
  return local(id, (benchmark, storage) => {
    const pair = pairOn(benchmark, storage, operation);
    if (!pair || (tail && pair.some((one) => p99Of(one) === null))) return null;
    const [off, on] = pair;
    const examine = (/** @type {readonly CaseResult[]} */ cases) =>
      judge(pairedRatioOf(on, off, of), claimed, { ...shown, text: (ratio) => text(ratio, pair), cases });
    const found = tail ? tailOf(pair, examine) : examine(pair);
    const judged = open ? trueOr(found, open) : found;
    return operation === 'ping' ? openIfLimited(judged, pair) : judged;
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
      const storages = other?.emulated === false ? 'another storage' : 'emulated storage';
      return found && { ...found, differs: [storages, found.differs].filter(Boolean).join('; ') };
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
      // On one machine a replica takes its share of the cores, with or without persistence.
      const [alone] = casesOn(benchmark, storage, {
        operation: 'set',
        replicas: 1,
        mode: 'off',
        preloadKeys: undefined,
      });
      const found = alone && split ? openIfMachineLimits(examine(alone, split), [alone, split]) : null;
      const differs = split?.params.mode === 'split' ? 'the replica has AOF as well' : '';
      return found && { ...found, differs: [differs, found.differs].filter(Boolean).join('; ') };
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
  return tailOf(cases, () => ({
    ours: `${shown(cases[0])} to ${shown(cases[cases.length - 1])} in ${plural(cases.length, 'case')}`,
    holds: all(cases.map(({ summary }) => within(summary.p99Ns, { least: LONG_P99_NS }))),
    rounds: Math.min(...cases.map(({ rounds }) => rounds.length)),
    allowed: rangeText({ least: LONG_P99_NS }, duration),
    evidence: cases.map(({ id }) => id),
  }));
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
  const [base, otherRate] = [here, there].map(({ summary }) => rate(summary.throughput.median));
  const where = `${otherRate} on ${storageTitle(other)}, ${base} on ${storageTitle(local)}`;
  const found = judge(spanRatio(there.summary.throughput, here.summary.throughput), claimed, {
    text: (ratio) => `${where}: ${interval(ratio, times)}`,
    unit: times,
    cases: [there, here],
  });
  return operation === 'ping' ? openIfLimited(found, [here, there]) : found;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {Range} claimed throughput with a large data set over that with a small one
 * @returns {Examined | null}
 */
function compareDataSets(benchmark, storage, claimed) {
  const [empty, full] = [false, true].map((isLoaded) =>
    casesOn(benchmark, storage, { operation: 'set', mode: TUNED }).find(
      ({ params }) => (params.preloadKeys !== undefined) === isLoaded,
    ),
  );
  if (!empty || !full) return null;
  const found = judge(spanRatio(full.summary.throughput, empty.summary.throughput), claimed, {
    text: (ratio) => `${interval(ratio, percent)} of the throughput with a small data set`,
    unit: percent,
    cases: [empty, full],
    differs: `${plural(full.params.preloadKeys ?? 0, 'key')} of ${bytes(full.params.payloadBytes)} (theirs: 375,795 of a size that is not stated)`,
  });
  return trueOr(found, 'one stack was measured after the other, so another ratio decides nothing');
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
