import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { resultOf } from './fixture.js';
import { shortAnswer } from './terminal.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

/**
 * @param {number} number of benchmarks
 * @param {string[]} texts findings of each
 */
function resultWith(number, texts) {
  const result = resultOf();
  const [one] = result.benchmarks;
  const findings = texts.map((text) => ({ text, evidence: [] }));
  result.benchmarks = Array.from({ length: number }, (_, i) => ({ ...one, name: `benchmark-${i}`, findings }));
  return result;
}

/** @param {Result} result @param {Suite[]} [suites] @param {{columns?: number}} [options] */
const linesOf = (result, suites = [], options = {}) =>
  stripVTControlCharacters(shortAnswer(result, suites, options)).split('\n');

test('failures and missing measurements are always shown', () => {
  const result = resultWith(30, ['WAIT 1 costs 46%', 'WAIT 2 costs 60%']);
  result.benchmarks[29].checks = [{ name: 'counts are read', ok: false, detail: 'one was not' }];
  result.benchmarks[28] = { ...result.benchmarks[28], status: 'skipped', reason: 'No stack.', findings: [] };
  result.benchmarks[27].notMeasured = [{ id: 'wait1', reason: 'No room.' }];
  const lines = linesOf(result);
  assert.equal(lines.filter((line) => line.includes('WAIT 1')).length, 29);
  for (const line of [
    '  FAILED: counts are read: one was not',
    '  skipped: No stack.',
    '  not measured: wait1: No room.',
  ])
    assert.ok(lines.includes(line), line);
});

test('on a terminal lines are broken between words, never before a unit, and stay below the name', () => {
  const lines = linesOf(resultWith(1, [`${'word '.repeat(30)}12%`]), [], { columns: 30 });
  assert.ok(lines.length > 5 && lines.every((line) => line.length <= 30), lines.join('\n'));
  assert.ok(lines.slice(1).every((line) => line.startsWith('  ')));
  assert.match(lines.at(-1) ?? '', /12%$/);
});
