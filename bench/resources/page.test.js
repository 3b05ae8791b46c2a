import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES, resultOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { resourcesOf } from '../../src/report/resource-fixture.js';
import { tablesIn } from '../../test/figures/shown.js';
import suite from './index.js';

/** @param {(id: string) => boolean} chosen ids of cases */
function rendered(chosen) {
  const benchmark = resourcesOf();
  benchmark.cases = benchmark.cases.filter(({ id }) => chosen(id));
  const page = renderFrontPage({ ...resultOf(), benchmarks: [benchmark] }, [suite], NAMED_FIGURES);
  assert.doesNotMatch(page, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

test('the page says what moves to the replicas, and how many bytes a write takes', () => {
  const page = rendered(() => true);
  assert.match(page, /^- Reads sent to 1 replica free the primary: 2\.0% of a core instead of 90%\./m);
  assert.match(page, /one of 1 KiB sends 1\.06 KiB to every replica/);
  assert.equal(tablesIn(page)[0].rows.length, 9);
});

test('a case alone is compared with nothing, and a run without a case has a page', () => {
  const page = rendered((id) => id === 'set-0');
  assert.doesNotMatch(page, /^- (Reads|Writes:)/m);
  assert.equal(tablesIn(page)[0].rows.length, 1);
  assert.match(
    rendered(() => false),
    /^Nothing was measured\.$/m,
  );
});
