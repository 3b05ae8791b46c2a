import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import linkLoss from '../../../bench/link/loss.js';
import { shortfallCharts } from '../../../bench/link/shortfall-charts.js';
import { persistenceCharts } from '../../../bench/persistence/chart.js';
import { persisted, persistenceOf, storageInfos, WITH_AOF } from '../../../bench/persistence/fixture.js';
import { renderSvg } from '../document.js';
import { caseOf, roundOf } from '../fixture.js';

/**
 * @import { CaseResult } from '../../result/schema.js'
 * @import { Chart } from './chart.js'
 */

/**
 * @param {Chart[]} charts
 * @param {string} id
 */
function chartOf(charts, id) {
  const chart = charts.find((each) => each.id === id);
  assert.ok(chart, `${id} of ${charts.map((each) => each.id)}`);
  assert.match(renderSvg(chart, 'dark'), /^<svg/);
  return chart;
}

/** @param {string} name @param {CaseResult[]} cases */
const benchmarkOf = (name, cases) => ({
  ...{ name, question: 'What?', status: /** @type {const} */ ('ok'), cases, findings: [], checks: [] },
});

describe('persistence', () => {
  const slow = { storage: 'slow' };
  const get = /** @type {const} */ ({ operation: 'get' });
  const cases = [
    persisted('off', {}, { writes: 3000, medianNs: 1.2e6 }),
    persisted('everysec', {}, { writes: 1500, medianNs: 2.4e6, counters: WITH_AOF }),
    persisted('off', slow, { writes: 3000, medianNs: 1.2e6 }),
    persisted('everysec', slow, { writes: 300, medianNs: 12e6, counters: WITH_AOF }),
    persisted('off', get, { writes: 3000, medianNs: 1.2e6 }),
    persisted('everysec', get, { writes: 3000, medianNs: 1.2e6, counters: WITH_AOF }),
  ];

  test('a row for each load and setting, a symbol for each storage; emulated storage is marked', () => {
    const charts = persistenceCharts(persistenceOf(cases), { storage: storageInfos() });
    const { columns, rows, note } = chartOf(charts, 'persistence.throughput');
    assert.match(
      note ?? '',
      /^(One round|Median over the rounds with its range of \d rounds)/,
      'few rounds are no 95% interval',
    );
    assert.deepEqual(
      columns.filter((_, i) => i % 3 === 1).map(({ name }) => name),
      ['tmp', 'slow (emulated)'],
    );
    assert.deepEqual(
      rows.map(([title, tmp, , , other]) => [title, tmp, other]),
      [
        ['SET: AOF everysec', 0.5, 0.1],
        ['GET: AOF everysec', 1, null],
      ],
    );
  });
});

describe('link', () => {
  const sample = (/** @type {number} */ afterMs, /** @type {number | null} */ lagBytes) => ({
    ...{ afterMs, lagBytes, lagSeconds: 0, bufferBytes: 0, senderMemoryBytes: 1 },
    state: /** @type {'away' | 'online'} */ (lagBytes === null ? 'away' : 'online'),
  });

  test('the lag has a gap while the replica is away, a mark before it, and the predicted line until then', () => {
    const link = {
      ...{ writes: 1, streamBytes: 1, demandBytesPerSecond: 4_000_000, limitBytesPerSecond: 3_000_000 },
      samples: [sample(0, 0), sample(1000, 900_000), sample(2000, null), sample(3000, 500)],
    };
    const cases = [caseOf('short', { linkShare: 0.75 }, [roundOf({ link })])];
    const { rows, alt } = chartOf(shortfallCharts(benchmarkOf('link-shortfall', cases)), 'link-shortfall.lag');
    assert.deepEqual(rows, [
      [0, 0, 0, null],
      [1, 900_000, 1_000_000, 900_000],
      [2, null, null, null],
      [3, 500, null, null],
    ]);
    assert.match(alt, /at most 879 KiB behind, 977 KiB a second by arithmetic, disconnected after 2\.00 s/);
  });

  test('the stages of an outage add up to the time until the replica had everything', () => {
    const outage = /** @type {const} */ ({ noticedMs: 20, tunnelMs: 140, awayMs: 640, behindMs: 700 });
    const link = { writes: 1, streamBytes: 1, demandBytesPerSecond: 1, outage: { ...outage, restarts: 1 } };
    const cases = /** @type {const} */ (['partial', 'full']).map((resync, i) =>
      caseOf(resync, { tunnel: 'ssh', restartAfterMs: i }, [
        roundOf({ link: { ...link, outage: { ...link.outage, resync } } }),
      ]),
    );
    const { rows } = chartOf(
      /** @type {Chart[]} */ (linkLoss.charts?.(benchmarkOf('link-loss', cases), /** @type {any} */ ({})) ?? []),
      'link-loss.away',
    );
    const [title, ...stages] = rows[0];
    assert.equal(title, 'ssh, again at once, backlog 0 B');
    assert.deepEqual(
      stages.map((stage) => (typeof stage === 'number' ? Number(stage.toFixed(3)) : stage)),
      [0.14, 0.5, 0.06, 'partial'],
    );
  });
});
