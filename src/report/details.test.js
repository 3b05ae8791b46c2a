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

/**
 * @param {string} report
 * @param {string} heading
 */
function section(report, heading) {
  const [, text] = report.split(`\n${heading}\n`);
  assert.ok(text !== undefined, `no ${heading} in\n${report}`);
  return text.split(/\n##? /)[0];
}

test('details begin with the scope; headings are in order, and nothing is "undefined"', () => {
  const report = rendered();
  const lines = report.split('\n');
  assert.equal(lines[0], '# sentinel-bench: main, details');
  assert.match(
    lines[2],
    /^Measured 2025-11-20 18:24 UTC, profile quick: each setting timed in 5 rounds of 1 s; values of 64 B, connections 1, pipeline depth 1\.$/,
  );
  assert.match(lines[4], /^redis 7\.0\.15, backend local/);
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

test('skipped and failed benchmarks say why', () => {
  const empty = { question: 'What?', cases: [], findings: [], checks: [] };
  const report = rendered(({ benchmarks }) => {
    benchmarks.push({ ...empty, name: 'links', status: 'skipped', reason: 'This backend cannot cut. Use docker.' });
    benchmarks.push({ ...empty, name: 'faults', status: 'failed', reason: 'The primary went away.' });
  });
  assert.match(section(report, '## links'), /\*\*Skipped\.\*\* This backend cannot cut\. Use docker\./);
  assert.match(section(report, '## faults'), /\*\*Failed\.\*\* The primary went away\./);
});

test('foreign text cannot break the report', () => {
  const report = rendered((result) => {
    result.environment.cpuModel = 'A|B <img> *bold* [link](x)\n# heading';
    result.command = 'run ``` x';
    result.stack.config['redis-1'].save = 'a|b';
  });
  assert.ok(report.includes('A\\|B \\<img\\> \\*bold\\* \\[link\\](x) # heading'));
  assert.match(report, /\n````\nrun ``` x --seed \d+\n````\n/);
  assert.match(report, /\| save +\| a\\\|b +\| not set +\|/);
});

test('text between backticks is code', () => {
  const report = rendered(({ benchmarks: [{ findings }] }) => {
    findings[0].text = 'through `a_*b*` it costs *nothing* `';
  });
  assert.match(report, /- through `a_\*b\*` it costs \\\*nothing\\\* \\`\n/);
});

test('the name of an interval depends on the number of rounds', () => {
  const reading = (/** @type {number} */ rounds) =>
    section(
      rendered((result) => {
        result.profile.rounds = rounds;
      }),
      '## How to read this',
    );
  assert.match(reading(5), /the 95% interval of that median \(bootstrap/);
  assert.match(reading(3), /the range of 3 rounds\. So few rounds cannot give a 95% interval/);
  assert.match(reading(1), /One round has no interval/);
});
