import { restart } from '../../src/faults/index.js';

/** Longer than two intervals of the primary's snapshots, so that one of them lies behind. */
const SAVED_SECONDS = 8;

/** @type {import('./types.js').Experiment} */
export default {
  id: 'primary-restarted-empty',
  title: 'fast restart',
  explained: 'SIGKILL and started again at once, before a Sentinel notices, as by a supervisor',
  avoid: '`appendonly yes`, or a supervisor that waits longer than `down-after-milliseconds`',
  question: 'What is left when the primary crashes and is restarted before a Sentinel notices?',
  method:
    'The primary gets SIGKILL and is started again at once, as by a supervisor or a container’s restart policy. ' +
    'Without persistence it comes back empty, and the replicas copy the empty data set: a snapshot on a replica is replaced, too. With RDB on every ' +
    'node it comes back with its last snapshot.',
  perYear: 2,
  needs: ['kill'],
  late: true,
  steps: [{ at: 0, fault: restart, lasts: 0 }],
  course: {
    before: ({ healthySeconds }, { settings, replicaSettings }) =>
      replicaSettings && settings?.save ? Math.max(healthySeconds, SAVED_SECONDS) : healthySeconds,
    after: 3,
  },
};
