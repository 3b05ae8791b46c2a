import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { choiceTable, unprotectedBy } from './choices.js';

/** @param {readonly string[]} measured modes */
function shown(measured) {
  const text = (/** @type {string} */ mode) => (measured.includes(mode) ? `of ${mode}` : NOT_MEASURED);
  const { columns, rows } = choiceTable({
    has: (mode) => measured.includes(mode),
    columns: [figures('lost', ({ mode }) => text(mode))],
    stops: (mode) => (mode === 'defaults' ? '6.00 s' : NOT_MEASURED),
  });
  return { titles: columns.map(({ title }) => title), rows };
}

test('a situation has the first of its modes that was measured, with its figures', () => {
  const { titles, rows } = shown(['async', 'defaults', 'wait2-min2-aof-always']);
  assert.deepEqual(titles.slice(0, 3), ['for', 'mode', 'lost']);
  assert.deepEqual(rows[0].slice(0, 3), ['caches, sessions', 'defaults (RDB)', 'of defaults']);
  assert.deepEqual(rows[1].slice(1, 3), ['WAIT 1 + min-replicas 1 + AOF everysec, one Sentinel beside each node', '–']);
  assert.deepEqual(
    rows.map((row) => row.at(-1)),
    ['6.00 s', 'for `down-after` and a second', 'until it is back'],
  );
});

test('without a figure its column is left out', () => {
  assert.ok(!shown([]).titles.includes('lost'));
});

test('what a situation does not protect from: the worst, and how many more', () => {
  const losses = ['a', 'b', 'c', 'd', 'e'];
  const [service, payments] = unprotectedBy((mode) =>
    mode === 'wait1-min1-aof' ? losses : mode === 'wait2-min2-aof-always' ? [] : null,
  );
  assert.deepEqual(service, { situation: 'a normal service', losses: losses.slice(0, 4), more: 1 });
  assert.deepEqual(payments, { situation: 'payments', losses: [], more: 0 });
});
