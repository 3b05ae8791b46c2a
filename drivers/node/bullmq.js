/** BullMQ: a queue and its workers. */
import { Queue, Worker } from 'bullmq';
import { confirm, runWorkload, sentinelOptions } from './workload.js';

const VARIANTS = {
  defaults: { connection: {}, ownId: false },
  // A job id of its own is not given again by a counter that a failover set back.
  best: { connection: { failoverDetector: true, connectTimeout: 1000 }, ownId: true },
};

async function open(task) {
  const { connection: more, ownId } = VARIANTS[task.variant];
  const connection = { ...sentinelOptions(task), ...more };
  const name = 'jobs';
  const prefix = `${task.keyPrefix}bull`;
  const queue = new Queue(name, { connection, prefix });
  queue.on('error', () => {});
  await queue.waitUntilReady();

  return {
    async add(value) {
      const job = await queue.add('job', { value }, ownId ? { jobId: value } : {});
      await confirm(await queue.backend.client, task);
      return job.id;
    },

    work(concurrency, jobs) {
      const runs = new Map();
      const run = async (job) => void runs.set(job, await jobs.run(job.data.value));
      // The documentation asks for null in workers.
      const worker = new Worker(name, run, {
        connection: { ...connection, maxRetriesPerRequest: null },
        prefix,
        concurrency,
      });
      worker.on('completed', (job) => jobs.acknowledged(runs.get(job)));
      worker.on('error', () => {});
    },

    async held() {
      const jobs = await queue.getJobs(['waiting', 'active', 'delayed', 'paused', 'prioritized']);
      return jobs.filter(Boolean).map((job) => job.data.value);
    },
  };
}

// A job whose worker is gone comes back when its lock has ended, at the next look for stalled jobs: 30 s and 30 s.
runWorkload({
  title: 'BullMQ',
  npmPackage: 'bullmq',
  workload: 'queue',
  variants: VARIANTS,
  visibilityMs: 60_000,
  open,
});
