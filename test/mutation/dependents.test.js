import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { dependents } from './dependents.js';

test('modules that reach a changed file, directly or not, also by a later import; cycles end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dependents-test-'));
  const at = (/** @type {string} */ name) => relative(process.cwd(), join(folder, name));
  const files = {
    'entry.js':
      "import { b } from './b.js'; import { d } from './d.js'; export default () => [b, d, import('./e.js')];",
    'b.js':
      "/** @import { e } from './e.js' */ import fs from 'node:fs'; import { c } from './c.js'; export const b = [fs, c];",
    'c.js': "import { b } from './b.js'; export const c = () => b;",
    'd.js': "/** @import { c } from './c.js' */ export const d = 1;",
    'e.js': 'export const e = 1;',
  };
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const found = async (/** @type {string[]} */ ...changed) =>
      (await dependents([at('entry.js')], changed.map(at))).sort();
    assert.deepEqual(await found('c.js'), ['b.js', 'c.js', 'entry.js'].map(at));
    assert.deepEqual(await found('e.js', 'd.js'), ['d.js', 'e.js', 'entry.js'].map(at));
    assert.deepEqual(await found('not-reached.js'), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
