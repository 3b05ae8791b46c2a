import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDetails } from '../../src/report/details.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../../src/report/trials/fixture.js';
import { tablesIn } from '../../test/figures/shown.js';
import { ResultSchema } from '../index.js';
import semiSync from './index.js';

/** @import { AuditResult } from '../../src/result/failure-schema.js' */
/** @import { CaseVariation } from '../../src/result/variation.js' */

/**
 * @param {string} name of the failure
 * @param {Record<string, Partial<AuditResult>>} audits by mode
 * @param {CaseVariation} [variation]
 */
function inFault(name, audits, variation = {}) {
  const benchmark = failureBenchmarkOf(
    name,
    Object.entries(audits).map(([mode, audit]) => ({ mode, audits: [auditOf(mode, audit)] })),
  );
  for (const { params } of benchmark.cases) Object.assign(params, variation);
  return benchmark;
}

/** @param {ReturnType<typeof inFault>[]} benchmarks @returns {string} report.md */
function pageOf(...benchmarks) {
  const result = failureResultOf(benchmarks);
  ResultSchema.parse(result);
  const [page, details] = [renderFrontPage, renderDetails].map((render) => render(result, [semiSync], NAMED_FIGURES));
  for (const text of [page, details]) assert.doesNotMatch(text, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

const SAFE = 'after-sync-no-fallback';

test('the mode to use: what it lost and what it is for; a mistake of a failover is no failure of the mode', () => {
  const page = pageOf(
    inFault('semi-sync-partition', {
      async: { ackedLost: 2000 },
      'after-sync': { ackedLost: 1500 },
      [SAFE]: { unavailableMs: null },
    }),
    inFault('semi-sync-replica-frozen', { [SAFE]: { ackedLost: 40 } }, { setting: 'behind' }),
  );
  assert.match(page, /\*\* is silently async: it lost 1\.50 s in \*network partition\*\.$/m);
  const [{ rows }, table] = tablesIn(page);
  assert.deepEqual(rows[1].slice(0, 3), ['payments', 'semi-sync AFTER_SYNC + no fallback', '0']);
  assert.match(page, /^- \*\*payments\*\*: \*one replica frozen, .*\* \(\d+\.\d ms\)\.$/m);
  assert.deepEqual(table.header, ['fault', 'AFTER_SYNC + no fallback', 'AFTER_SYNC', 'async', 'longest outage']);
  assert.deepEqual(table.rows[0], ['network partition', '0', '1.50 s', '2.00 s', 'to the end']);
  assert.equal(table.rows[1][0], 'one replica frozen, primary killed, frozen replica promoted ‡');
});

test('a mode that nothing shows to help is not advised', () => {
  assert.match(
    pageOf(inFault('semi-sync-killed', { async: {}, [SAFE]: {} })),
    /^- No confirmed write was lost: 2 modes, /m,
  );
});

test('the kill, beside the article: phantoms are rows that only the old primary has', () => {
  const formerPrimary = { id: 'mariadb-1', present: 6000, extra: 4, extraAcked: 0, extraUntold: 4 };
  const page = pageOf(inFault('semi-sync-killed', { 'after-sync': { acked: 6000, formerPrimary } }));
  const killed = tablesIn(page).find(({ heading }) => heading === "The article's kill");
  assert.deepEqual(killed?.rows, [
    ['the article, semi-sync, 1 s', '95,233', '0', '4'],
    ['semi-sync AFTER_SYNC', '6,000', '0', '4'],
  ]);
});
