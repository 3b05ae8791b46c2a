import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerTitle } from '../../src/registry/writers.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { BEST, libraryCases } from './cases.js';
import { leavingOf, librariesOf, waitsOnConnection } from './figures.js';
import clients from './index.js';
import { collectDrivers, collectVariants } from './options.js';

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
  assert.match(page, /1 of 2 libraries with default options \(1 trial each\) stay .* up to 10\.9 s .*: stays\./);
  assert.match(page, /`WAIT` may run on another one than the write, .*: leaves\./);
  assert.match(page, /applied twice, because the library repeats them silently \(an INCR counts twice\): leaves\./);
  assert.match(page, /\| stays +\| no, 10\.9 s +\| 10\.9 s, 2 of 2 +\| 0, 0 of 1 +\| 0 of [\d,]+ +\| 0 of [\d,]+ +\|/);
  assert.match(
    page,
    /\| leaves +\| yes, 1\.00 s +\| 1\.00 s, 1 of 2 +\|.*\| all [\d,]+ +\| 3 of [\d,]+ +\| to the end, SENTINEL FAILOVER/,
  );
  assert.match(page, /\| failover-aware \(no library\) +\| yes, 0 +\|.*\| – +\|/);
});

test('with the best options of libraries that were measured the table has their losses, too', () => {
  const best = `${STAYS}.best`;
  const measured = failureBenchmarkOf('clients-failover', [
    caseOf('async', { [STAYS]: { ackedLost: 10_900 } }),
    caseOf('async', { [STAYS]: { ackedLost: 1100 } }),
  ]);
  const [, second] = measured.cases;
  second.id = 'async-best';
  second.params.variant = BEST;
  const audits = (measured.audit ?? []).slice(NAMES.length);
  for (const audit of audits) {
    audit.case = second.id;
    if (audit.writer === STAYS) audit.writer = best;
  }
  const page = renderFrontPage(failureResultOf([measured]), [clients], NAMED_FIGURES);
  assert.match(page, /with all settings/);
  assert.match(page, /\| stays +\| no, 10\.9 s .*\| yes, 1\.10 s; 1\.10 s, 1 of 1 +\|/);
  const alone = { ...measured, cases: [second], audit: audits };
  const shown = renderFrontPage(failureResultOf([alone]), [clients], NAMED_FIGURES);
  assert.match(shown, /the best options that they offer/);
});

test('a user may choose drivers and variants', () => {
  const cases = libraryCases({
    profile: PROFILES.quick,
    parameters: { onlyDriver: ['redis-py'], driverVariant: ['best'] },
  });
  assert.deepEqual(
    cases.map(({ id }) => id),
    ['async-best', 'wait1-best'],
  );
  for (const { params } of cases) {
    assert.ok((params.writers ?? []).every((name) => ['failover-aware', 'driver.redis-py.best'].includes(name)));
  }
  const missing = 'It is not built. Run the build.';
  const languages = [{ drivers: [{ name: 'here', missing: null }] }, { drivers: [{ name: 'away', missing }] }];
  assert.deepEqual(collectDrivers('here', collectDrivers('here', [], languages), languages), ['here']);
  assert.throws(() => collectDrivers('away', [], languages), /cannot run here\. It is not built\. Run the build/);
  assert.deepEqual(collectVariants('best', ['defaults']), ['defaults', 'best']);
  assert.throws(() => collectDrivers('nothing'), /one of .*redis-py/);
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
  assert.match(page, /\| stays 1\.2\.3 +\|/);
  assert.match(page, /\| leaves 1\.2\.3 +\|/);
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
