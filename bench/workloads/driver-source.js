/** Libraries as sources of histories, through the drivers of workloads (docs/drivers.md). In a partition each side has a process of its own. */
/** @import { WorkloadRules } from '../../src/drivers/check/workload.js' */
/** @import { WorkloadEntry } from '../../src/drivers/manifest.js' */
/** @import { Notice, DrivenOperation, WorkloadDriver, WorkloadTask } from '../../src/drivers/workload.js' */
/** @import { Histories, Operation, RunningSource, Setting, Source } from './types.js' */
import { setTimeout as delay } from 'node:timers/promises';
import { readLanguages } from '../../src/drivers/manifest.js';
import { openFronts } from '../../src/drivers/sentinel-front.js';
import { startWorkload, WORKLOAD_PROTOCOL } from '../../src/drivers/workload.js';
import { waitFor } from '../../src/wait.js';
import { nowUs, US_A_MS } from './history.js';
import { workloadNamed } from './index.js';

/** Which of the workloads here each kind of driver runs. @type {Readonly<Record<WorkloadEntry['workload'], readonly string[]>>} */
const RUNS = Object.freeze({ lock: ['lock'], limiter: ['limiter'], queue: ['queue', 'queue-backlog'] });
/** What comes back later than this is stuck. */
const DRAIN_MS = 30_000;
/** Connecting takes up to 15 s, and a backlog may have to be confirmed. */
const READY_MS = 60_000;

/** Workers begin in this time, and those of an empty queue have caught up. */
const BEGIN_MS = 30_000;
const CAUGHT_UP = 8;
const LOOK_MS = 200;

/** What a driver is asked for, beside what the trial says. @type {Readonly<Record<WorkloadEntry['workload'], Partial<WorkloadTask>>>} */
const SIZES = Object.freeze({
  lock: { roles: { holder: 8 }, keys: 4, workMs: [500, 6000] },
  limiter: { roles: { client: 8 }, keys: 40, rate: 400 },
  queue: { roles: { producer: 2, worker: 4 }, rate: 50 },
});
/** @satisfies {Partial<WorkloadTask>} */
const USUAL = { keys: 1, rate: 1, workMs: /** @type {const} */ ([10, 50]), leaseMs: 6000, limit: 20, windowMs: 4000 };
export const BACKLOG_SECONDS = 30;

/** @typedef {Source & {library: string}} DriverSource library: its title */
/** @typedef {{kind: string, side: NonNullable<Operation['side']>, driver: WorkloadDriver}} Running kind: the name of a workload */

/** Every library in each of its variants, also those that are not built. @param {string} [language] the name of its folder; default: of all */
export function driverSources(language) {
  return readLanguages()
    .filter(({ id }) => language === undefined || id === language)
    .flatMap(({ workloads }) => workloads)
    .flatMap((entry) => Object.keys(entry.variants).map((variant) => driverSource(entry, variant)));
}

/** @param {WorkloadEntry} entry @param {string} variant @returns {DriverSource} */
function driverSource(entry, variant) {
  const isUsual = variant === 'defaults';
  return {
    name: isUsual ? entry.name : `${entry.name}-${variant}`,
    title: isUsual ? entry.title : `${entry.title} (${variant})`,
    library: entry.title,
    workloads: RUNS[entry.workload],
    start: (setting) => start(entry, variant, setting),
  };
}

/** @param {WorkloadEntry} entry @param {string} variant @param {Setting} setting @returns {Promise<RunningSource>} */
async function start({ command, workload, rate = SIZES[workload].rate ?? USUAL.rate }, variant, setting) {
  const { nodes, sentinels, sentinelsAnnounced = sentinels, masterName } = setting.trial;
  const { minority, majority } = setting.from;
  const reached = sentinels.map((address, index) => ({ address, announced: sentinelsAnnounced[index] }));
  const fronts = await openFronts(reached, nodes);
  const common = { variant, rate, sentinels: fronts.addresses, masterName, wait: waitOf(setting.wait) };
  /** @type {{side: Running['side'], name: string, localAddress: string | null}[]} */
  const sides =
    majority === undefined
      ? [{ side: 'all', name: 'a', localAddress: null }]
      : [
          { side: 'minority', name: 'a', localAddress: minority ?? null },
          { side: 'majority', name: 'b', localAddress: majority },
        ];
  const running = setting.workloads.flatMap((kind) =>
    sides.map(({ side, name, localAddress }) => {
      const backlog = kind === 'queue-backlog' && name === 'a' ? BACKLOG_SECONDS * rate : 0;
      const keyPrefix = `${setting.prefix}${kind}:`;
      const task = taskFor(workload, { ...common, name, localAddress, backlog, keyPrefix });
      return { kind, side, driver: startWorkload(command, task, { readyMs: READY_MS }) };
    }),
  );
  const endAll = async () => {
    await Promise.all(running.map(({ driver }) => driver.end()));
    fronts.close();
  };
  try {
    await Promise.all(running.map(({ driver }) => driver.ready));
  } catch (error) {
    await endAll();
    throw error;
  }
  return {
    async begin() {
      for (const { driver } of running) driver.start();
      await atWork(running);
    },
    async stop() {
      for (const { driver } of running) driver.stop();
      return historiesOf(running);
    },
    async drain() {
      const drained = await Promise.all(running.map(({ driver }) => driver.drain(DRAIN_MS)));
      await endAll();
      const all = historiesOf(running);
      for (const [index, { kind, side }] of running.entries()) if (!drained[index]) all[kind].push(undrained(side));
      return all;
    },
    close: endAll,
  };
}

/** A worker that is a process of its own takes seconds to begin, and the failure has to meet it at work. @param {readonly Running[]} running */
async function atWork(running) {
  const deadline = performance.now() + BEGIN_MS;
  const began = Promise.all(running.map(({ driver }) => driver.began));
  await Promise.race([began, delay(BEGIN_MS, undefined, { ref: false })]);
  const lines = () => running.flatMap(({ kind, driver }) => (kind === 'queue' ? driver.lines : []));
  await waitFor(() => waitingJobs(lines()) <= CAUGHT_UP, { deadlineMs: deadline - performance.now(), pollMs: LOOK_MS });
}

/** @param {readonly (DrivenOperation | Notice)[]} lines of a queue @returns {number} jobs that were added and not yet run */
function waitingJobs(lines) {
  const count = (/** @type {string} */ name) => lines.filter(({ op }) => op === name).length;
  return count('add') - count('run');
}

/** @param {WorkloadEntry['workload']} workload @param {Parameters<WorkloadRules['task']>[0] & {rate?: number}} where @returns {WorkloadTask} */
export function taskFor(workload, where) {
  return { protocol: WORKLOAD_PROTOCOL, workload, roles: {}, ...USUAL, ...SIZES[workload], ...where };
}

/** @param {Setting['wait']} wait */
function waitOf({ waitReplicas, waitTimeoutMs }) {
  return waitReplicas === 0 ? null : { replicas: waitReplicas, timeoutMs: waitTimeoutMs };
}

/** @param {readonly Running[]} running @returns {Histories} */
function historiesOf(running) {
  /** @type {Histories} */
  const histories = {};
  for (const { kind, side, driver } of running) {
    histories[kind] ??= [];
    histories[kind].push(...operationsOf(driver.lines).map((line) => ({ ...line, side })));
  }
  for (const lines of Object.values(histories)) lines.sort((a, b) => (a.end ?? Infinity) - (b.end ?? Infinity));
  return histories;
}

/** @param {NonNullable<Operation['side']>} side @returns {Operation} the driver did not say in time what is left */
function undrained(side) {
  const at = nowUs();
  return { process: 'driver', role: 'driver', op: 'undrained', begin: at, end: at, outcome: 'unknown', side };
}

/** @param {readonly (DrivenOperation | Notice)[]} lines of a driver @returns {Operation[]} for the checkers */
export function operationsOf(lines) {
  const last = lines.reduce((latest, line) => Math.max(latest, 'at' in line ? line.at : (line.end ?? line.begin)), 0);
  return lines.flatMap((line) => {
    if ('at' in line) {
      const { process, op, value, at } = line;
      if (op !== 'stuck' && op !== 'exited') return [];
      return { process, role: 'worker', op, value, begin: at, end: at, outcome: /** @type {const} */ ('ok') };
    }
    const { leaseMs, libraryId, ...others } = line;
    return {
      ...others,
      ...(libraryId !== undefined && { libraryId: String(libraryId) }),
      // The library renews the lock until it says that it is lost.
      ...(leaseMs !== undefined && { leaseMs: leaseMs ?? (last - line.begin) / US_A_MS }),
    };
  });
}

/** @param {WorkloadEntry['workload']} workload @returns {WorkloadRules} for `driver check` */
export function rulesOfDriven(workload) {
  const [kind] = RUNS[workload];
  const { check, harms } = workloadNamed(kind);
  return {
    task: (where) => taskFor(workload, where),
    harms(lines) {
      const figures = check(operationsOf(lines));
      return Object.keys(harms).flatMap((figure) =>
        figures[figure] > 0 ? [`${harms[figure]}: ${figures[figure]}`] : [],
      );
    },
  };
}
