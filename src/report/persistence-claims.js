/**
 * What an article about persistence claims, held against what was measured here.
 */
import { p99Interval } from './columns.js';
import { duration, plural, rate } from './format.js';
import { offOf, PAYLOAD, p99Of, ratiosTo, storagesOf, times } from './persistence-figures.js';
import { modeTitle, storageTitle } from './persistence-words.js';
import { PERSISTENCE_SEED } from './seeds.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CaseParams} CaseParams
 * @typedef {import('./schema.js').Finding} Finding
 * @typedef {import('./persistence-figures.js').Storage} Storage
 *
 * @typedef {Object} Examined
 * @property {boolean | null} holds null: the figures leave it open
 * @property {string} figures
 * @property {CaseResult[]} cases
 */

/** The article: 7,696 SETs a second without AOF, 1,275 with it. Within a factor of 1.5 either way it counts as the same. */
const SEED_FACTOR = { least: 4, most: 9 };
const SEED_P99_NS = 100e6;
/** The article: 2,522 GETs a second on network storage, 2,537 on a local disk. A tenth is not minimal any more. */
const MINIMAL = 0.9;
/** The article: 577 SETs a second on network storage, 1,275 on a local disk. */
const SEED_STORAGE_RATIO = 0.5;

/**
 * @param {BenchmarkResult} benchmark
 * @param {readonly Storage[]} [known]
 * @returns {Finding[]} one a claim; one that nothing measured speaks of says so
 */
export function seedClaims(benchmark, known) {
  const [local, ...further] = storagesOf(benchmark, known);
  if (!local) return [];
  const slower = (/** @type {(storage: Storage) => Examined | null} */ examine) =>
    further.length === 0 ? [null] : further.map(examine);
  return [
    claim(
      'AOF takes SET from 7,696 to 1,275 requests a second on a local disk, a factor of 6',
      factor(benchmark, local),
    ),
    claim('with AOF on a local disk the p99 of SET stays above 100 ms, however it is tuned', tuning(benchmark, local)),
    ...slower((storage) => storageRatio(benchmark, local, storage, 'get', { least: MINIMAL })).map((examined) =>
      claim('with AOF on, network storage hardly affects GET', examined),
    ),
    ...slower((storage) => storageRatio(benchmark, local, storage, 'set', { most: SEED_STORAGE_RATIO })).map(
      (examined) => claim('with AOF on, network storage takes half as many SETs as a local disk, or fewer', examined),
    ),
  ];
}

/**
 * @param {string} text what the article says, in our words
 * @param {Examined | null} examined
 * @returns {Finding}
 */
function claim(text, examined) {
  const start = `The claim that ${text} (“${PERSISTENCE_SEED}”)`;
  if (!examined) return { text: `${start} was not examined: nothing of the kind was measured`, evidence: [] };
  const { holds, figures, cases } = examined;
  return {
    text: `${start} ${holds === null ? 'is left open' : holds ? 'holds' : 'does not hold'} here: ${figures}`,
    evidence: cases.map(({ id }) => id),
  };
}

/**
 * @param {{low: number, high: number}} range of what was measured
 * @param {{least?: number, most?: number}} claimed
 * @returns {boolean | null} null: part of the range is what was claimed, and part is not
 */
function within({ low, high }, { least = 0, most = Number.POSITIVE_INFINITY }) {
  if (low >= least && high <= most) return true;
  return high < least || low > most ? false : null;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} storage
 * @param {Partial<CaseParams>} more
 * @returns {CaseResult[]} of the primary alone, with nothing beside the load
 */
function casesOn({ cases }, { label }, more) {
  const wanted = { payloadBytes: PAYLOAD, storage: label, replicas: 0, ...more };
  return cases.filter(({ params }) => {
    const entries = /** @type {[keyof CaseParams, unknown][]} */ (Object.entries(wanted));
    return params.backgroundConnections === undefined && entries.every(([name, value]) => params[name] === value);
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} local
 * @returns {Examined | null}
 */
function factor(benchmark, local) {
  const result = casesOn(benchmark, local, { operation: 'set', level: 'everysec', preloadKeys: undefined })[0];
  const ratios = result && ratiosTo(result, offOf(benchmark, result));
  if (!ratios) return null;
  const { median, low, high } = ratios.throughput;
  const measured = { median: 1 / median, low: 1 / high, high: 1 / low };
  return {
    holds: within(measured, SEED_FACTOR),
    figures: `${rate(ratios.off.summary.throughput.median)} to ${rate(result.summary.throughput.median)} on ${storageTitle(local)} with \
AOF everysec, a factor of ${times(measured).replace('×', '')}; it counts as holding from \
${SEED_FACTOR.least} to ${SEED_FACTOR.most}`,
    cases: [ratios.off, result],
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Storage} local
 * @returns {Examined | null}
 */
function tuning(benchmark, local) {
  const cases = casesOn(benchmark, local, { operation: 'set' }).filter(
    (result) => result.params.settings?.appendonly === 'yes' && p99Of(result) !== null,
  );
  if (cases.length === 0) return null;
  const sorted = cases.toSorted((a, b) => a.summary.latencyNs.p99 - b.summary.latencyNs.p99);
  const [lowest, highest] = [sorted[0], sorted[sorted.length - 1]];
  /** @param {CaseResult} result */
  const shown = ({ params, summary }) => `${duration(summary.latencyNs.p99)} (${modeTitle(params)})`;
  const judged = cases.map(({ summary }) => within(p99Interval(summary), { least: SEED_P99_NS }));
  return {
    // One that stays below is enough.
    holds: judged.includes(false) ? false : judged.includes(null) ? null : true,
    figures: `over ${plural(cases.length, 'case')} with AOF on ${storageTitle(local)} p99 lies between ${shown(lowest)} and ${shown(highest)}`,
    cases,
  };
}

/**
 * Two kinds of storage are measured one after the other on stacks of their own, so nothing can be paired by round: the ratio lies
 * between that of the one's slowest and the other's quickest end, and the other way round.
 *
 * @param {BenchmarkResult} benchmark
 * @param {Storage} local
 * @param {Storage} other
 * @param {'set' | 'get'} operation
 * @param {{least?: number, most?: number}} claimed of the ratio
 * @returns {Examined | null}
 */
function storageRatio(benchmark, local, other, operation, claimed) {
  const [here, there] = [local, other].map(
    (storage) => casesOn(benchmark, storage, { operation, level: 'everysec', preloadKeys: undefined })[0],
  );
  if (!here || !there || here.summary.throughput.low === 0) return null;
  const [own, base] = [there.summary.throughput, here.summary.throughput];
  const value = { median: own.median / base.median, low: own.low / base.high, high: own.high / base.low };
  return {
    holds: within(value, claimed),
    figures: `with AOF everysec ${rate(own.median)} on ${storageTitle(other)}, ${rate(base.median)} on ${storageTitle(local)}, \
which is ${times(value)}, measured one after the other; ${other.emulated ? 'emulated storage stands for no product' : 'whether that is network storage is not known here'}`,
    cases: [here, there],
  };
}
