/** For tests only: the result of a configuration sweep, with realistic figures. */

import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { FAULTS } from '../experiments/decision-faults.js';
import { MODES } from '../modes.js';

/**
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult, Result } from '../types.js'
 * @import { ModeName } from '../modes.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 */

/**
 * @typedef {'acked' | 'rejected' | 'underAcked' | 'unsent'} WriteOutcome
 *
 * @typedef {Object} Configuration
 * @property {ModeName} mode
 * @property {string} [setting] of its failure cases
 * @property {boolean} [sequential] of its healthy cases
 * @property {[batch1: number, batch100: number]} [throughput] acked writes a second; absent: not measured
 * @property {number} [medianMs] of service time at batch 1
 * @property {number[]} [lostOnKill] of each trial, by the sticky writer; absent: not measured
 * @property {number[]} [lostOnPartition] the same
 * @property {Partial<Record<FaultId, number[]>>} [lost] in other faults, the same; absent: not measured
 * @property {number | null} [unavailableMs] on both; null: to the end
 * @property {[outcome: WriteOutcome, steps: number]} [oneDown] the outcome of writes from this number of steps after the pause began; absent: not
 *   measured
 * @property {[outcome: WriteOutcome, steps: number]} [bothDown] the same
 */

/** In steps of 100 ms. */
const PAUSE = Object.freeze({ begins: 10, ends: 110, all: 130 });
const WAVERING = Object.freeze([1, 0.97, 1.02, 0.99, 1.01]);
const WRITES_A_STEP = 100;
const ACKED = 16_000;
/** A quick round of a slow machine has more values than this. */
const SAMPLES = 200_000;

/** @param {number} partition writes lost in it; none in a kill @param {number | null} unavailableMs */
const losing = (partition, unavailableMs) => ({ lostOnKill: [0], lostOnPartition: [partition], unavailableMs });

const CONFIGURATIONS = /** @type {Configuration[]} */ ([
  { mode: 'async', throughput: [20_000, 330_000], medianMs: 0.05, ...losing(13_769, 62) },
  { mode: 'wait1', throughput: [10_800, 290_000], medianMs: 0.09, ...losing(0, 6280) },
  {
    ...{ mode: 'wait2', throughput: [10_000, 280_000], medianMs: 0.1, ...losing(0, null) },
    ...{ oneDown: ['underAcked', 0], bothDown: ['underAcked', 0] },
  },
  { mode: 'min1', throughput: [19_000, 325_000], medianMs: 0.05, ...losing(8045, 30), bothDown: ['rejected', 95] },
  { mode: 'wait1', sequential: true, throughput: [7000, 270_000], medianMs: 0.15 },
  { mode: 'aof-always', throughput: [1100, 60_000], medianMs: 0.9 },
  { mode: 'wait1', setting: 'down-after-1s', ...losing(0, 2200) },
]);

/** By configurations, as JSON: intervals take long to compute. @type {Map<string, Result>} */
const made = new Map();

/**
 * @param {readonly Configuration[]} [configurations] the first one with a throughput is what the others are relative to
 * @returns {Result} that the caller may change
 */
export function sweepResultOf(configurations = CONFIGURATIONS) {
  const key = JSON.stringify(configurations);
  const result = made.get(key) ?? sweepResult(configurations);
  made.set(key, result);
  return structuredClone(result);
}

/** @param {readonly Configuration[]} configurations @returns {Result} */
function sweepResult(configurations) {
  const failures = FAULTS.flatMap(({ id, benchmark, promotes }) => {
    const parts = configurations.flatMap((configuration) => {
      const { lostOnKill: kill, lostOnPartition: partition, lost } = configuration;
      const losses = { kill, partition, ...lost }[id];
      return losses ? lossPart(configuration, losses) : [];
    });
    if (!promotes)
      for (const trial of parts.flatMap(({ trials = [] }) => trials))
        trial.events = trial.events.filter(({ kind }) => kind !== 'promoted');
    return parts.length === 0 ? [] : [failureBenchmark(benchmark, parts)];
  });
  const pauses = (/** @type {'oneDown' | 'bothDown'} */ field) =>
    configurations
      .filter(({ lostOnKill, setting }) => lostOnKill !== undefined && setting === undefined)
      .map((configuration) => pausePart(configuration, configuration[field] ?? ['acked', 0]));
  const result = resultOf();
  return {
    ...result,
    suite: 'config-sweep',
    profile: { ...result.profile, trials: 1, writesPerSecond: 1000 },
    benchmarks: [
      healthyBenchmark(configurations),
      ...failures,
      failureBenchmark('sweep-one-replica-paused', pauses('oneDown')),
      failureBenchmark('sweep-both-replicas-paused', pauses('bothDown')),
    ],
  };
}

/** @param {readonly Configuration[]} configurations @returns {BenchmarkResult} */
function healthyBenchmark(configurations) {
  const cases = /** @type {const} */ ([1, 100]).flatMap((batch, i) => {
    /** @type {CaseResult | undefined} */
    let baseline;
    return configurations.flatMap(({ mode, sequential = false, throughput, medianMs = 0.05 }, place) => {
      if (!throughput) return [];
      const rounds = WAVERING.map((factor, seed) => {
        // Rounds of different configurations do not waver alike: a ratio has an interval, too.
        const other = WAVERING[(seed + place) % WAVERING.length];
        return roundOf({ writes: 500, throughput: throughput[i] * other, medianNs: medianMs * 1e6 * factor, seed });
      });
      const { wait, waitLocal, settings } = MODES[mode];
      const one = caseOf(
        `${mode}${sequential ? '-sequential' : ''}-batch${batch}`,
        {
          wait,
          ...(waitLocal !== undefined && { waitLocal }),
          settings: { ...settings },
          mode,
          pipeline: batch,
          ...(sequential && { waitMode: 'sequential' }),
        },
        rounds,
        baseline,
      );
      one.summary.samples = SAMPLES;
      baseline ??= one;
      return one;
    });
  });
  return { name: 'sweep-healthy', question: 'What does it cost?', status: 'ok', cases, findings: [], checks: [] };
}

/** @param {string} name @param {FailureParts} parts @returns {BenchmarkResult} */
function failureBenchmark(name, parts) {
  const benchmark = failureBenchmarkOf(name, parts);
  for (const { params } of benchmark.cases) {
    const { wait, waitLocal, settings } = MODES[params.mode ?? ''];
    Object.assign(params, {
      wait,
      settings: { ...settings },
      writers: ['sticky', 'failover-aware'],
      rate: 1000,
      connections: 10,
    });
    if (waitLocal !== undefined) Object.assign(params, { waitLocal });
    params.downAfterMs = params.setting === undefined ? 5000 : 1000;
  }
  return benchmark;
}

/** @typedef {Parameters<typeof failureBenchmarkOf>[1]} FailureParts */

/**
 * @param {Configuration} configuration
 * @param {readonly number[]} losses one a trial
 * @returns {FailureParts[number]}
 */
function lossPart({ mode, setting, unavailableMs = 6280 }, losses) {
  const id = setting === undefined ? mode : `${mode}-setting`;
  return {
    id,
    mode,
    variation: setting === undefined ? {} : { setting },
    audits: losses.flatMap((ackedLost, i) => [
      auditOf(id, { round: i + 1, acked: ACKED, ackedLost, unavailableMs }),
      auditOf(id, { round: i + 1, writer: 'failover-aware', acked: ACKED + 100, unavailableMs: 20 }),
    ]),
    trials: losses.map((_, i) => trialOf(id, { round: i + 1 })),
  };
}

/**
 * @param {Configuration} configuration
 * @param {[outcome: WriteOutcome, steps: number]} becomes
 * @returns {FailureParts[number]}
 */
function pausePart({ mode }, [outcome, after]) {
  const share = outcome === 'acked' ? 1 : after / (PAUSE.ends - PAUSE.begins);
  return {
    mode,
    audits: /** @type {const} */ (['sticky', 'failover-aware']).map((writer) =>
      auditOf(mode, { writer, acceptedShare: share }),
    ),
    trials: [pauseTrialOf(mode, [{ writer: 'sticky', outcome, after }, { writer: 'failover-aware' }])],
  };
}

/**
 * A trial in which replicas are frozen from 1 s to 11 s, in steps of 100 ms with 100 writes each.
 * @param {string} id of the case
 * @param {{writer: string, outcome?: WriteOutcome, after?: number}[]} writers outcome: of all writes that are due later than `after`
 *   steps after the pause began, until it ends; default acked
 * @param {number} [round]
 * @returns {TrialResult}
 */
export function pauseTrialOf(id, writers, round = 1) {
  const steps = Array.from({ length: PAUSE.all }, (_, step) => step);
  const zeros = steps.map(() => 0);
  return trialOf(id, {
    round,
    events: [
      { at: 1000, by: 'harness', kind: 'fault-begun', node: 'redis-2', fault: 'pause' },
      { at: 1003, by: 'harness', kind: 'fault-begun', node: 'redis-3', fault: 'pause' },
      { at: 11_000, by: 'harness', kind: 'fault-undone', node: 'redis-2', fault: 'pause' },
      { at: 11_502, by: 'harness', kind: 'fault-undone', node: 'redis-3', fault: 'pause' },
    ],
    writers: writers.map(({ writer, outcome = 'acked', after = 0 }) => {
      const isPaused = (/** @type {number} */ step) => step >= PAUSE.begins + after && step < PAUSE.ends;
      const became = (/** @type {WriteOutcome} */ what) =>
        steps.map((step) => ((isPaused(step) ? outcome : 'acked') === what ? WRITES_A_STEP : 0));
      return {
        writer,
        acked: became('acked'),
        underAcked: became('underAcked'),
        rejected: became('rejected'),
        unknown: zeros,
        unsent: became('unsent'),
        p99Ms: steps.map((step) => (isPaused(step) ? null : 0.8)),
      };
    }),
  });
}
