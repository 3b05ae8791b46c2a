import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { problem } from './texts.js';

const texts = parse(readFileSync(new URL('texts.yaml', import.meta.url), 'utf8'));

test('every text is used, and every one that is used is there', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
  const inOthers = Array.from(JSON.stringify(texts).matchAll(/\$\{([\w-]+)\}/g), ([, name]) => name);
  const parts = inOthers.filter((name) => name in texts);
  for (const [call, type] of [
    ['(?:problem|words)\\(\\s*', 'object'],
    ['(?:text\\(\\s*|remedy: )', 'string'],
  ]) {
    const pattern = new RegExp(`\\b${call}'([\\w-]+)'`, 'g');
    const names = sources.flatMap((source) => Array.from(source.matchAll(pattern), ([, name]) => name));
    const listed = Object.keys(texts).filter((name) => typeof texts[name] === type && !parts.includes(name));
    assert.deepEqual([...new Set(names)].sort(), listed.sort());
  }
});

test('a value that is missing is an error, and lists, addresses and errors are shown as people read them', () => {
  assert.throws(() => problem('stack-left', { project: 'p' }), /left\} has no value/);
  assert.match(problem('stack-left', { project: 'p', left: ['a', 'b'] }).message, /: a, b is left/);
  assert.match(problem('connections-stay', { address: { host: 'h', port: 1 } }).message, / h:1,/);
});
