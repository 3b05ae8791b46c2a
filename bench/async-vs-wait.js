import { clientNames } from '../src/client/index.js';
import * as column from '../src/report/columns.js';
import { costFinding } from '../src/report/findings.js';
import { makeCase } from '../src/run/case.js';
import { everyWriteAcked } from '../src/run/checks.js';

const PAYLOADS = [64, 1024];
const WAITS = [1, 2];
const HABITS = /** @type {const} */ (['one-flush', 'awaited']);

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'async-vs-wait',
  suite: 'main',
  question: 'What does WAIT cost when it follows every single write?',
  method:
    'One connection writes one value at a time. With WAIT, the write and its WAIT leave in one flush, or WAIT is sent ' +
    'only when the write has been answered, as code that awaits each call does.',
  needs: [],
  generator: 'writes',
  cases: ({ client }) =>
    (client ? [client] : clientNames).flatMap((name) =>
      PAYLOADS.flatMap((payloadBytes) => [
        makeCase({ client: name, payloadBytes }),
        ...WAITS.flatMap((wait) =>
          HABITS.map((habit) => makeCase({ client: name, payloadBytes, wait, habit }, { wait: 0 })),
        ),
      ]),
    ),
  table: [column.client, column.payload, column.wait, column.habit, ...column.MEASURED],
  findings: (result) =>
    result.cases
      // All of native's, and for the libraries what most applications do.
      .filter(({ params }) => params.payloadBytes === PAYLOADS[0])
      .filter(({ params: { client, wait, habit } }) => client === 'native' || (wait === 1 && habit === 'awaited'))
      .map(({ id, params: { client, wait, habit } }) =>
        costFinding(result, id, {
          what: `WAIT ${wait} ${habit === 'one-flush' ? 'in one flush with each write' : 'awaited after each write'}`,
          where: `through \`${client}\``,
        }),
      )
      .filter((finding) => finding !== null),
  checks: (result) => [everyWriteAcked(result)],
};
