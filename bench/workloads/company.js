/** All workloads of a trial side by side, from every source of histories: each meets the same failure. */
/** @import { CompanySite } from '../types.js' */
/** @import { Histories, Operation, RunningSource, Source, WorkloadRound } from './types.js' */
import pLimit from 'p-limit';
import { placedWriter } from '../../src/registry/writers.js';
import { median } from '../../src/stats/statistics.js';
import { PLACES } from '../experiments/groups.js';
import { US_A_MS } from './history.js';
import { workloadNamed } from './index.js';
import { NATIVE_SOURCES } from './native/source.js';

/** A runtime needs a processor to start. */
const STARTING = 4;

/**
 * @param {CompanySite} site
 * @param {{sources?: readonly Source[], only?: readonly string[]}} [which] default: the native client in all its ways. only: these workloads; default: all
 */
export async function startWorkloads({ stack, theCase, plan, prefix }, { sources = NATIVE_SOURCES, only } = {}) {
  const { wait, waitLocal, waitTimeoutMs, writers = [] } = theCase.params;
  const { nodes, sentinels, sentinelsAnnounced, masterName, credentials } = plan;
  const isPlaced = writers.some((name) => placedWriter(name).place !== undefined);
  const groups = isPlaced ? stack.network.groups : null;
  const common = {
    trial: { nodes, sentinels, sentinelsAnnounced, masterName, credentials },
    from: {
      minority: groups?.clientAddress(PLACES.minority),
      majority: groups?.clientAddress(PLACES.majority),
    },
    wait: { waitReplicas: wait, ...(waitLocal !== undefined && { waitLocal }), waitTimeoutMs },
  };
  const settingOf = (/** @type {Source} */ { name, workloads }) => ({
    ...common,
    workloads: workloads.filter((each) => only?.includes(each) ?? true),
    prefix: `${prefix}${name}:`,
  });
  /** @type {{source: Source, run: RunningSource}[]} */
  const running = [];
  const close = async () => void (await Promise.all(running.map(({ run }) => run.close())));
  const start = async (/** @type {Source} */ source) =>
    void running.push({ source, run: await source.start(settingOf(source)) });
  const limit = pLimit(STARTING);
  try {
    await allDone(sources.map((source) => limit(start, source)));
    // The slowest source must not find the backlogs of the others empty.
    await allDone(running.map(({ run }) => run.begin()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    stop: async () => void (await Promise.all(running.map(({ run }) => run.stop()))),
    async drain() {
      const drained = await Promise.all(
        running.map(async ({ source, run }) => recordsOf(source.name, await run.drain())),
      );
      const records = drained.flat();
      const workloads = records.map(({ lines: _, ...round }) => round);
      return {
        figures: { workloads },
        inShort: harmsInShort(workloads),
        histories: records.map(({ workload, source, lines }) => ({ name: historyName({ workload, source }), lines })),
      };
    },
    close,
  };
}

/** @param {readonly Promise<void>[]} promises @returns {Promise<void>} settles when all have; rejects with the first reason */
async function allDone(promises) {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** @param {Pick<WorkloadRound, 'workload' | 'source'>} round */
export function historyName({ workload, source }) {
  return `${workload}.${source}`;
}

/** @param {string} source @param {Histories} histories */
function recordsOf(source, histories) {
  return Object.entries(histories).map(([workload, lines]) => {
    const figures = countedIn(workload, lines);
    return { workload, source, figures, lines };
  });
}

/** What its checker counts, and the usual time of an acknowledged operation. @param {string} name @param {readonly Operation[]} lines */
export function countedIn(name, lines) {
  const { check, timed } = workloadNamed(name);
  const times = lines.flatMap(({ op, outcome, begin, end }) =>
    op === timed && outcome === 'ok' && end !== null ? [(end - begin) / US_A_MS] : [],
  );
  return { ...check(lines), ...(times.length > 0 && { medianMs: median(times) }) };
}

/** @param {readonly WorkloadRound[]} rounds @returns {string} such as `counter.mixed: the same number issued twice 214` */
function harmsInShort(rounds) {
  return rounds
    .flatMap((round) =>
      Object.entries(workloadNamed(round.workload).harms)
        .filter(([figure]) => round.figures[figure] > 0)
        .map(([figure, words]) => `${historyName(round)}: ${words} ${round.figures[figure]}`),
    )
    .join('; ');
}
