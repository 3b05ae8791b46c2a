import { pausedReplicas, STAGGER_SECONDS } from './paused.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...pausedReplicas(2),
  id: 'both-replicas-paused',
  title: 'both replicas frozen',
  question: 'Which modes still take writes while both replicas are frozen?',
  method:
    `The replicas are frozen by SIGSTOP, the second ${STAGGER_SECONDS} s after the first, for longer than min-replicas-max-lag. The ` +
    'figure is the share of writes acked at the end of that time.',
  whyNot: async (_, { nodes }) => whyNotBoth(nodes.filter(({ kind }) => kind === 'redis').length - 1),
};

/**
 * @param {number} replicas of the stack
 * @returns {string | null} why freezing two of them does not show what the columns say
 */
export function whyNotBoth(replicas) {
  if (replicas === 2) return null;
  return `It freezes both replicas of a primary with two, but this stack has ${replicas}. Measure it with \`--replicas 2\`.`;
}
