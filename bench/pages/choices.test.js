import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { choiceTable } from './choices.js';

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
    ['6.00 s', 'until a failover ends', 'until it is back'],
  );
});

test('without a figure its column is left out', () => {
  assert.ok(!shown([]).titles.includes('lost'));
});
