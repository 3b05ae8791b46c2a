import { faultByAction } from './by-action.js';

/**
 * A network split with the clients on the side of the node: where two primaries can be written at once.
 */
export const cut = faultByAction('cut', 'loses its peers; clients still reach it');
