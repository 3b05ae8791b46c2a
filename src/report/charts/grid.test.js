import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridChart } from './grid.js';

/** @param {readonly string[]} modes */
function mapOf(modes) {
  const squares = modes.flatMap((column) =>
    ['a', 'b'].map((scenario) => ({ scenario, writer: '', column, value: 1, text: '1', more: [] })),
  );
  const value = /** @type {const} */ ({ name: 'v', format: 'count' });
  const texts = { id: 'map', title: 'A map', alt: '', note: '' };
  const map = gridChart({ ...texts, value, more: [], limits: [10], names: ['none', 'few', 'many'], squares });
  assert.ok(map);
  return map;
}

test('names of columns stay whole, and below the legend', () => {
  const few = mapOf(['async', 'WAIT 1 + min-replicas 1']);
  assert.equal(few.option.xAxis.axisLabel.overflow, 'break');
  assert.equal(few.option.xAxis.axisLabel.rotate, undefined);
  // WAIT 1 + / min-replicas 1
  assert.ok(few.option.grid.top >= 64 + 2 * 12);
  const many = mapOf(Array.from({ length: 12 }, (_, i) => `min-replicas ${i} + AOF everysec`));
  assert.equal(many.option.xAxis.axisLabel.overflow, undefined, 'no word breaks inside');
  assert.ok(many.option.xAxis.axisLabel.rotate);
  assert.ok(many.option.grid.top > 64 + 100, 'the names do not reach the legend');
});
