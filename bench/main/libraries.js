/** @import { BenchmarkResult, CaseParams } from '../../src/result/schema.js' */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverWriter } from '../../src/drivers/writer-name.js';
import { interval, rate } from '../../src/format.js';
import { keysOfDriver } from '../../src/load/driver-load.js';
import { clientTitle } from '../../src/registry/clients.js';
import { table } from '../../src/report/blocks.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { TEXTS } from './headline.js';

/** @import { Benchmark, Pace } from '../../src/run/types.js' */

/** Writes that an application has under way. */
const UNDER_WAY = [1, 100];
const WAITS = [0, 1];
/** @type {Pace} the runtimes of Java and others compile while they warm up */
const PACE = { rounds: 3, seconds: 1, warmUpSeconds: 1.5 };
const REFERENCE = 'native';

/** @type {Benchmark} */
export default {
  name: 'libraries',
  ...TEXTS.libraries,
  profiles: ['full'],
  kind: 'load',
  pace: () => PACE,
  cases: ({ client }) =>
    UNDER_WAY.flatMap((connections) =>
      (client ? [client] : [REFERENCE, ...driversThere()]).flatMap((name) =>
        WAITS.map((wait) =>
          makeCase({ client: name, connections, wait, waitMode: 'sequential', ...keysOf(name) }, { wait: 0 }),
        ),
      ),
    ),
  table: [
    column.client,
    column.right('under way', ({ params }) => String(params.connections)),
    column.wait,
    ...column.MEASURED,
  ],
  details: (result) => [libraryTable(result)],
  findings: () => [],
  checks: (result) => [everyWriteAcked(result)],
};

/** @returns {string[]} the clients of all drivers that can run */
function driversThere() {
  return readLanguages().flatMap(({ drivers }) =>
    drivers.filter(({ missing }) => missing === null).map(({ name }) => driverWriter(name)),
  );
}

/** @param {string} client @returns {Pick<CaseParams, 'keyspace'>} a driver writes each key once */
function keysOf(client) {
  return client.startsWith(driverWriter('')) ? { keyspace: keysOfDriver(PACE) } : {};
}

/** @param {BenchmarkResult} result */
function libraryTable({ cases }) {
  const clients = [...new Set(cases.map(({ params }) => params.client))];
  const shapes = WAITS.flatMap((wait) => UNDER_WAY.map((connections) => ({ wait, connections })));
  return table(
    [
      column.left('library', (/** @type {string} */ client) => clientTitle(client)),
      ...shapes.map((shape) =>
        column.right(
          `${shape.wait ? 'SET + WAIT 1' : 'SET'}, ${shape.connections} under way`,
          (/** @type {string} */ client) => {
            const one = cases.find(
              ({ params }) =>
                params.client === client && params.wait === shape.wait && params.connections === shape.connections,
            );
            return one ? interval(one.summary.throughput, rate) : column.TOO_FEW;
          },
        ),
      ),
    ],
    clients,
  );
}
