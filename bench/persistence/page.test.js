import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { tablesIn } from '../../test/figures/shown.js';
import { persisted, persistenceOf, storageInfos, WITH_AOF } from './fixture.js';
import persistence from './index.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

/** @param {CaseResult[]} cases @returns {string} report.md */
function pageOf(cases) {
  const result = { ...resultOf(), benchmarks: [persistenceOf(cases)], storage: storageInfos() };
  const page = renderFrontPage(result, [persistence], NAMED_FIGURES);
  assert.doesNotMatch(page, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

const off = persisted('off', {}, { writes: 3000, medianNs: 1.2e6 });
const aof = (/** @type {string} */ mode, medianNs = 30e6) =>
  persisted(mode, {}, { writes: 600, medianNs, counters: WITH_AOF });

test("the article's figure is beside ours", () => {
  const [set] = tablesIn(pageOf([off, aof('everysec-thresholds'), aof('always')]));
  assert.deepEqual(set.header.filter((title) => title === 'theirs').length, 3);
  assert.deepEqual(
    set.rows.map((row) => [row[0], row.at(-1)]),
    [
      ['tmp, everysec, RDB', '103 ms'],
      ['tmp, always', '–'],
    ],
  );
});

test('whether tuning helps p99 is decided by intervals', () => {
  const tuned = (/** @type {number} */ second) =>
    pageOf([
      off,
      aof('everysec-thresholds'),
      aof('everysec-thresholds-tuning-1'),
      aof('everysec-thresholds-tuning-2', second),
    ]);
  assert.match(tuned(30e6), /^- Tuning AOF everysec does not help p99: /m);
  assert.match(tuned(3e6), /^- Tuning AOF everysec shortens p99: /m);
});

test('nothing measured, and storage that the result does not describe', () => {
  assert.match(pageOf([]), /^Nothing was measured\.$/m);
  assert.doesNotMatch(pageOf([off]), /three copies/);
});
