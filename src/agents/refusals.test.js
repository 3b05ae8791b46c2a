import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { refusal } from './refusals.js';

const here = (/** @type {string} */ name) => new URL(name, import.meta.url);
const texts = parse(readFileSync(here('refusals.yaml'), 'utf8'));

test('every refusal has its text, with all its values, and every text is used', () => {
  const sources = readdirSync(here('.')).filter((name) => /^[a-z-]+\.js$/.test(name));
  const code = sources.map((name) => readFileSync(here(name), 'utf8')).join('\n');
  const used = [...code.matchAll(/\brefusal\(\s*'([a-z0-9-]+)'(?:,\s*\{([^{}]*))?/g)];
  assert.deepEqual([...new Set(used.map(([, id]) => id))].sort(), Object.keys(texts).sort());
  for (const [, id, given = ''] of used)
    for (const [, name] of JSON.stringify(texts[id]).matchAll(/\{(\w+)\}/g))
      assert.match(`${given}${code.split(`'${id}'`)[1].slice(0, 300)}`, new RegExp(`\\b${name}\\b`), id);
});

test('values stand where the text names them, also one that has braces', () => {
  const { message, remedy } = refusal('unstartable', { node: '{why}', why: 'it is so', port: 6379 });
  assert.deepEqual(
    [message, remedy],
    ['{why} could not be started again: it is so.', "Name its start command to that agent: --start '6379=COMMAND'."],
  );
});
