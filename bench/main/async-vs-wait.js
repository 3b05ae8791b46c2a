/** @import { BenchmarkResult, CaseParams, CaseResult } from '../../src/result/schema.js' */
/** @import { Chart } from '../../src/report/charts/chart.js' */
import { clientNames, clientTitle } from '../../src/registry/clients.js';
import { intervalNote } from '../../src/report/charts/against.js';
import { dotChart } from '../../src/report/charts/dots.js';
import { percentileCurves } from '../../src/report/charts/percentiles.js';
import { clientStyle, modeStyle } from '../../src/report/charts/styles.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { headlinePace, headlinePrecision, TEXTS, WAIT_MODES, WAITS } from './headline.js';

/** @import { Benchmark } from '../../src/run/types.js' */

/** The article's client, and how it waits. */
const ARTICLE = Object.freeze({ client: 'redis', waitMode: 'sequential' });

/** @type {Benchmark} */
export default {
  name: 'async-vs-wait',
  ...TEXTS['async-vs-wait'],
  kind: 'load',
  turns: true,
  // A p99.9 needs thousands of writes.
  pace: (profile) => headlinePace(profile, 0.12),
  precision: (profile) => headlinePrecision(profile, 35),
  cases: ({ client, profile }) =>
    (client ? [client] : clientNames)
      .flatMap((name) => [
        makeCase({ client: name }),
        ...WAITS.flatMap((wait) =>
          WAIT_MODES.map((waitMode) => makeCase({ client: name, wait, waitMode }, { wait: 0 })),
        ),
      ])
      .filter(({ params }) => client || profile.name !== 'quick' || isQuick(params)),
  table: [column.client, column.wait, column.waitMode, ...column.MEASURED],
  charts: (result) => [
    throughputDots(result),
    percentileCurves(result, {
      what: 'through native',
      curves: result.cases
        .filter(({ params }) => params.client === 'native')
        .map((one) => ({ name: waitTitle(one.params), result: one, style: modeStyle(one.params) })),
    }),
  ],
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {CaseParams} params @returns {boolean} the servers through `native`, and the article’s client as the article used it */
function isQuick({ client, wait, waitMode }) {
  return client === 'native' || (client === ARTICLE.client && (wait === 0 || waitMode === ARTICLE.waitMode));
}

/** @param {CaseParams} params */
function waitTitle(params) {
  return params.wait === 0 ? 'async' : `WAIT ${params.wait}, ${params.waitMode}`;
}

/** @param {BenchmarkResult} result @returns {Chart | null} a row for each mode, which compares the clients */
function throughputDots({ name, cases }) {
  const rowOf = (/** @type {CaseResult} */ { params }) => waitTitle(params);
  return dotChart({
    id: `${name}.throughput`,
    ...TEXTS.charts.throughput,
    note: intervalNote(cases),
    rows: [...new Set(cases.map(rowOf))],
    series: clientNames.map((client) => ({ name: clientTitle(client), style: clientStyle(client) })),
    value: (row, client) =>
      cases.find((one) => rowOf(one) === row && clientTitle(one.params.client) === client)?.summary.throughput,
  });
}
