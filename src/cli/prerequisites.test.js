import assert from 'node:assert/strict';
import { openSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';
import { whyTooFewFiles, whyTooOld } from './prerequisites.js';

test('an older Node.js is refused by its name, a newer one is not', () => {
  for (const version of ['18.20.8', '20.0.0', '20.2.9'])
    assert.match(String(whyTooOld(version, '>=20.3.0')), /needs Node\.js 20\.3\.0 or later; this is .*\.\nInstall/);
  for (const version of ['20.3.0', '20.3.1', '20.10.0', '21.0.0', '100.0.0'])
    assert.equal(whyTooOld(version, '>=20.3.0'), null);
});

test('a limit of open files that is too low is refused with the remedy', () => {
  assert.equal(whyTooFewFiles(), null);
  let left = 46;
  const openOne = () => {
    if (left-- === 0) throw Object.assign(new Error(), { code: 'EMFILE' });
    return openSync(os.devNull, 'r');
  };
  assert.match(String(whyTooFewFiles(openOne)), /may open only 46 more files, and needs 200\.\nRaise the limit/);
});
