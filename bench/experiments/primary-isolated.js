import { isolate } from '../../src/faults/index.js';
import { HEALS, losingForLengths, PROMOTION } from './primary-lost.js';

/** @type {import('./types.js').Experiment} */
export default {
  ...losingForLengths(isolate),
  id: 'primary-isolated',
  title: 'primary isolated',
  explained: 'the primary is cut off from replicas, Sentinels and clients',
  question: 'What is lost when the primary is isolated from its peers and from clients, and which clients hang?',
  method: `The primary is separated from every other node and from clients. ${PROMOTION}${HEALS}`,
};
