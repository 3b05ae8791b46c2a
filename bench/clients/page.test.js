import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerTitle } from '../../src/registry/writers.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { libraryCases } from './cases.js';
import { leavingOf, librariesOf, waitsOnConnection } from './figures.js';
import clients from './index.js';

/** @import { AuditResult } from '../../src/result/failure-schema.js' */

const STAYS = 'driver.stays';
const LEAVES = 'driver.leaves';
const NAMES = ['failover-aware', STAYS, LEAVES];

/** @param {string} mode @param {Record<string, Partial<AuditResult>>} figures by writer */
function caseOf(mode, figures) {
  const demoted = { afterMs: 12_003, who: 'harness', what: 'is a replica', detail: 'redis-1' };
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
    trials: [{ ...trial, marks: [...trial.marks, demoted] }],
  };
}

const failover = failureBenchmarkOf('clients-failover', [
  caseOf('async', { [STAYS]: { ackedLost: 10_900 }, [LEAVES]: { ackedLost: 1000, unavailableMs: null } }),
  caseOf('wait1', { [STAYS]: { falseAcks: 0 }, [LEAVES]: { falseAcks: 10_000, appliedTwice: 3 } }),
]);
const killed = failureBenchmarkOf('clients-killed', [caseOf('async', { [STAYS]: { ackedLost: 5 } })]);

test('a library that loses until the demotion stays with the old primary', () => {
  const all = librariesOf([failover, killed]);
  assert.deepEqual(
    all.map(({ writer }) => writer),
    NAMES,
  );
  assert.deepEqual(
    all.map((library) => leavingOf([failover, killed], library)),
    [
      { leaves: 'soon', seconds: 0 },
      { leaves: 'no', seconds: 10.9 },
      { leaves: 'soon', seconds: 1 },
    ],
  );
  assert.deepEqual(all.map(waitsOnConnection), [true, true, false]);
});

test('the page has a table a reader understands, in at most 80 lines', () => {
  const page = renderFrontPage(failureResultOf([failover, killed]), [clients], NAMED_FIGURES);
  assert.ok(page.split('\n').length <= 80);
  assert.match(page, /1 of 2 libraries with default options stay with the old primary .* up to 10\.9 s .*: stays\./);
  assert.match(page, /`WAIT` may run on another connection .*: leaves\./);
  assert.match(page, /applied twice, because the library repeats them silently \(an INCR counts twice\): leaves\./);
  assert.match(page, /\| stays +\| no, 10\.9 s +\| not seen +\| yes +\| 10\.9 s, SENTINEL FAILOVER/);
  assert.match(page, /\| leaves +\| yes, 1\.00 s +\| yes, 3 applied twice +\| no +\|.*to the end/);
});

test('the page says which versions were measured, and what a failover by runbook lost', () => {
  const library = (/** @type {string} */ name) => ({ name, version: '1.2.3', language: 'Python 3.11' });
  const runbook = failureBenchmarkOf('clients-runbook', [
    caseOf('async', {
      [STAYS]: { ackedLost: 0, library: library('a') },
      [LEAVES]: { ackedLost: 0, library: library('b') },
    }),
  ]);
  const page = renderFrontPage(failureResultOf([failover, runbook]), [clients], NAMED_FIGURES);
  assert.match(page, /Versions\. Python 3\.11: a 1\.2\.3, b 1\.2\.3\./);
  assert.match(page, /planned-failover\.sh`: all libraries together lost 0 writes there \(1 trial a mode\)/);
});

test('without drivers the page says how to get them', () => {
  const page = renderFrontPage({ ...failureResultOf([{ ...killed, audit: [] }]) }, [clients], NAMED_FIGURES);
  assert.match(page, /sentinel-bench drivers build/);
});

test('the larger profiles add the best options, and titles have no prefix', () => {
  const idsIn = (/** @type {keyof typeof PROFILES} */ name) =>
    libraryCases({ profile: PROFILES[name] }).map(({ id }) => id);
  assert.deepEqual(idsIn('quick'), ['async', 'wait1']);
  assert.deepEqual(idsIn('standard'), ['async', 'wait1', 'async-best', 'wait1-best']);
  assert.deepEqual(['driver.redis-py', 'driver.redis-py.best', 'failover-aware'].map(writerTitle), [
    'redis-py',
    'redis-py (best)',
    'failover-aware',
  ]);
});
