/** Replicas are frozen one after the other. */
import { pause } from '../../src/faults/index.js';

/** @import { Experiment } from './types.js' */

/** Longer than the largest min-replicas-max-lag (whole seconds since the last acknowledgement), and long enough to see what follows. */
const PAUSED_SECONDS = 14;
/** The second replica freezes this much later than the first. */
export const STAGGER_SECONDS = 2;

/**
 * @param {number} count of replicas
 * @returns {Pick<Experiment, 'needs' | 'steps' | 'course'>}
 */
export function pausedReplicas(count) {
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
