import { clientNames } from '../src/client/index.js';
import { intervalNote } from '../src/report/charts/against.js';
import { dotChart } from '../src/report/charts/dots.js';
import { percentileCurves } from '../src/report/charts/percentiles.js';
import { CLIENT_STYLES, levelStyle } from '../src/report/charts/styles.js';
import * as column from '../src/report/columns.js';
import { costFinding } from '../src/report/findings.js';
import { bytes } from '../src/report/format.js';
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
  charts: (result) => [
    caseDots(result),
    percentileCurves(result, {
      what: 'of 64 B values through native',
      curves: result.cases
        .filter(({ params }) => params.payloadBytes === PAYLOADS[0] && params.client === 'native')
        .map((one) => ({ name: levelAndHabit(one.params), result: one, style: levelStyle(one.params) })),
    }),
  ],
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

/** @param {import('../src/run/types.js').CaseParams} params */
function levelAndHabit({ wait, habit }) {
  return wait === 0 ? 'async' : `WAIT ${wait}, ${habit === 'one-flush' ? 'in one flush' : 'awaited'}`;
}

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/report/charts/types.js').Chart | null} each row compares the clients, its neighbours the levels
 */
function caseDots({ name, cases }) {
  const rowOf = (/** @type {import('../src/run/types.js').CaseResult} */ { params }) =>
    `${bytes(params.payloadBytes)}, ${levelAndHabit(params)}`;
  return dotChart({
    id: `${name}.throughput`,
    title: 'Throughput by level and client, one write at a time',
    note: intervalNote(cases),
    rowName: 'case',
    rows: [...new Set(cases.map(rowOf))],
    series: clientNames.map((client) => ({ name: client, style: CLIENT_STYLES[client] })),
    value: (row, client) => cases.find((one) => rowOf(one) === row && one.params.client === client)?.summary.throughput,
    axis: 'acked writes a second',
    format: 'rate',
  });
}
