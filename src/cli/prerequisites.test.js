import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyTooOld } from './prerequisites.js';

test('an older Node.js is refused by its name, a newer one is not', () => {
  for (const version of ['18.20.8', '20.0.0', '20.2.9'])
    assert.match(String(whyTooOld(version, '>=20.3.0')), /needs Node\.js 20\.3\.0 or later; this is .*\.\nInstall/);
  for (const version of ['20.3.0', '20.3.1', '20.10.0', '21.0.0', '100.0.0'])
    assert.equal(whyTooOld(version, '>=20.3.0'), null);
});
