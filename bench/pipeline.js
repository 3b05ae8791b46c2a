import { costAgainst, throughputAgainst } from '../src/report/charts/against.js';
import { percentileCurves } from '../src/report/charts/percentiles.js';
import { levelStyle } from '../src/report/charts/styles.js';
import * as column from '../src/report/columns.js';
import { levelTitle } from '../src/report/failure-words.js';
import { costFinding } from '../src/report/findings.js';
import { count } from '../src/report/format.js';
import { findCase, makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

const BATCHES = [1, 10, 50, 100];
const LARGE_BATCHES = [500, 1000];
const WAITS = [1, 2];
const STEPS = /** @type {const} */ ({ by: 'pipeline', what: 'batch', label: count });

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'pipeline',
  suite: 'main',
  question: 'How much of the cost of WAIT goes away when one WAIT covers a batch of writes?',
  method:
    'One connection sends a batch of writes and at its end one WAIT, in one flush, and starts the next when all is answered.',
  needs: [],
  generator: 'writes',
  cases: ({ profile, client }) =>
    [...BATCHES, ...(profile.name === 'quick' ? [] : LARGE_BATCHES)].flatMap((pipeline) => [
      makeCase({ client, pipeline }),
      ...WAITS.map((wait) => makeCase({ client, pipeline, wait }, { wait: 0 })),
    ]),
  table: [column.batch, column.wait, ...column.MEASURED],
  charts: (result) => {
    const batches = [Math.min, Math.max].map((end) => end(...result.cases.map(({ params }) => params.pipeline)));
    return [
      costAgainst(result, STEPS),
      throughputAgainst(result, STEPS),
      percentileCurves(result, {
        what: `of a write, in batches of ${batches.map(count).join(' and ')}`,
        curves: result.cases
          .filter(({ params }) => batches.includes(params.pipeline))
          .map((one) => ({
            name: `${levelTitle(one.params)}, batch ${count(one.params.pipeline)}`,
            result: one,
            style: { ...levelStyle(one.params), dash: one.params.pipeline === batches[0] ? 'solid' : 'dashed' },
          })),
      }),
    ];
  },
  findings: (result) => {
    const batches = result.cases.map(({ params }) => params.pipeline);
    return WAITS.flatMap((wait) =>
      [Math.min(...batches), Math.max(...batches)].map((pipeline) => {
        const found = findCase(result, { wait, pipeline });
        return found && costFinding(result, found.id, { what: `WAIT ${wait}`, where: `at batch ${pipeline}` });
      }),
    ).filter((finding) => finding != null);
  },
  checks: (result) => [everyWriteAcked(result)],
};
