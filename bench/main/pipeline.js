/** @import { BenchmarkResult } from '../../src/result/schema.js' */

import { count } from '../../src/format.js';
import { clientNames } from '../../src/registry/clients.js';
import { chartAgainst } from '../../src/report/charts/against.js';
import { percentileCurves } from '../../src/report/charts/percentiles.js';
import { modeStyle } from '../../src/report/charts/styles.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { modeTitle } from '../modes.js';
import { DEEP, headlinePace, headlinePrecision, TEXTS, WAIT_MODES, WAITS } from './headline.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const DEPTHS = [1, 10, 50, DEEP];
const LARGE_DEPTHS = [500, 1000];
const STEPS = /** @type {const} */ ({ by: 'pipeline', what: 'pipeline depth', label: count });

/** @type {Benchmark} */
export default {
  name: 'pipeline',
  ...TEXTS.pipeline,
  kind: 'load',
  turns: true,
  pace: (profile) => headlinePace(profile, 0.09),
  precision: (profile) => headlinePrecision(profile, 40),
  cases: ({ profile, client }) => {
    const isQuick = profile.name === 'quick';
    const depths = isQuick ? DEPTHS : [...DEPTHS, ...LARGE_DEPTHS];
    const cases = [
      ...depths.flatMap((pipeline) => [
        makeCase({ client, pipeline }),
        ...WAITS.map((wait) => makeCase({ client, pipeline, wait }, { wait: 0 })),
      ]),
      ...(isQuick ? [] : client ? [client] : clientNames).flatMap((name) => [
        makeCase({ client: name, pipeline: DEEP }),
        ...WAITS.flatMap((wait) =>
          WAIT_MODES.map((waitMode) => makeCase({ client: name, pipeline: DEEP, wait, waitMode }, { wait: 0 })),
        ),
      ]),
    ];
    return [...new Map(cases.map((one) => [one.id, one])).values()];
  },
  table: [column.client, column.batch, column.wait, column.waitMode, ...column.MEASURED],
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
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {BenchmarkResult} result @returns {BenchmarkResult} with the cases that differ in pipeline depth and WAIT only */
function byDepth(result) {
  const first = result.cases[0]?.params;
  return {
    ...result,
    cases: result.cases.filter(({ params }) => params.client === first?.client && params.waitMode === first?.waitMode),
  };
}
