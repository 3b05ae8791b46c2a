import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { checkNames, LISTED } from './data.js';
import { readSelection } from './selection.js';

test('texts take their seconds from the numbers of the experiment', () => {
  const text = readFileSync(new URL('catalogue.yaml', import.meta.url), 'utf8');
  assert.deepEqual(text.match(/^.*(?<![\w-])\d+(?:\.\d+)? m?s\b.*$/gm), null);
  assert.doesNotMatch(JSON.stringify(LISTED), /\$\{/);
});

test('a name in the catalogue that means nothing is named', () => {
  const step = { fault: 'kill', untill: 'promoted' };
  assert.throws(() => checkNames('mine', { title: 'x', steps: [step] }), /catalogue\.yaml: mine: .* steps\.0\.untill /);
  assert.throws(() => checkNames('mine', { needz: [] }), /needz/);
});

test('a wrong entry of a selection is named', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'selection-')), 'selection.yaml');
  const read = (/** @type {string} */ text) => {
    writeFileSync(file, text);
    return readSelection(pathToFileURL(file));
  };
  assert.throws(
    () => read('primary-killed: [{ modes: async }]'),
    /^RangeError: selection-\w+\/selection\.yaml: primary-killed\.cases\.0\.modes: must be/,
  );
  assert.throws(() => read('primary-killed: [{ modes: [async], late: true }]'), /primary-killed\.cases\.0: .*late/);
  assert.equal(read('primary-killed: [{ modes: [async] }]').length, 1);
});
