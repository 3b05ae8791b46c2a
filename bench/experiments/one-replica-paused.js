import { pausedReplicas } from './paused.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...pausedReplicas(1),
  id: 'one-replica-paused',
  title: 'one replica frozen',
  question: 'Which modes still take writes while one replica is frozen?',
  method:
    'One replica is frozen by SIGSTOP for longer than min-replicas-max-lag. The figure is the share of writes acked at the end of ' +
    'that time.',
};
