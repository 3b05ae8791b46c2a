/** @import { CaseResult } from '../../src/result/schema.js' */

import { count } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { DEFAULT_PARAMS, makeCase } from '../../src/run/case.js';
import { TEXTS } from './headline.js';

/** @import { Benchmark } from '../../src/run/types.js' */

/** The article's client and WAIT after the writes were answered. It does not state the size of its values. */
const CONDITIONS = Object.freeze({
  client: /** @type {const} */ ('redis'),
  payloadBytes: 256,
  waitMode: /** @type {const} */ ('sequential'),
});
/** Writes in a pipeline or a transaction. */
const DEPTHS = [1, 10, 50, 100];
const CONNECTIONS = [1, 10, 50, 100];
const WAITS = [0, 1, 2];
/** Milliseconds; 0: WAIT returns when the replica has confirmed, however long that takes. */
const TIMEOUTS = [0, 1, 10, 100, 1000];

/** @type {Benchmark} */
export default {
  name: 'first-article',
  ...TEXTS['first-article'],
  profiles: ['standard', 'full'],
  kind: 'load',
  turns: true,
  cases: ({ client = CONDITIONS.client }) => {
    const conditions = { ...CONDITIONS, client };
    const cases = [
      ...DEPTHS.flatMap((pipeline) => WAITS.map((wait) => makeCase({ ...conditions, pipeline, wait }, { wait: 0 }))),
      // `native` sends no transactions.
      ...(client === 'native' ? [] : DEPTHS).flatMap((pipeline) =>
        WAITS.map((wait) => makeCase({ ...conditions, pipeline, wait, grouping: 'multi' }, { wait: 0 })),
      ),
      ...CONNECTIONS.map((connections) => makeCase({ ...conditions, connections })),
      ...TIMEOUTS.map((waitTimeoutMs) =>
        makeCase({ ...conditions, wait: 1, waitTimeoutMs }, { wait: 0, waitTimeoutMs: undefined }),
      ),
    ];
    return [...new Map(cases.map((one) => [one.id, one])).values()];
  },
  table: [
    column.batch,
    column.connections,
    column.wait,
    column.right('timeout', ({ params }) => (params.wait === 0 ? '' : `${count(params.waitTimeoutMs)} ms`)),
    column.notAcked,
    ...column.MEASURED,
  ],
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(canConfirm) })],
};

/** @param {CaseResult} one @returns {boolean} false: its timeout is there to be too short */
function canConfirm({ params: { wait, waitTimeoutMs } }) {
  return wait === 0 || waitTimeoutMs === 0 || waitTimeoutMs >= DEFAULT_PARAMS.waitTimeoutMs;
}
