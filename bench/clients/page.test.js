import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { tablesIn } from '../../test/figures/shown.js';
import clients from './index.js';

/** @import { AuditResult } from '../../src/result/failure-schema.js' */

const STAYS = 'driver.stays';
const LEAVES = 'driver.leaves';
const NAMES = ['failover-aware', STAYS, LEAVES];

/** @param {string} mode @param {Record<string, Partial<AuditResult>>} figures by writer */
function caseOf(mode, figures) {
  /** @type {import('../../src/result/failure-schema.js').TrialEvent} */
  const demoted = { at: 12_003, by: 'harness', kind: 'demoted', node: 'redis-1' };
  const trial = trialOf(mode, { names: NAMES });
  return {
    mode,
    audits: NAMES.map((writer) =>
      auditOf(mode, {
        writer,
        appliedTwice: writer === 'failover-aware' ? null : 0,
        ...(mode !== 'async' && { falseAcks: 0 }),
        ...figures[writer],
      }),
    ),
    trials: [{ ...trial, events: [...trial.events, demoted] }],
  };
}

/** @param {Parameters<typeof failureBenchmarkOf>[1]} cases */
function pageOf(cases) {
  const failover = failureBenchmarkOf('clients-failover', cases);
  for (const { params } of failover.cases) Object.assign(params, { mode: params.mode, rate: 1000 });
  return renderFrontPage(failureResultOf([failover]), [clients], NAMED_FIGURES);
}

test('a library that loses until the demotion stays with the old primary; one whose WAIT runs elsewhere is named', () => {
  const page = pageOf([
    caseOf('async', { [STAYS]: { ackedLost: 10_900 }, [LEAVES]: { ackedLost: 1000, unavailableMs: null } }),
    caseOf('wait1', { [LEAVES]: { falseAcks: 10_000, appliedTwice: 3 } }),
  ]);
  assert.match(
    page,
    /^- Without `WAIT` 1 of 2 libraries stay with the old primary .* up to 10\.9 s; others 1\.00 s or more\.$/m,
  );
  assert.match(page, /count proves nothing: leaves\.$/m);
  assert.match(
    page,
    / leaves: repeat silently; some writes were applied twice\. Never wrote again: leaves \(after 1 failure\)\./,
  );
  const table = tablesIn(page).find(({ heading }) => heading === 'Libraries');
  assert.deepEqual(
    table?.rows.map((row) => row.slice(0, 2)),
    [
      ['stays', '10.9 s'],
      ['leaves', '1.00 s'],
    ],
  );
});

test('without a loss nothing is said about staying libraries', () => {
  const page = pageOf([caseOf('async', {})]);
  assert.match(page, /^- Without `WAIT` 0 of 2 libraries stay with the old primary after SENTINEL FAILOVER\.$/m);
  assert.doesNotMatch(page, /proves nothing|applied twice/);
});
