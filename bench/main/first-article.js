/** What this machine reaches as the first article measured. */
/** @import { CaseResult } from '../types.js' */
import { count } from '../../src/format.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { roundsOf } from './rounds.js';

const every = roundsOf('first-article');

export default roundsOf('first-article', {
  // `native` sends no transactions.
  cases: (options) =>
    every.cases(options).filter(({ params }) => params.client !== 'native' || params.grouping === undefined),
  table: [
    column.batch,
    column.connections,
    column.wait,
    column.right('timeout', ({ params }) => (params.wait === 0 ? '' : `${count(params.waitTimeoutMs)} ms`)),
    column.notAcked,
    ...column.MEASURED,
  ],
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(canConfirm) })],
});

/** @param {CaseResult} one @returns {boolean} false: its timeout is there to be too short */
function canConfirm({ params: { wait, waitTimeoutMs } }) {
  return wait === 0 || waitTimeoutMs === 0 || waitTimeoutMs >= DEFAULT_PARAMS.waitTimeoutMs;
}
