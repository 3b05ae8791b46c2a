import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResultSchema, suites } from '../bench/index.js';
import { makeReport } from '../src/report/document.js';
import { hourOf, manyCasesOf } from './large-results.js';

/** CPU time, which a busy machine hardly lengthens. A report of a thousand cases should take 2 s; a slow machine may take longer. */
const MOST_CPU_SECONDS = 10;
const MOST_BYTES = 2e6;

test('the report of 1,000 cases is made in seconds, and does not grow with their rounds', () => {
  const result = manyCasesOf(1000);
  assert.ok(ResultSchema.safeParse(result).success);
  assert.equal(result.benchmarks.flatMap(({ cases }) => cases).length, 1000);
  const before = process.cpuUsage();
  const { markdown, html, pictures } = makeReport(result, suites);
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  assert.ok(seconds < MOST_CPU_SECONDS, `${seconds} s of CPU time`);
  assert.ok(html.length < 2 * MOST_BYTES, `${html.length} bytes`);
  assert.ok(pictures.size > 0);
  assert.ok(!/undefined|NaN/.test(markdown));
});

test('a trial of an hour makes a page of less than 2 MB', () => {
  const result = hourOf();
  assert.ok(ResultSchema.safeParse(result).success);
  assert.equal(result.benchmarks[0].timeline?.[0].writers[0].acked.length, 36_000);
  const { html, pictures } = makeReport(result, suites);
  assert.ok(html.length < MOST_BYTES, `${html.length} bytes`);
  for (const [file, svg] of pictures) assert.ok(svg.length < MOST_BYTES / 4, `${file}: ${svg.length} bytes`);
});
