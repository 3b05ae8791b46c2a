import { clientNames } from '../src/client/index.js';
import { shareOfNative } from '../src/report/charts/dots.js';
import { percentileCurves } from '../src/report/charts/percentiles.js';
import { CLIENT_STYLES } from '../src/report/charts/styles.js';
import * as column from '../src/report/columns.js';
import { costFinding } from '../src/report/findings.js';
import { makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

const SHAPES = [
  { pipeline: 1, connections: 1 },
  { pipeline: 100, connections: 1 },
  { pipeline: 1, connections: 50 },
];

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'clients',
  suite: 'main',
  question: 'How much of what an application measures is its client library?',
  method:
    'The same asynchronous writes through each client on one thread. `native` is this tool’s own load client. The libraries ' +
    'have the settings that applications have, but for retries, which are off; `redis` so keeps its time-out on commands ' +
    'that were not sent yet, a timer for each.',
  needs: [],
  generator: 'writes',
  cases: ({ client }) =>
    SHAPES.flatMap((shape) =>
      (client ? [client] : clientNames).map((name) =>
        makeCase({ client: name, ...shape }, { client: client ?? 'native' }),
      ),
    ),
  table: [column.client, column.batch, column.connections, ...column.MEASURED],
  charts: (result) => [shareOfNative(result, shapeName), manyConnections(result)],
  findings: (result) =>
    result.cases
      .filter(({ params }) => params.client !== 'native' && (params.pipeline > 1 || params.connections > 1))
      .map(({ id, params: { client, pipeline, connections } }) =>
        costFinding(result, id, {
          what: `\`${client}\` instead of \`native\``,
          where: `at ${shapeName({ pipeline, connections })}`,
        }),
      )
      .filter((finding) => finding !== null),
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {Pick<import('../src/run/types.js').CaseParams, 'pipeline' | 'connections'>} shape */
function shapeName({ pipeline, connections }) {
  return `batch ${pipeline} and ${connections} connection${connections === 1 ? '' : 's'}`;
}

/**
 * Where users share a process, what they wait for is its queue.
 *
 * @param {import('../src/run/types.js').BenchmarkResult} result
 */
function manyConnections(result) {
  const connections = Math.max(...SHAPES.map((shape) => shape.connections));
  return percentileCurves(result, {
    what: `of a write, at ${connections} connections`,
    curves: result.cases
      .filter(({ params }) => params.connections === connections)
      .map((one) => ({ name: one.params.client, result: one, style: CLIENT_STYLES[one.params.client] })),
  });
}
