import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { failureOverview } from './charts.js';

/** @import { Chart } from '../../src/report/charts/chart.js' */

/** @param {Chart} chart row → column → shown */
function cellsOf({ rows }) {
  /** @type {Record<string, Record<string, unknown>>} */
  const cells = {};
  for (const [row, column, , shown] of rows) cells[String(row)] = { ...cells[String(row)], [String(column)]: shown };
  return cells;
}

test('heat maps: a measured zero is shown, an empty square was not measured; of outages, clients alike share a row', () => {
  const both = (/** @type {string} */ id, some = {}) =>
    ['sticky', 'failover-aware'].map((writer) => auditOf(id, { writer: /** @type {'sticky'} */ (writer), ...some }));
  // Writes came back for a while, so the outage without an end is only the rest.
  const gone = trialOf('wait1');
  for (const { acked } of gone.writers) acked.fill(0, 30);
  const killed = failureBenchmarkOf('primary-killed', [
    { mode: 'async', audits: both('async'), trials: [trialOf('async')] },
    { mode: 'wait1', audits: both('wait1', { unavailableMs: null }), trials: [gone] },
  ]);
  const partitioned = failureBenchmarkOf('primary-partition', [
    {
      mode: 'async',
      audits: [auditOf('async', { ackedLost: 2500 }), auditOf('async', { writer: 'failover-aware', unavailableMs: 7 })],
    },
  ]);
  const [unavailable] = failureOverview(failureResultOf([killed, partitioned]));
  assert.deepEqual(cellsOf(unavailable), {
    'primary killed': { async: '1.20 s', 'WAIT 1': '>2.00 s' },
    'network partition: sticky': { async: '1.20 s\nlost 2.50 s' },
    'network partition: failover-aware': { async: '7.00 ms' },
  });
  const values = unavailable.rows.map(([, , value, , outage, lost]) => [value, outage, lost]);
  assert.deepEqual(values[2], [2500, 1200, 2500], 'a short outage with a long loss has the colour of the loss');
  assert.equal(
    unavailable.alt,
    'Writes lost meanwhile in 1 of 4. Longest outage without a loss: >2.00 s, in primary killed with WAIT 1.',
  );
});
