/** The rounds of a case in a few figures, and what limited its throughput. */
import { latencyOf, mergeHistograms } from './histogram.js';
import { bootstrapInterval, knownMedian, median, pairedRatio } from './statistics.js';

/** @import { CaseResult, CaseSummary, IntervalValue, RoundResult } from '../result/schema.js' */

/**
 * @param {readonly RoundResult[]} rounds at least one, in the order of their numbers
 * @param {readonly RoundResult[] | null} baselineRounds the baseline's in the same order: the first belongs with the
 *   first. Rounds that only one side has are left out of the ratio. null: no baseline
 * @param {{baselineId?: string, seed: number}} options baselineId: needed with a baseline; seed: of the intervals
 * @returns {CaseSummary} without `relativeToBaseline` if a round of the baseline had no acked write
 * @throws {RangeError} without rounds
 * @throws {Error} if a round's histogram cannot be read
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
    limitedBy: limitedBy({
      loadCpu: knownMedian(rounds.map(({ load }) => load.cpu)),
      eventLoopUtilization: median(rounds.map(({ load }) => load.eventLoopUtilization)),
      primaryMainThreadCpu: knownMedian(rounds.map(primaryCpu)),
      machineCpu: median(rounds.map(busiestMachine)),
      // An idle node is never the bottleneck.
      sustained: isSustained(rounds) || rounds.every(({ operations }) => operations === 0),
    }),
  };
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

/** @param {Pick<RoundResult, 'machineCpu' | 'agents'>} round @returns {number} share that was busy, of this machine or of the busiest agent's */
export function busiestMachine({ machineCpu, agents = [] }) {
  return Math.max(machineCpu, ...agents.map((agent) => agent.machineCpu));
}

/** @param {readonly RoundResult[]} rounds @returns {boolean} an open loop that kept its schedule in more than half of the rounds */
export function isSustained(rounds) {
  return rounds.filter(({ openLoop }) => openLoop?.sustained).length > rounds.length / 2;
}

/** A percentile needs at least this many independent values beyond it to be shown. */
export const ENOUGH_BEYOND = 10;

/**
 * Pipelined writes complete together: at pipeline depth 100 they are one independent value, not 100.
 * @param {Pick<CaseResult, 'params' | 'summary'>} result @param {number} beyond share of the values that lie beyond a percentile
 * @returns {boolean} enough values lie beyond the percentile to show it
 */
export function hasEnoughBeyond({ params, summary }, beyond) {
  const independent = summary.samples / Math.max(1, params.pipeline);
  // The tolerance covers rounding errors, such as in 0.001 × 10,000.
  return independent * beyond > ENOUGH_BEYOND - 1e-9;
}

/**
 * The p99 of all rounds together, as in every table. A median of the rounds' p99 would hide the worst rounds; the rounds only give
 * the interval.
 * @param {CaseResult['summary']} summary @returns {IntervalValue} the rounds' interval, widened where the overall percentile lies outside
 */
export function p99Interval({ latencyNs: { p99: ofAll }, p99Ns: { low, high } }) {
  return { median: ofAll, low: Math.min(low, ofAll), high: Math.max(high, ofAll) };
}

/** Busy means 90% of the time. The rest is for waking up and the error of sampling. */
const BUSY = 0.9;
/** Higher than for a CPU: event-loop utilisation includes the time in which a thread waits for a CPU. */
const LOOP_BUSY = 0.95;

/**
 * What limited a case, by one rule from the measured CPU and event-loop utilisation.
 *
 * An open loop that kept its schedule was limited by `nothing`; its thread polls the clock, so its CPU use says nothing. Otherwise
 * the first match wins:
 *
 * 1. `client`: the load thread is busy, and at least as busy as the primary's command thread. Busy means at least 90% on a
 *    CPU, or, if the machine has CPU to spare, at least 95% event-loop utilisation: the thread then blocks without using CPU.
 * 2. `primary`: its command thread is at least 90% on a CPU, and busier than the load thread.
 * 3. `machine`: all cores together are at least 90% busy. Threads wait for a CPU, so more cores might help.
 * 4. `nothing`: all wait for round trips or for acknowledgements of replicas.
 *
 * A busy thread takes precedence over a busy machine: it was on a CPU 90% of the time, so more cores would not have helped. The client
 * wins a tie with the primary, because a limit of the client must not be shown as one of Redis.
 *
 * @param {Object} use shares of one CPU unless said otherwise
 * @param {number | null} use.loadCpu of the load thread; null: unknown, its event loop decides
 * @param {number} use.eventLoopUtilization of the load thread, 0 … 1
 * @param {number | null} use.primaryMainThreadCpu of the thread that executes the primary's commands; null: unknown,
 *   the primary is never named
 * @param {number} use.machineCpu share of all cores, 0 … 1
 * @param {boolean} [use.sustained] an open loop that kept its schedule
 * @returns {'client' | 'primary' | 'machine' | 'nothing'}
 */
export function limitedBy({ loadCpu, eventLoopUtilization, primaryMainThreadCpu, machineCpu, sustained = false }) {
  if (sustained) return 'nothing';
  const machineBusy = machineCpu >= BUSY;
  const primary = primaryMainThreadCpu ?? 0;
  const onCpu = loadCpu ?? 0;
  const load = machineBusy ? onCpu : Math.max(onCpu, eventLoopUtilization);
  const loadBusy = onCpu >= BUSY || (!machineBusy && eventLoopUtilization >= LOOP_BUSY);

  if (loadBusy && load >= primary) return 'client';
  if (primary >= BUSY) return 'primary';
  return machineBusy ? 'machine' : 'nothing';
}
