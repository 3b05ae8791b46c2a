import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDetails } from '../../src/report/details.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { terminalText } from '../../src/report/terminal.js';
import { tablesIn } from '../../test/figures/shown.js';
import { sweepResultOf } from './decision-fixture.js';
import sweep, { recommender } from './index.js';

/** @import { Configuration } from './decision-fixture.js' */

/** @param {Configuration[]} [configurations] */
function rendered(configurations) {
  const result = sweepResultOf(configurations);
  const [page, details] = [renderFrontPage, renderDetails].map((render) => render(result, [sweep], NAMED_FIGURES));
  const answer = terminalText(recommender.answer(result, { batch: 1 })?.blocks ?? []);
  for (const text of [page, details, answer]) assert.doesNotMatch(text, /undefined|NaN|\[object|Infinity|null/);
  return { page, answer };
}

test('the mode that lost nothing, and its cost', () => {
  const { page, answer } = rendered([
    { mode: 'async', throughput: [20_000, 330_000], medianMs: 0.05, lostOnKill: [0], lostOnPartition: [9000] },
    {
      ...{ mode: 'wait2', throughput: [10_000, 280_000], medianMs: 0.1, lostOnKill: [0], lostOnPartition: [0] },
      oneDown: ['unsent', 0],
    },
  ]);
  assert.match(page, /^- \*\*WAIT 2\*\* lost nothing in all 2 faults, 1 trial each; the only one of 2 modes\.$/m);
  const rowsOf = (/** @type {string} */ title) => tablesIn(page).find(({ heading }) => heading === title)?.rows ?? [];
  // The partition happens 0.2 times a year.
  const rows = rowsOf('All modes');
  assert.deepEqual(
    rows.map((row) => row.slice(0, 3)),
    [
      ['WAIT 2', '0', '0'],
      ['async', '9.00 s, network partition', '1.80 s'],
    ],
  );
  assert.match(rows[0][3], /^0\.05\d ms /);
  assert.equal(rows[1][3], '0');
  assert.match(answer, /^1\. WAIT 2: 10\.0 k\/s/m);
});

test('without a mode that kept every write the closest one is named; a loss of everything is ALL', () => {
  const { page, answer } = rendered([
    { mode: 'async', throughput: [500, 1000], lostOnKill: [0], lostOnPartition: [5], lost: { restart: [1000] } },
    { mode: 'aof', throughput: [400, 1000], lostOnKill: [0], lostOnPartition: [7], lost: { restart: [0] } },
  ]);
  assert.match(
    page,
    /^- No mode kept every confirmed write\. Closest: \*\*AOF everysec\*\*, which lost in 1 of 3 faults, at most 7\.00 ms in \*network partition\*\.$/m,
  );
  assert.match(page, /^\| async +\| ALL, fast restart +\| +ALL 2×, 1\.00 ms \|/m);
  assert.match(answer, /^None of 2 configurations meets every limit\./m);
});

test('a run without faults, of one mode, or without a figure still has a page', () => {
  assert.match(
    rendered([{ mode: 'async', throughput: [500, 1000] }]).page,
    /^No mode went through a fault, so nothing is known about losses\.$/m,
  );
  rendered([{ mode: 'wait1', lostOnKill: [5] }]);
  rendered();
});
