import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { inlineModules } from './inline.js';

/** @type {string} */
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sentinel-bench-inline-'));
});
after(() => rmSync(folder, { recursive: true }));

/** @param {Record<string, string>} sources name → module */
function inline(sources) {
  return inlineModules(
    Object.entries(sources).map(([name, source]) => {
      writeFileSync(join(folder, name), source);
      return pathToFileURL(join(folder, name));
    }),
  );
}

test('modules run as one script that leaves nothing behind', () => {
  const script = inline({
    'a.js': "export const one = 1;\nexport function text() {\n  return 'export const x';\n}\n",
    'b.js': "import { one, text } from './a.js';\n\nconst two = one + one;\nseen.push(two, text());\n",
  });
  /** @type {Record<string, any>} */
  const context = { seen: [] };
  runInNewContext(script, context);
  assert.deepEqual(context.seen, [2, 'export const x']);
  assert.deepEqual(Object.keys(context), ['seen']);
});

test('what would not be the same in one scope is refused', () => {
  assert.throws(
    () => inline({ 'a.js': 'const x = 1;\n', 'b.js': 'function x() {}\n' }),
    /a\.js and b\.js both declare x/,
  );
  assert.throws(() => inline({ 'a.js': "import { x } from './b.js';\n" }), /a\.js imports \.\/b\.js/);
  const renamed = { 'a.js': 'export const x = 1;\n', 'b.js': "import { x as y } from './a.js';\n" };
  assert.throws(() => inline(renamed), /another name/);
  assert.throws(() => inline({ 'a.js': "import all from './b.js';\n" }), /not understood/);
  assert.throws(() => inline({ 'a.js': 'export default 1;\n' }), /not understood/);
});
