import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as columns from './columns.js';
import { renderDetails } from './details.js';
import { NAMED_FIGURES, resultOf } from './fixture.js';

/** @import { Result } from '../result/schema.js' */

/** The parts of a benchmark that a report needs. */
const PRESENTATION = {
  name: 'async-vs-wait',
  method: 'Each connection writes one key after the other.',
  table: [columns.wait, columns.throughput, columns.p999],
};

/** @param {(result: Result) => void} [change] */
function rendered(change = () => {}, presentation = PRESENTATION) {
  const result = resultOf();
  change(result);
  const benchmark = /** @type {any} */ (presentation);
  return renderDetails(result, [{ name: 'main', benchmarks: [benchmark] }], NAMED_FIGURES);
}

test('details begin with what was measured; headings are in order, and nothing is "undefined"', () => {
  const report = rendered();
  const lines = report.split('\n');
  assert.equal(lines[0], '# sentinel-bench: main, details');
  assert.match(lines[2], /^redis 7\.0\.15, .*values of 64 B, 1 connections, pipeline depth 1; .*n = 5 rounds of 1 s/);
  assert.ok(report.endsWith('\n') && !report.endsWith('\n\n'));
  assert.deepEqual(
    lines.filter((line) => line.startsWith('#')),
    [
      '# sentinel-bench: main, details',
      '## async-vs-wait',
      '## How to read this',
      '## Environment',
      '### Configuration of the Redis nodes',
      '## Run again',
    ],
  );
  assert.doesNotMatch(report, /undefined|NaN|\[object/);
});

test('foreign text cannot break the report', () => {
  const report = rendered((result) => {
    result.environment.cpuModel = 'A|B <img> *bold* [link](x)\n# heading';
    result.command = 'run ``` x';
    result.stack.config['redis-1'].save = 'a|b';
  });
  assert.ok(report.includes('A\\|B \\<img\\> \\*bold\\* \\[link\\](x) # heading'));
  assert.match(report, /\n````sh\nrun ``` x --seed \d+\n````\n/);
  assert.match(report, /\| save +\| a\\\|b +\| not set +\|/);
});
