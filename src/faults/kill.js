import { faultByAction } from './by-action.js';

/**
 * A node that crashes. Its machine lives on, so what it had handed to the system is still sent.
 */
export const kill = faultByAction('kill', 'ends at once (SIGKILL) and stays away');
