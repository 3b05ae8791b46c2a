import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { right } from '../table.js';
import { code, heading, list, table, text } from './blocks.js';
import { resultOf } from './fixture.js';
import { shortAnswer, terminalText } from './terminal.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

const SCREEN = 36;

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

/**
 * @param {Result} result
 * @param {Suite[]} [suites]
 * @param {{columns?: number}} [options]
 */
const linesOf = (result, suites = [], options = {}) =>
  stripVTControlCharacters(shortAnswer(result, suites, options)).split('\n');

test('everything, where a screen shows it', () => {
  assert.deepEqual(linesOf(resultWith(2, ['WAIT 1 costs 46%', 'WAIT 2 costs 60%'])), [
    'benchmark-0',
    '  WAIT 1 costs 46%',
    '  WAIT 2 costs 60%',
    'benchmark-1',
    '  WAIT 1 costs 46%',
    '  WAIT 2 costs 60%',
  ]);
});

test('more than a screen shows: fewer findings of each benchmark, and it says that there are more', () => {
  const texts = Array.from({ length: 20 }, (_, i) => `WAIT ${i} costs ${i}%`);
  const lines = linesOf(resultWith(5, texts));
  assert.ok(lines.length <= SCREEN, `${lines.length} lines`);
  for (let i = 0; i < 5; i++) assert.equal(lines[lines.indexOf(`benchmark-${i}`) + 1], '  WAIT 0 costs 0%');
  assert.equal(lines.at(-1), 'See the report for more.');
});

test('failures and missing measurements are always shown', () => {
  const result = resultWith(30, ['WAIT 1 costs 46%', 'WAIT 2 costs 60%']);
  result.benchmarks[29].checks = [{ name: 'counts are read', ok: false, detail: 'one was not' }];
  result.benchmarks[28] = { ...result.benchmarks[28], status: 'skipped', reason: 'No stack.', findings: [] };
  result.benchmarks[27].notMeasured = [{ id: 'wait1', reason: 'No room.' }];
  const lines = linesOf(result);
  assert.equal(lines.filter((line) => line.includes('WAIT 1')).length, 29, 'a sentence each');
  assert.equal(lines.filter((line) => line.includes('WAIT 2')).length, 0);
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

test("the suite's own lines come first, even without room for findings", () => {
  const result = resultWith(2, ['WAIT 1 costs 46%']);
  const terminal = () => [text('a table')];
  const benchmark = /** @type {any} */ ({ name: 'benchmark-0' });
  const suite = { name: 'main', benchmarks: [benchmark], terminal };
  assert.equal(linesOf(result, [suite])[0], 'a table');
  assert.notEqual(linesOf(result, [{ ...suite, benchmarks: [] }])[0], 'a table', 'nothing of this suite was measured');
});

test('blocks: a heading stands right above what follows, text and items break, code does not', () => {
  const item = { name: 'async', text: 'fast, and loses much', details: ['set nothing'] };
  const blocks = [
    heading(2, 'Losses'),
    table(['mode', right('lost')], [['async', '17,952']]),
    text('one two three four'),
    list([item, 'two'], { ordered: true }),
    code('a line that stays as long as it is'),
  ];
  assert.deepEqual(stripVTControlCharacters(terminalText(blocks, { columns: 16 })).split('\n'), [
    'Losses',
    'mode     lost',
    'async  17,952',
    '',
    'one two three',
    'four',
    '',
    '1. async: fast,',
    '   and loses',
    '   much',
    '     set nothing',
    '2. two',
    '',
    'a line that stays as long as it is',
  ]);
});
