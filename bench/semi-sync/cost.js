/** What replication costs a healthy primary. */
/** @import { CaseResult, LoadBenchmark } from '../types.js' */

import { rate } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { CustomParameters } from '../../src/run/parameters.js';
import { declaredIn } from '../pages/declared.js';
import { modeTitle, patientSettings } from './modes.js';

/** Numbers of connections: one, the article's, and one in between. */
const CONNECTIONS = [1, 10, 50];
const BASELINE = 'async';
const REPLICATED = [BASELINE, 'after-commit', 'after-sync'];
/** These modes are measured at one number of connections. */
const RELAXED = ['async-relaxed', 'after-sync-relaxed'];
const RELAXED_CONNECTIONS = 10;
/** In an open loop every mode gets the same rate, which each of them sustains on two cores. */
const OPEN_LOOP = Object.freeze({ rate: 300, connections: 10 });
const PAYLOAD_BYTES = 256;
const KEYS = 10_000;

/** @type {LoadBenchmark} */
export default {
  ...declaredIn(new URL('texts.yaml', import.meta.url))['semi-sync-cost'],
  system: 'mariadb',
  kind: 'load',
  needs: ['configure'],
  stacks: {},
  parameters: CustomParameters,
  cases: () => [
    ...CONNECTIONS.flatMap((connections) => [
      ...REPLICATED.map((mode) => costCase(mode, { connections })),
      makeCase({ ...shared('async'), mode: 'none', connections, replicas: 0 }),
    ]),
    ...RELAXED.map((mode) => costCase(mode, { connections: RELAXED_CONNECTIONS })),
    ...REPLICATED.map((mode) => costCase(mode, OPEN_LOOP)),
  ],
  table: [
    column.left('mode', ({ params }) => costTitle(params)),
    column.connections,
    column.right('asked rate', ({ params }) => (params.rate === undefined ? '' : rate(params.rate))),
    ...column.MEASURED,
  ],
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {string} mode @param {{connections: number, rate?: number}} load */
function costCase(mode, load) {
  return makeCase({ ...shared(mode), replicas: 2, mode, ...load }, { mode: BASELINE });
}

/** @param {string} mode */
function shared(mode) {
  return {
    client: /** @type {const} */ ('mysql2'),
    payloadBytes: PAYLOAD_BYTES,
    keyspace: KEYS,
    settings: patientSettings(mode),
  };
}

/** @param {CaseResult['params']} params */
function costTitle(params) {
  return params.mode === 'none' ? 'no replica' : modeTitle(params);
}
