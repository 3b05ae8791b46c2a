import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionChart, sweepRisk } from './chart.js';
import { decisionRows } from './decision.js';
import { sweepResultOf } from './decision-fixture.js';

test('without losses there is no chart', () => {
  assert.equal(decisionChart(decisionRows(sweepResultOf([{ mode: 'async' }, { mode: 'wait1' }]))), null);
});

test('ten trials a fault: the risk of a loss by mode and fault, the safest mode on top', () => {
  const trials = (/** @type {number} */ losing) => Array.from({ length: 10 }, (_, i) => (i < losing ? 500 : 0));
  const rows = decisionRows(
    sweepResultOf([
      { mode: 'async', lostOnPartition: trials(9), lostOnKill: trials(0) },
      { mode: 'wait1', lostOnPartition: trials(0), lostOnKill: trials(0) },
      { mode: 'wait2', lostOnPartition: [0, 0], lostOnKill: [0, 0] },
    ]),
  );
  const chart = sweepRisk(rows);
  assert.deepEqual(
    chart?.rows.map(([mode, fault, , shown]) => [mode, fault, shown]),
    [
      ['WAIT 1', 'primary killed', '0 of 10\n≤26%'],
      ['WAIT 1', 'network partition', '0 of 10\n≤26%'],
      ['async', 'primary killed', '0 of 10\n≤26%'],
      ['async', 'network partition', '9 of 10\n55–99.7%'],
    ],
  );
  assert.match(chart?.alt ?? '', /^Losses in 1 of 4 .*most often 9 of 10 trials, 55–99\.7%, in async with network/);
});
