/**
 * A queue of jobs in a list: LPUSH, BLMOVE into a list of the worker, and LREM there once the job is done.
 *
 * Invariant: every acknowledged job is run, once.
 * @import { ProcessSite, Workload } from './types.js'
 */
import pLimit from 'p-limit';
import { nowUs } from './history.js';
import { checkJobs, EVERY_MS, JOB_HARMS, producing, WORK_MS } from './jobs.js';

const BLOCK_SECONDS = 1;
const BACKLOG = 1500;

/** Workers wait for jobs. @type {Workload} */
export const queue = listQueue('queue', 'list queue', 0);
/** Jobs wait for workers. @type {Workload} */
export const queueWithBacklog = listQueue('queue-backlog', 'list queue with a backlog', BACKLOG);

/** @param {string} name @param {string} title @param {number} backlog jobs before the workers begin @returns {Workload} */
function listQueue(name, title, backlog) {
  return {
    name,
    title,
    roles: { producer: { processes: 2, run: producing(add) }, worker: { processes: 4, run: work } },
    async prepare(site) {
      // Several at a time, because each may wait for replicas.
      await pLimit(8).map(Array.from({ length: backlog }).keys(), (number) => add(site, `backlog-${number}`));
    },
    drain,
    check: checkJobs,
    timed: 'add',
    harms: JOB_HARMS,
  };
}

/** @param {ProcessSite} site @param {string} value of the job */
function add(site, value) {
  return site.write({ op: 'add', value }, ['LPUSH', jobsOf(site), value]);
}

/** @param {Pick<ProcessSite, 'prefix'>} site */
const jobsOf = ({ prefix }) => `${prefix}jobs`;
/** @param {Pick<ProcessSite, 'prefix'>} site @param {string} worker */
const underWay = ({ prefix }, worker) => `${prefix}under-way:${worker}`;

/** @param {ProcessSite} site */
async function work(site) {
  const own = underWay(site, site.process);
  while (!site.stopped()) {
    try {
      const job = await site.ask('BLMOVE', jobsOf(site), own, 'RIGHT', 'LEFT', String(BLOCK_SECONDS));
      if (job !== null) await run(site, String(job), own, WORK_MS);
    } catch {
      // Refused, or the connection was lost; what it took is in its list.
      await site.pause(EVERY_MS);
    }
  }
}

/** @param {ProcessSite} site @param {string} job @param {string} own list of the worker @param {number} workMs */
async function run(site, job, own, workMs) {
  const begin = nowUs();
  if (workMs > 0) await site.pause(workMs);
  await site.write({ op: 'run', value: job, begin }, ['LREM', own, '1', job], (removed) =>
    // After a failover the list of the worker may lack it.
    Number(removed) === 0 ? { outcome: 'unknown', error: 'the job was not in the list' } : {},
  );
}

/**
 * Runs what is left, and what workers took and did not finish: somebody has to look for that.
 * @param {ProcessSite} site @param {readonly string[]} processes
 */
async function drain(site, processes) {
  const own = underWay(site, site.process);
  const runAll = () => untilEmpty(site, jobsOf(site), own, (job) => run(site, job, own, 0));
  await runAll();
  for (const process of processes)
    await untilEmpty(site, underWay(site, process), jobsOf(site), async (job) => {
      site.line({ op: 'stuck', value: job, begin: nowUs() });
    });
  await runAll();
}

/** @param {ProcessSite} site @param {string} from a list @param {string} to another list @param {(job: string) => Promise<void>} each */
async function untilEmpty(site, from, to, each) {
  const move = () => site.ask('LMOVE', from, to, 'RIGHT', 'LEFT');
  for (let job = await move(); job !== null; job = await move()) await each(String(job));
}
