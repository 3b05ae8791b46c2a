/** How much of the cost of WAIT remains when one WAIT covers many writes. */
/** @import { BenchmarkResult } from '../types.js' */
import { count } from '../../src/format.js';
import { chartAgainst } from '../../src/report/charts/against.js';
import { roundsOf } from './rounds.js';

const STEPS = /** @type {const} */ ({ by: 'pipeline', what: 'pipeline depth', label: count });

export default roundsOf('pipeline', {
  charts: (all) => {
    const result = byDepth(all);
    return [chartAgainst('cost', result, STEPS), chartAgainst('throughput', result, STEPS)];
  },
});

/** @param {BenchmarkResult} result @returns {BenchmarkResult} with the cases that differ in pipeline depth and WAIT only */
function byDepth(result) {
  const first = result.cases[0]?.params;
  return {
    ...result,
    cases: result.cases.filter(({ params }) => params.client === first?.client && params.waitMode === first?.waitMode),
  };
}
