import { shapeOf } from '../clients/fixture.js';

/**
 * @import { Shape } from '../clients/types.js'
 * @import { RoundPlan } from './types.js'
 */

/**
 * @param {Partial<RoundPlan>} changes default: nobody listens at the primary's address
 * @param {Partial<Shape>} [shape]
 * @returns {RoundPlan} of a short load by the client native
 */
export function roundPlan(changes, shape) {
  return {
    generator: 'writes',
    client: 'native',
    primary: { host: '127.0.0.1', port: 1 },
    replicas: [],
    shape: shapeOf(shape),
    connections: 1,
    keyspace: 1000,
    seconds: 0.1,
    warmUpSeconds: 0,
    backgroundConnections: 0,
    seed: 1,
    ...changes,
  };
}
