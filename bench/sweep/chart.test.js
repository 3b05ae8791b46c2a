import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { renderSvg } from '../../src/report/document.js';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
import { decisionChart, sweepRisk } from './chart.js';
import { sweepResultOf } from './decision-fixture.js';

const SAMPLE = fileURLToPath(new URL('../../results/sample/config-sweep', import.meta.url));

test('a mode a row, the safest and cheapest on top; seconds lost beside the cost in throughput', () => {
  const chart = decisionChart(
    sweepResultOf([
      { mode: 'async', throughput: [1000, 1000], lostOnPartition: [900], lostOnKill: [0] },
      { mode: 'wait2', throughput: [300, 1000], lostOnPartition: [0], lostOnKill: [0] },
      { mode: 'wait1', throughput: [500, 1000], lostOnPartition: [0], lostOnKill: [0] },
      { mode: 'aof', throughput: [800, 1000] },
    ]),
  );
  assert.ok(chart);
  assert.equal(chart.rows[2][1], 0, 'async costs nothing');
  const seconds = chart.columns.findIndex(({ name }) => name === 'lost in the worst fault');
  assert.deepEqual(
    chart.rows.map((row) => [row[0], row[seconds]]),
    [
      ['WAIT 1', 0],
      ['WAIT 2', 0],
      ['async', 0.9],
    ],
    'AOF has no failure trials, so it has no row',
  );
  assert.match(
    chart.alt,
    /^2 of 3 modes lost nothing\. Cheapest without a loss: WAIT 1, cost 4\d%.*Most lost: async, 0\.9 s\.$/,
  );
  assert.ok(chart.alt.length <= 150);
  const svg = renderSvg(chart, 'light');
  for (const name of ['async', 'WAIT 2']) assert.equal(svg.split(`>${name}</text>`).length, 2, name);
});

test('a mode that lost everything in a fault has a full bar in the darkest colour', async () => {
  const chart = decisionChart(await readResult(SAMPLE, ResultSchema));
  assert.ok(chart);
  const [lost, everything, faults] = ['lost in the worst fault', 'lost everything', 'lost everything in'].map((name) =>
    chart.columns.findIndex((each) => each.name === name),
  );
  assert.match(chart.alt, /^1 of 9 modes lost nothing\. 4 lost everything in a fault\./);
  const emptied = chart.rows.find(([mode]) => mode === 'WAIT 2');
  assert.match(String(emptied?.[faults]), /fast restart/);
  assert.equal(emptied?.[lost], null);
  const others = chart.rows.map((row) => Number(row[lost] ?? 0));
  assert.ok(Number(emptied?.[everything]) > Math.max(...others), 'longer than every bar of seconds');
  const persistent = chart.rows.find(([mode]) => mode === 'AOF everysec');
  assert.deepEqual([persistent?.[faults], persistent?.[everything]], ['', null]);
  const svg = renderSvg(chart, 'light');
  assert.match(svg, />ALL<\/text>/);
  assert.match(svg, />seconds lost in the worst fault; dark: everything<\/text>/);
});

test('modes that lost everything, and nothing in other faults, have a chart', () => {
  const chart = decisionChart(
    sweepResultOf([
      { mode: 'async', throughput: [1000, 1000], lost: { restart: [1000] } },
      { mode: 'wait2', throughput: [300, 1000], lost: { restart: [1000] } },
    ]),
  );
  assert.equal(chart?.rows.length, 2);
  assert.equal(chart?.alt, 'All 2 modes lost writes. 2 lost everything in a fault.');
});

test('without losses there is no chart', () => {
  assert.equal(decisionChart(sweepResultOf([{ mode: 'async' }, { mode: 'wait1' }])), null);
});

test('ten trials a fault: the risk of a loss by mode and fault, the safest mode on top', () => {
  const trials = (/** @type {number} */ losing) => Array.from({ length: 10 }, (_, i) => (i < losing ? 500 : 0));
  const chart = sweepRisk(
    sweepResultOf([
      { mode: 'async', lostOnPartition: trials(9), lostOnKill: trials(0) },
      { mode: 'wait1', lostOnPartition: trials(0), lostOnKill: trials(0) },
      { mode: 'wait2', lostOnPartition: [0, 0], lostOnKill: [0, 0] },
    ]),
  );
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
