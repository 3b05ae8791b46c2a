import { count } from '../../src/format.js';
import { chartAgainst } from '../../src/report/charts/against.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { TEXTS } from './headline.js';

/** @import { Benchmark } from '../../src/run/types.js' */

const CONNECTIONS = [1, 10, 50, 100];
const WAITS = [0, 1];
const STEPS = /** @type {const} */ ({ by: 'connections', what: 'connections', label: count });

/** @type {Benchmark} */
export default {
  name: 'concurrency',
  ...TEXTS.concurrency,
  kind: 'load',
  pace: (profile) => (profile.name === 'quick' ? { rounds: 7, seconds: 0.12, warmUpSeconds: 0.03 } : profile),
  cases: ({ client }) =>
    CONNECTIONS.flatMap((connections) => WAITS.map((wait) => makeCase({ client, connections, wait }, { wait: 0 }))),
  table: [column.connections, column.wait, ...column.MEASURED],
  charts: (result) => [chartAgainst('throughput', result, STEPS), chartAgainst('p99', result, STEPS)],
  checks: (result) => [everyWriteAcked(result)],
};
