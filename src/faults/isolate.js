import { faultByAction } from './by-action.js';

/**
 * A network split with nobody on the side of the node.
 */
export const isolate = faultByAction('isolate', 'is cut from its peers and from all clients');
