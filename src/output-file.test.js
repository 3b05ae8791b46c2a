/** Files that the user names for output, on this machine's file system. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { outputFile } from './output-file.js';

test('a file for output is checked at once, and replaced as a whole or not at all', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'output-file-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a.csv');
  writeFileSync(file, 'old');
  const refused = (/** @type {string} */ name, /** @type {RegExp} */ message) =>
    assert.rejects(outputFile(name, { option: '--out', force: false }), { message });
  await refused(file, /exists already/);
  await refused(folder, /is a folder/);
  await refused(join(folder, 'none', 'a.csv'), /cannot be written/);

  const { write } = await outputFile(file, { option: '--out', force: true });
  function* broken() {
    yield 'a part';
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  await assert.rejects(write(broken()), { message: /no room is left/ });
  assert.deepEqual([readFileSync(file, 'utf8'), readdirSync(folder)], ['old', ['a.csv']]);
  await write(['n', 'ew']);
  assert.deepEqual([readFileSync(file, 'utf8'), readdirSync(folder)], ['new', ['a.csv']]);
});
