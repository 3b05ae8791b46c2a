/** Replicas are frozen one after the other. */
import { pause } from '../../src/faults/index.js';

/** @import { Performed } from './types.js' */

/** Longer than the largest min-replicas-max-lag (whole seconds since the last acknowledgement), and long enough to see what follows. */
const PAUSED_SECONDS = 14;
/** The second replica freezes this much later than the first. */
const STAGGER_SECONDS = 2;

/**
 * @param {number} count of replicas
 * @returns {Omit<Performed, 'id'>}
 */
function pausedReplicas(count) {
  const last = (count - 1) * STAGGER_SECONDS;
  return {
    needs: ['pause'],
    steps: Array.from({ length: count }, (_, index) => ({
      at: index * STAGGER_SECONDS,
      fault: pause,
      on: `replica-${index + 1}`,
      lasts: last + PAUSED_SECONDS - index * STAGGER_SECONDS,
    })),
    course: { after: ({ profile, write }) => write(profile.healthySeconds + 1) },
  };
}

/** @type {readonly Performed[]} */
export default [
  { id: 'one-replica-paused', ...pausedReplicas(1) },
  {
    id: 'both-replicas-paused',
    ...pausedReplicas(2),
    whyNot: async (_, { nodes }) => whyNotBoth(nodes.filter(({ kind }) => kind === 'redis').length - 1),
  },
];

/**
 * @param {number} replicas of the stack
 * @returns {string | null} why freezing two of them does not show what the columns say
 */
export function whyNotBoth(replicas) {
  if (replicas === 2) return null;
  return `It freezes both replicas of a primary with two, but this stack has ${replicas}. Measure it with \`--replicas 2\`.`;
}
