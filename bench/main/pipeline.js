/** How much of the cost of WAIT remains when one WAIT covers many writes. @import { BenchmarkResult } from '../../src/result/schema.js' */
import { count } from '../../src/format.js';
import { chartAgainst } from '../../src/report/charts/against.js';
import { percentileCurves } from '../../src/report/charts/percentiles.js';
import { modeStyle } from '../../src/report/charts/styles.js';
import { modeTitle } from '../modes.js';
import { roundsOf } from './rounds.js';

const STEPS = /** @type {const} */ ({ by: 'pipeline', what: 'pipeline depth', label: count });

export default roundsOf('pipeline', {
  charts: (all) => {
    const result = byDepth(all);
    const depths = [Math.min, Math.max].map((end) => end(...result.cases.map(({ params }) => params.pipeline)));
    return [
      chartAgainst('cost', result, STEPS),
      chartAgainst('throughput', result, STEPS),
      percentileCurves(result, {
        what: `of a write, at pipeline depths ${depths.map(count).join(' and ')}`,
        curves: result.cases
          .filter(({ params }) => depths.includes(params.pipeline))
          .map((one) => ({
            name: `${modeTitle(one.params)}, depth ${count(one.params.pipeline)}`,
            result: one,
            style: { ...modeStyle(one.params), dash: one.params.pipeline === depths[0] ? 'solid' : 'dashed' },
          })),
      }),
    ];
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
