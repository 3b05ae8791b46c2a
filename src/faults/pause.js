import { faultByAction } from './by-action.js';

/**
 * A node that hangs: nothing is refused and nothing is answered. As long as it lasts, what was sent waits in its sockets.
 */
export const pause = faultByAction('pause', 'stands still; its sockets stay open');
