/** For tests only: audits and timelines of failure trials, with realistic figures. */
import { caseOf, resultOf, roundOf } from '../fixture.js';

/**
 * @import { CaseVariation } from '../../result/variation.js'
 * @import { AuditResult, TrialResult } from '../../result/failure-schema.js'
 * @import { BenchmarkResult, CaseParams, Result } from '../../result/schema.js'
 */

/** Durability modes as a run sets them. @type {Readonly<Record<string, Partial<CaseParams>>>} */
const MODES = {
  async: { wait: 0, settings: { 'min-replicas-to-write': '0' } },
  min1: { wait: 0, settings: { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '10' } },
  wait1: { wait: 1, settings: { 'min-replicas-to-write': '0' } },
  wait2: { wait: 2, settings: { 'min-replicas-to-write': '0' } },
  waitaof: {
    wait: 1,
    waitLocal: 1,
    settings: { 'min-replicas-to-write': '0', appendonly: 'yes', appendfsync: 'everysec' },
  },
};

/**
 * Whatever is not given follows from what is: the counts always agree with each other.
 * @param {string} id of the case
 * @param {Partial<AuditResult>} [some]
 * @returns {AuditResult} of 10,000 writes acknowledged, none lost
 */
export function auditOf(id, some = {}) {
  const { acked = 10_000, underAcked = 0, rejected = 0, unknown = 0, unsent = 0, ackedLost = 0 } = some;
  const attempted = acked + underAcked + rejected + unknown;
  const present = acked - ackedLost + underAcked;
  return {
    case: id,
    round: 1,
    writer: 'sticky',
    due: attempted + unsent,
    unsent,
    attempted,
    acked,
    underAcked,
    rejected,
    unknown,
    ackedLost,
    underAckedLost: 0,
    rejectedPresent: 0,
    unknownPresent: 0,
    unknownAbsent: unknown,
    unsentPresent: 0,
    wrongValue: 0,
    appliedTwice: null,
    surplus: 0,
    falseAcks: null,
    falseAcksLost: null,
    present: { 'redis-1': present, 'redis-2': present, 'redis-3': present },
    formerPrimary: null,
    unavailableMs: 1200,
    acceptedShare: 0.5,
    firstError: null,
    errors: {},
    moves: [{ afterMs: 0, node: 'redis-1' }],
    ...some,
  };
}

/**
 * A trial in which the primary goes at 1 s and comes back at 4 s; steps of 100 ms, 5 s in all, 100 writes a step.
 * @param {string} id of the case
 * @param {Partial<TrialResult> & {names?: string[], goneSteps?: number}} [some] names: of the writers; goneSteps: how
 *   many steps no write is acknowledged
 * @returns {TrialResult}
 */
export function trialOf(id, { names = ['sticky', 'failover-aware'], goneSteps = 12, ...some } = {}) {
  const steps = Array.from({ length: 50 }, (_, step) => step);
  const gone = (/** @type {number} */ step) => step >= 10 && step < 10 + goneSteps;
  const zeros = steps.map(() => 0);
  return {
    case: id,
    round: 1,
    events: [
      { at: 1003.2, by: 'harness', kind: 'fault-begun', node: 'redis-1', fault: 'kill' },
      { at: 1004, by: 'sticky', kind: 'first-error', detail: 'redis-1' },
      { at: 1504, by: 'sentinel-1', kind: 'suspected', node: 'redis-1' },
      { at: 1511, by: 'sentinel-2', kind: 'suspected', node: 'redis-1' },
      { at: 1612, by: 'sentinel-1', kind: 'down', node: 'redis-1' },
      { at: 2115, by: 'sentinel-1', kind: 'promoted', node: 'redis-2' },
      { at: 2120, by: 'sentinel-2', kind: 'promoted', node: 'redis-2' },
      { at: 4002, by: 'harness', kind: 'fault-undone', node: 'redis-1', fault: 'kill' },
    ],
    windows: { detectionMs: 608.8, failoverMs: 503, splitBrainMs: 0, recoveryMs: 1.2 },
    stepMs: 100,
    writers: names.map((writer) => ({
      writer,
      acked: steps.map((step) => (gone(step) ? 0 : 100)),
      underAcked: zeros,
      rejected: zeros,
      unknown: steps.map((step) => (step === 10 ? 10 : 0)),
      unsent: steps.map((step) => (step > 10 && gone(step) ? 100 : 0)),
      p99Ms: steps.map((step) => (gone(step) ? null : step === 10 + goneSteps ? 1000 : 0.8)),
    })),
    reads: { reads: 500, stale: 0, failed: 20, longestMs: 0 },
    linkMs: 0.05,
    converged: { afterMs: 2300, primary: 'redis-2' },
    ...some,
  };
}

/**
 * @param {string} name
 * @param {{id?: string, mode: string, variation?: CaseVariation, client?: 'native' | 'redis' | 'ioredis', audits: AuditResult[], trials?: TrialResult[]}[]} parts
 *   a case each
 * @returns {BenchmarkResult}
 */
export function failureBenchmarkOf(name, parts) {
  return {
    name,
    question: 'What is lost?',
    status: 'ok',
    cases: parts.map(({ id, mode, variation, client = 'native' }) =>
      caseOf(id ?? mode, { ...MODES[mode], client, mode, rate: 1000, ...variation }, [roundOf({ writes: 100 })]),
    ),
    findings: [],
    checks: [],
    audit: parts.flatMap(({ audits }) => audits),
    timeline: parts.flatMap(({ trials = [] }) => trials),
  };
}

/** @param {BenchmarkResult[]} benchmarks @returns {Result} */
export function failureResultOf(benchmarks) {
  return { ...resultOf(), suite: 'failure', benchmarks };
}
