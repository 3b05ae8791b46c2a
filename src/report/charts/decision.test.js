import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweepResultOf } from '../decision-fixture.js';
import { decisionCharts } from './decision.js';
import { renderSvg } from './svg.js';

test('who lost nothing stands in rows of its own, the cheapest first; what was not measured is named', () => {
  const charts = decisionCharts(
    sweepResultOf([
      { level: 'async', throughput: [1000, 1000], lostOnCut: [900], lostOnKill: [0] },
      { level: 'wait2', throughput: [300, 1000], lostOnCut: [0], lostOnKill: [0] },
      { level: 'wait1', throughput: [500, 1000], lostOnCut: [0], lostOnKill: [0] },
      { level: 'aof', throughput: [800, 1000] },
    ]),
  );
  assert.deepEqual(
    charts.map(({ id }) => id),
    ['decision.cut'],
    'of a kill there are zeros only, which a sentence tells',
  );
  const [chart] = charts;
  assert.deepEqual(chart.option.yAxis[1].data, ['WAIT 1', 'WAIT 2']);
  const share = chart.columns.findIndex(({ name }) => name === 'lost, share');
  assert.deepEqual(
    chart.rows.map((row) => [row[0], Number(row[share]) > 0]),
    [
      ['async', true],
      ['WAIT 1', false],
      ['WAIT 2', false],
    ],
  );
  assert.match(chart.alt, /^Nothing was lost by WAIT 1 \(0 of .*\), WAIT 2 .* the cheapest of them, WAIT 1 kept 51 %/);
  assert.match(
    chart.note ?? '',
    /When the primary was killed none of the 3 measured lost anything\. Losses not measured: AOF everysec\.$/,
  );
  const svg = renderSvg(chart, 'light');
  assert.match(svg, /none lost/);
  // Each name once: a point of one plot is not drawn in the other.
  for (const name of ['async', 'WAIT 2']) assert.equal(svg.split(`>${name}</text>`).length, 2, name);
});

test('without losses of anybody there is no picture', () => {
  assert.deepEqual(decisionCharts(sweepResultOf([{ level: 'async' }, { level: 'wait1' }])), []);
});
