/**
 * The rounds of a case in a few figures.
 */
import { latencyOf, mergeHistograms } from './histogram.js';
import { bootstrapInterval, median, pairedRatio } from './statistics.js';

/**
 * @import { CaseSummary, RoundResult } from '../result/schema.js'
 */

/**
 * @param {readonly RoundResult[]} rounds at least one, in the order of their numbers
 * @param {readonly RoundResult[] | null} baselineRounds the baseline's in the same order: the first belongs with the
 *   first. Rounds that only one side has are left out of the ratio. null: no baseline
 * @param {{baselineId?: string, seed: number}} options baselineId: needed with a baseline; seed: of the intervals
 * @returns {CaseSummary} without `relativeToBaseline` when a round of the baseline had no acked write: no ratio exists
 * @throws {RangeError} when there is no round
 * @throws {Error} when a round's histogram cannot be read
 */
export function summarise(rounds, baselineRounds, { baselineId = '', seed }) {
  const merged = mergeHistograms(rounds.map(({ histogram }) => histogram));
  const ratio = throughputRatio(rounds, baselineRounds ?? [], seed);
  return {
    throughput: intervalOf(rounds, ({ throughput }) => throughput, seed),
    p50Ns: intervalOf(rounds, ({ latencyNs }) => latencyNs.p50, seed),
    p99Ns: intervalOf(rounds, ({ latencyNs }) => latencyNs.p99, seed),
    latencyNs: latencyOf(merged),
    samples: merged.totalCount,
    ...(ratio && { relativeToBaseline: { baseline: baselineId, throughput: ratio } }),
    limitedBy: limitedBy({
      loadCpu: knownMedian(rounds.map(({ load }) => load.cpu)),
      eventLoopUtilization: median(rounds.map(({ load }) => load.eventLoopUtilization)),
      primaryMainThreadCpu: knownMedian(rounds.map(primaryCpu)),
      machineCpu: median(rounds.map(({ machineCpu }) => machineCpu)),
      // Who was asked for nothing was not limited by anything.
      sustained: isSustained(rounds) || rounds.every(({ operations }) => operations === 0),
    }),
  };
}

/**
 * @param {readonly RoundResult[]} rounds
 * @param {(round: RoundResult) => number} value
 * @param {number} seed
 */
function intervalOf(rounds, value, seed) {
  return bootstrapInterval(rounds.map(value), { seed });
}

/**
 * @param {readonly RoundResult[]} rounds
 * @param {readonly RoundResult[]} baselineRounds
 * @param {number} seed
 */
function throughputRatio(rounds, baselineRounds, seed) {
  const pairs = Math.min(rounds.length, baselineRounds.length);
  const [values, baseline] = [rounds, baselineRounds].map((side) =>
    side.slice(0, pairs).map(({ throughput }) => throughput),
  );
  if (pairs === 0 || baseline.includes(0)) return null;
  return pairedRatio(values, baseline, { seed });
}

/**
 * The whole process stands in where a server does not tell its command thread apart: that errs towards naming the primary.
 *
 * @param {RoundResult} round
 * @returns {number | null}
 */
function primaryCpu({ nodes }) {
  const primary = nodes.find(({ role }) => role === 'primary');
  return primary?.mainThreadCpu ?? primary?.cpu ?? null;
}

/**
 * @param {readonly RoundResult[]} rounds
 * @returns {boolean} the load left on a schedule, and more than half of the rounds kept it
 */
export function isSustained(rounds) {
  return rounds.filter(({ openLoop }) => openLoop?.sustained).length > rounds.length / 2;
}

/** @param {readonly (number | null)[]} values */
function knownMedian(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

/**
 * What kept a case from being faster, decided from measured CPU and event-loop utilisation by one rule.
 */

/** Busy: nine tenths of the time. The rest is what waking up and the sampling's own error take. */
const BUSY = 0.9;
/** An event loop has to be busier than a CPU for the same verdict: it also counts the time a thread waits to be run. */
const LOOP_BUSY = 0.95;

/**
 * An open loop whose schedule was kept was limited by `nothing`: it was asked for no more, and its thread looks at the clock
 * all the while, which is no sign of being busy. Else the rule, first match wins:
 *
 * 1. `client`: the load thread is busy and at least as busy as the primary's command thread. Busy is at least 90% on a
 *    CPU, or, while the machine has CPU to spare, an event loop that is used at least 95%: it then blocks in something
 *    that costs it no CPU time, and is the limit all the same.
 * 2. `primary`: its command thread is at least 90% on a CPU, and busier than the load thread.
 * 3. `machine`: all cores together are at least 90% busy. Threads wait for a CPU rather than for each other, and
 *    neither's utilisation tells what it could do on a machine with more cores.
 * 4. `nothing`: everybody waits: for round trips, or for replicas' acknowledgements.
 *
 * A busy thread wins over a busy machine, because a thread that was on a CPU nine tenths of the time did not wait for one:
 * more cores would not have helped it. The client wins a tie with the primary, because a figure that may be the client's
 * must not be shown as Redis's.
 *
 * @param {Object} use shares of one CPU unless said otherwise
 * @param {number | null} use.loadCpu of the load thread; null when not known, then its event loop decides
 * @param {number} use.eventLoopUtilization of the load thread, 0 … 1
 * @param {number | null} use.primaryMainThreadCpu of the thread that executes the primary's commands; null when not known,
 *   then the primary is never named
 * @param {number} use.machineCpu share of all cores, 0 … 1
 * @param {boolean} [use.sustained] the load left on a schedule, and the schedule was kept
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
