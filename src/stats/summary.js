/** The rounds of a case in a few figures, and what limited its throughput. */
import { latencyOf, mergeHistograms } from './histogram.js';
import { bootstrapInterval, knownMedian, median, pairedRatio } from './statistics.js';

/** @import { CaseResult, CaseSummary, IntervalValue, RoundResult } from '../result/schema.js' */

/**
 * @param {readonly RoundResult[]} rounds at least one, in the order of their numbers
 * @param {readonly RoundResult[] | null} baselineRounds as for {@link throughputRatios}
 * @param {{baselineId?: string, seed: number}} options baselineId: needed with a baseline; seed: of the intervals @returns {CaseSummary}
 * @throws {RangeError} without rounds @throws {Error} if a round's histogram cannot be read
 */
export function summarise(rounds, baselineRounds, { baselineId = '', seed }) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  const ratio = throughputRatios(rounds, baselineRounds ?? [], { seed });
  return {
    throughput: intervalOf(rounds, ({ throughput }) => throughput, seed),
    p50Ns: intervalOf(rounds, ({ latencyNs }) => latencyNs.p50, seed),
    p99Ns: intervalOf(rounds, ({ latencyNs }) => latencyNs.p99, seed),
    latencyNs: latencyOf(merged),
    samples: merged.totalCount,
    ...(ratio && { relativeToBaseline: { baseline: baselineId, throughput: ratio.interval } }),
    limitedBy: limitOf(rounds),
  };
}

/** @param {readonly RoundResult[]} rounds at least one */
export function limitOf(rounds) {
  return limitedBy({
    loadCpu: knownMedian(rounds.map(({ load }) => load.cpu)),
    eventLoopUtilization: median(rounds.map(({ load }) => load.eventLoopUtilization)),
    primaryMainThreadCpu: knownMedian(rounds.map(primaryCpu)),
    // Of this machine, or of the busiest agent's.
    machineCpu: median(
      rounds.map(({ machineCpu, agents = [] }) => Math.max(machineCpu, ...agents.map((each) => each.machineCpu))),
    ),
    // An idle node is never the bottleneck.
    sustained: isSustained(rounds) || rounds.every(({ operations }) => operations === 0),
  });
}

/** @param {readonly RoundResult[]} rounds @param {(round: RoundResult) => number} value @param {number} seed */
function intervalOf(rounds, value, seed) {
  return bootstrapInterval(rounds.map(value), { seed });
}

/**
 * @param {readonly RoundResult[]} rounds
 * @param {readonly RoundResult[]} baselineRounds the n-th belongs with the n-th; rounds that only one side has are left out
 * @param {{seed?: number}} [options] of the interval
 * @returns {{ratios: number[], interval: IntervalValue} | null} throughput over the baseline's, by round; null: no pair, or a round of the
 *   baseline had no acked write
 */
export function throughputRatios(rounds, baselineRounds, options) {
  const pairs = Math.min(rounds.length, baselineRounds.length);
  const [values, baseline] = [rounds, baselineRounds].map((side) =>
    side.slice(0, pairs).map(({ throughput }) => throughput),
  );
  if (pairs === 0 || baseline.includes(0)) return null;
  return {
    ratios: values.map((value, round) => value / baseline[round]),
    interval: pairedRatio(values, baseline, options),
  };
}

/** The whole process, if a server does not report its command thread: that errs towards naming the primary. @param {RoundResult} round */
function primaryCpu({ nodes }) {
  const primary = nodes.find(({ role }) => role === 'primary');
  return primary?.mainThreadCpu ?? primary?.cpu ?? null;
}

/** @param {readonly RoundResult[]} rounds @returns {boolean} an open loop that kept its schedule in more than half of the rounds */
export function isSustained(rounds) {
  return rounds.filter(({ openLoop }) => openLoop?.sustained).length > rounds.length / 2;
}

/** A percentile needs at least this many independent values beyond it to be shown. */
export const ENOUGH_BEYOND = 10;

/** To show a percentile. @param {Pick<CaseResult, 'params' | 'summary'>} result @param {number} beyond share of the values beyond it */
export function hasEnoughBeyond({ params, summary }, beyond) {
  // Pipelined writes complete together: at pipeline depth 100 they are one value, not 100.
  const independent = summary.samples / Math.max(1, params.pipeline);
  // The tolerance covers rounding errors, such as in 0.001 × 10,000.
  return independent * beyond > ENOUGH_BEYOND - 1e-9;
}

/**
 * The p99 of all rounds together: a median of the rounds' p99 would hide the worst rounds.
 * @param {CaseResult['summary']} summary @returns {IntervalValue} the rounds' interval, widened where the overall percentile lies outside
 */
export function p99Interval({ latencyNs: { p99: ofAll }, p99Ns: { low, high } }) {
  return { median: ofAll, low: Math.min(low, ofAll), high: Math.max(high, ofAll) };
}

/** Share of the time. The rest is for waking up and the error of sampling. */
const BUSY = 0.9;
/** Higher than for a CPU: event-loop utilisation includes the time in which a thread waits for a CPU. */
const LOOP_BUSY = 0.95;

/**
 * What limited a case. A busy thread takes precedence over a busy machine: more cores would not have helped it.
 * @param {Object} use shares of one CPU unless said otherwise
 * @param {number | null} use.loadCpu of the load thread; null: unknown, its event loop decides
 * @param {number} use.eventLoopUtilization of the load thread, 0 … 1
 * @param {number | null} use.primaryMainThreadCpu that executes its commands; null: unknown, the primary is never named
 * @param {number} use.machineCpu share of all cores, 0 … 1 @param {boolean} [use.sustained] an open loop that kept its schedule
 * @returns {'client' | 'primary' | 'machine' | 'nothing'} nothing: all wait for round trips or for acknowledgements of replicas
 */
export function limitedBy({ loadCpu, eventLoopUtilization, primaryMainThreadCpu, machineCpu, sustained = false }) {
  // Its thread polls the clock, so its use of a CPU says nothing.
  if (sustained) return 'nothing';
  const machineBusy = machineCpu >= BUSY;
  const primary = primaryMainThreadCpu ?? 0;
  const onCpu = loadCpu ?? 0;
  // On a machine with CPU to spare, a busy event loop that uses none blocks.
  const load = machineBusy ? onCpu : Math.max(onCpu, eventLoopUtilization);
  const loadBusy = onCpu >= BUSY || (!machineBusy && eventLoopUtilization >= LOOP_BUSY);

  // The client wins a tie: a limit of the client must not be shown as one of Redis.
  if (loadBusy && load >= primary) return 'client';
  if (primary >= BUSY) return 'primary';
  return machineBusy ? 'machine' : 'nothing';
}
