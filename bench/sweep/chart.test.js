import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionChart } from './chart.js';
import { decisionRows } from './decision.js';
import { sweepResultOf } from './decision-fixture.js';

test('without losses there is no chart', () => {
  assert.equal(decisionChart(decisionRows(sweepResultOf([{ mode: 'async' }, { mode: 'wait1' }]))), null);
});
