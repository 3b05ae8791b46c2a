import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ExitStatus } from './errors.js';
import { filled, sentencesIn } from './sentences.js';

test('a value that is missing is an error, and braces of a value stay', () => {
  const template = `for \${seconds} s`;
  assert.equal(filled(template, { seconds: '{why}' }), 'for {why} s');
  assert.throws(() => filled(template, { hours: 1 }), /\$\{seconds\} has no value/);
});

test('a problem of the input ends with the status of bad input, and a text may be part of another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sentences-'));
  const file = join(folder, 'sentences.yaml');
  writeFileSync(
    file,
    ['use: Use it.', `own: {what: No., remedy: "\${use}"}`, 'input: {what: No., remedy: Yes., input: true}'].join('\n'),
  );
  try {
    const { problem, text } = sentencesIn(pathToFileURL(file));
    assert.equal(text('own'), 'No. Use it.');
    assert.equal(problem('own').exitStatus, ExitStatus.environment);
    assert.equal(problem('input').exitStatus, ExitStatus.badInput);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
