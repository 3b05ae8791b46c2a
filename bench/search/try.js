/** One try of a schedule: a stack of its own, writers on both sides of a partition, the schedule, and the audit of every write. */
import { removeWriter } from '../../src/audit/files.js';
import { removeHistories } from '../../src/audit/histories.js';
import { messageOf } from '../../src/errors.js';
import { startTrialThread } from '../../src/load/trial-thread.js';
import { chartOf } from '../../src/report/trials/timeline.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { FullMemory } from '../../src/run/full-memory.js';
import { NotPutBack } from '../../src/run/interruption.js';
import { PROFILES } from '../../src/run/profiles.js';
import { runTrial } from '../../src/run/trial.js';
import { startStack } from '../../src/stacks/index.js';
import { sum } from '../../src/stats/statistics.js';
import { TITLES } from '../experiments/cases.js';
import { MODES } from '../modes.js';
import { startWorkloads } from '../workloads/company.js';
import { workloadNamed } from '../workloads/index.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { workloadsIn } from './document.js';
import { MAJORITY, MINORITY, performSchedule } from './perform.js';
import { RULES, scheduleText } from './schedule.js';

/** @import { AuditResult, Case, Placement, RoundResult, TrialBenchmark } from '../types.js' */
/** @import { TrialThread } from '../../src/load/trial-thread.js' */
/** @import { StackOptions } from '../../src/stacks/types.js' */
/** @import { ModeName } from '../modes.js' */
/** @import { Try } from './explore.js' */
/** @import { Schedule } from './schedule.js' */

/** A sticky client beside the primary, a failover-aware one beside the majority, and one that reaches everybody. */
export const WRITERS = Object.freeze([`sticky@${MINORITY}`, `failover-aware@${MAJORITY}`, 'sticky']);
/** The rate of each writer. Losses last from tenths of a second to many seconds; this rate shows both, and many lanes fit. */
const WRITES_PER_SECOND = 100;
const CONNECTIONS = 5;
/** Beside workloads, whose operations count instead, writers take as little of the machine as they can. */
const BESIDE_WORKLOADS = Object.freeze({ rate: 20, connections: 2 });
/** Half of its clients stay with their node, as those of many libraries do. */
const [MIXED] = NATIVE_SOURCES;
const TICK_MS = 3;

/**
 * @param {{mode: ModeName, downAfterMs: number, placement: Placement, stack: StackOptions, workload?: string, folder: string}} how workload:
 *   whose invariants a schedule has to break, with commas between them; default: it has to lose writes. folder: for the ledgers; those of
 *   schedules that lost writes stay
 * @returns {Try}
 */
export function createTry({ mode, downAfterMs, placement, stack: how, workload, folder }) {
  const attacked = workloadsIn(workload);
  const theCase = caseOf(mode, downAfterMs, attacked.length > 0 ? BESIDE_WORKLOADS : {});
  let round = 0;
  /** Threads of writers that have no trial. Starting one costs more than a short trial. @type {TrialThread[]} */
  const idle = [];
  return async (schedule, signal) => {
    const thisRound = ++round;
    const thread = idle.pop() ?? startTrialThread();
    /** @type {Awaited<ReturnType<typeof startStack>> | undefined} */
    let stack;
    try {
      stack = await startStack({ ...how, backend: 'local', network: true, volatileDisks: disksOf(schedule), signal });
      const benchmark = benchmarkOf(schedule, placement, attacked);
      const { audits, trial, result } = await runTrial({
        stack,
        benchmark,
        theCase,
        round: thisRound,
        profile: { ...PROFILES.quick, writesPerSecond: WRITES_PER_SECOND },
        folder,
        thread,
        pace: { readsPerSecond: 0, tickMs: TICK_MS },
        notKept(error) {
          throw error;
        },
        signal,
      });
      idle.push(thread);
      const counts = attacked.length === 0 ? lossesIn(audits) : harmIn(result, attacked);
      if (counts.lost === 0) {
        const which = { benchmark: benchmark.name, case: theCase.id, round: thisRound };
        for (const { writer } of audits) await removeWriter(folder, { ...which, writer });
        await removeHistories(folder, which);
      }
      return { ...counts, ...(counts.lost > 0 && { timeline: chartOf(trial, TITLES) }) };
    } catch (error) {
      await thread.close();
      if (error instanceof NotPutBack) throw error;
      const failed = error instanceof FullMemory ? `${error.message} ${error.remedy}` : messageOf(error);
      return { acked: 0, lost: 0, seconds: 0, failed };
    } finally {
      await stack?.down();
    }
  };
}

/** @param {readonly AuditResult[]} audits */
function lossesIn(audits) {
  return {
    acked: sum(audits.map(({ acked }) => acked)),
    lost: sum(audits.map(({ ackedLost }) => ackedLost)),
    seconds: Math.max(...audits.map(({ ackedLost }) => ackedLost)) / WRITES_PER_SECOND,
  };
}

/** @param {Pick<RoundResult, 'workloads'>} round @param {readonly string[]} names of its workloads */
function harmIn({ workloads = [] }, names) {
  const total = (/** @type {string} */ name, /** @type {string} */ figure) =>
    sum(workloads.map(({ workload, figures }) => (workload === name ? (figures[figure] ?? 0) : 0)));
  const harms = names.map((name) => ({ name, count: total(name, Object.keys(workloadNamed(name).harms)[0]) }));
  const broke = harms.filter(({ count }) => count > 0).map(({ name }) => name);
  return {
    acked: sum(names.map((name) => total(name, 'acknowledged'))),
    lost: sum(harms.map(({ count }) => count)),
    seconds: 0,
    ...(broke.length > 0 && { broke }),
  };
}

/** Nodes that need a disk of their own. In a new stack `redis-1` is the primary, on host 0. @param {Schedule} schedule */
function disksOf(schedule) {
  const hosts = schedule.filter(({ kind }) => RULES[kind].disk).flatMap((step) => step.hosts);
  return [...new Set(hosts)].map((host) => `redis-${host + 1}`);
}

/** @param {ModeName} name @param {number} downAfterMs @param {{rate?: number, connections?: number}} load of each writer @returns {Case} */
function caseOf(name, downAfterMs, { rate = WRITES_PER_SECOND, connections = CONNECTIONS }) {
  const { settings, title: _, ...mode } = MODES[name];
  const load = { rate, connections, writers: [...WRITERS] };
  return {
    id: name,
    params: { ...DEFAULT_PARAMS, ...mode, mode: name, ...load, settings: { ...settings }, downAfterMs },
  };
}

/** @type {(schedule: Schedule, placement: Placement, attacked: readonly string[]) => TrialBenchmark} attacked: names of workloads */
function benchmarkOf(schedule, placement, attacked) {
  return {
    name: 'search',
    question: 'Does this schedule lose acknowledged writes?',
    method: scheduleText(schedule),
    kind: 'trial',
    cases: () => [],
    checks: () => [],
    script: (scene, { params }) => performSchedule(scene, schedule, placement, params),
    ...(attacked.length > 0 && { company: (site) => startWorkloads(site, { only: attacked, sources: [MIXED] }) }),
  };
}
