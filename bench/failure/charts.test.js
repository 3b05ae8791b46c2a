import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../src/facts/query.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { suiteTerms } from '../facts.js';
import { outageMap } from './charts.js';

/** @import { Chart } from '../../src/report/charts/chart.js' */

/** @param {Chart} chart row → column → shown */
function cellsOf({ rows }) {
  /** @type {Record<string, Record<string, unknown>>} */
  const cells = {};
  for (const [row, column, , shown] of rows) cells[String(row)] = { ...cells[String(row)], [String(column)]: shown };
  return cells;
}

test('heat maps: a measured zero is shown, an empty square was not measured; of several lengths the worst counts', () => {
  const killed = failureBenchmarkOf('primary-killed', [
    { mode: 'async', audits: [auditOf('async')], trials: [trialOf('async')] },
    { mode: 'wait1', audits: [auditOf('wait1', { unavailableMs: null })], trials: [trialOf('wait1')] },
  ]);
  const partitioned = failureBenchmarkOf('primary-partition', [
    { mode: 'async', audits: [auditOf('async', { ackedLost: 2500, unavailableMs: 0 })] },
    {
      id: 'async-plus-500ms',
      mode: 'async',
      variation: { length: 'plus-500ms' },
      audits: [auditOf('async-plus-500ms', { unavailableMs: 7 })],
    },
  ]);
  const unavailable = /** @type {Chart} */ (outageMap(rowsOf(failureResultOf([killed, partitioned]), suiteTerms)));
  assert.deepEqual(cellsOf(unavailable), {
    'primary killed': { async: '1.20 s', 'WAIT 1': 'to the end' },
    'network partition': { async: '7.00 ms' },
  });
  assert.equal(unavailable.alt, 'Longest: to the end, in primary killed with WAIT 1.');
});
