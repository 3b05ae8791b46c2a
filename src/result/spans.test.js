import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchmarkSpans } from './spans.js';

/** @param {string} text */
function itemsIn(text) {
  const bytes = Buffer.from(text);
  return benchmarkSpans(bytes)?.items.map(({ from, to }) => bytes.toString('utf8', from, to)) ?? null;
}

test('each benchmark is found in the text of a result, and nothing else of that name', () => {
  assert.deepEqual(
    itemsIn(String.raw`{"a": "benchmarks", "benchmarks": [{"benchmarks": [1, 2]}, {"ü": "],\"["}], "b": [3]}`),
    ['{"benchmarks": [1, 2]}', String.raw` {"ü": "],\"["}`],
  );
  assert.deepEqual(itemsIn('{"benchmarks": [ ]}'), []);
  for (const text of [
    '{"a": "benchmarks", "b": [1]}',
    '{"a": {"benchmarks": [1]}}',
    '{"benchmarks": 1}',
    '{"benchmarks": [1], "benchmarks": [2]}',
    '{"benchmarks": [1',
    `{"benchmarks": [${'1,'.repeat(1000)}1]}`,
    '',
  ])
    assert.equal(itemsIn(text), null, text);
});
