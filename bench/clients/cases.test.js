import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILES } from '../../src/run/profiles.js';
import { libraryCases } from './names.js';
import { collectDrivers, collectVariants } from './options.js';

const server = { name: 'redis', version: '7.0.15' };

test('a user may choose drivers and variants', () => {
  const cases = libraryCases({
    server,
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

test('the larger profiles add the best options', () => {
  const idsIn = (/** @type {keyof typeof PROFILES} */ name) =>
    libraryCases({ server, profile: PROFILES[name] }).map(({ id }) => id);
  assert.deepEqual(idsIn('quick'), ['async', 'wait1']);
  assert.deepEqual(idsIn('standard'), ['async', 'wait1', 'async-best', 'wait1-best']);
});
