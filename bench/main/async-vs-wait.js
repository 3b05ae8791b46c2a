/** What WAIT costs when it follows every single write, through each client. */
/** @import { BenchmarkResult, CaseOptions, CaseParams, CaseResult } from '../types.js' */
import { clientNames, clientTitle } from '../../src/registry/clients.js';
import { intervalNote } from '../../src/report/charts/against.js';
import { dotChart } from '../../src/report/charts/dots.js';
import { clientStyle } from '../../src/report/charts/styles.js';
import { roundsOf, TEXTS } from './rounds.js';

/** The article's client, and how it waits. */
const ARTICLE = Object.freeze({ client: 'redis', waitMode: 'sequential' });
const every = roundsOf('async-vs-wait');

export default roundsOf('async-vs-wait', {
  cases: (/** @type {CaseOptions} */ options) =>
    every.cases(options).filter(({ params }) => options.client || options.profile.name !== 'quick' || isQuick(params)),
  charts: (result) => [throughputDots(result)],
});

/** @param {CaseParams} params @returns {boolean} the servers through `native`, and the article’s client as the article used it */
function isQuick({ client, wait, waitMode }) {
  return client === 'native' || (client === ARTICLE.client && (wait === 0 || waitMode === ARTICLE.waitMode));
}

/** @param {CaseParams} params */
function waitTitle(params) {
  return params.wait === 0 ? 'async' : `WAIT ${params.wait}, ${params.waitMode}`;
}

/** @param {BenchmarkResult} result a row for each mode, which compares the clients */
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
