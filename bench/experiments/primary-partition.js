import { partition } from '../../src/faults/index.js';
import { HEALS, losingForLengths, PROMOTION } from './primary-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...losingForLengths(partition),
  id: 'primary-partition',
  title: 'network partition',
  explained: 'the primary is cut off from replicas and Sentinels; clients still reach every node',
  question: 'What is lost in a network partition that separates the primary from its peers but not from clients?',
  method: `A network partition separates the primary from replicas and Sentinels; clients reach every node. ${PROMOTION}${HEALS}`,
  perYear: 0.2,
};
