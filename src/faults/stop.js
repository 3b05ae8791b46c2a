import { faultByAction } from './by-action.js';

/**
 * A node that is shut down: a primary waits for its replicas to catch up before it ends.
 */
export const stop = faultByAction('stop', 'ends in order (SIGTERM) and stays away');
