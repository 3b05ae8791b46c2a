import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerTitle } from '../../src/registry/writers.js';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { libraryCases } from './cases.js';
import { leavingOf, librariesOf, waitsOnConnection } from './figures.js';
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
