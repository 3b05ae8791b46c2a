import { clientNames } from '../src/client/index.js';
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
  findings: (result) =>
    result.cases
      .filter(({ params }) => params.client !== 'native' && (params.pipeline > 1 || params.connections > 1))
      .map(({ id, params: { client, pipeline, connections } }) =>
        costFinding(result, id, {
          what: `\`${client}\` instead of \`native\``,
          where: `at batch ${pipeline} and ${connections} connection${connections === 1 ? '' : 's'}`,
        }),
      )
      .filter((finding) => finding !== null),
  checks: (result) => [everyWriteAcked(result)],
};
