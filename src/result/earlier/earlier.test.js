/**
 * Documents that earlier versions wrote are read for ever. These two were: by the first version that could run a suite, and by the one
 * that was first to fail nodes; of their cases, two are left.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ResultSchema, suites, suiteTerms } from '../../../bench/index.js';
import { openMetricsLines } from '../../facts/openmetrics.js';
import { rate } from '../../format.js';
import { compareResults } from '../../report/compare/compare.js';
import { makeReport } from '../../report/document.js';
import { shortAnswer } from '../../report/terminal.js';
import { readResult } from '../read.js';
import { SCHEMA_ID } from '../schema.js';
import { convertResult } from './convert.js';

describe('a document of an earlier version', () => {
  for (const name of ['writes', 'failure']) {
    const file = fileURLToPath(new URL(`${name}.json`, import.meta.url));

    test(`${name}: is read and reported`, async () => {
      const result = await readResult(file, ResultSchema);
      assert.deepEqual(result, convertResult(JSON.parse(await readFile(file, 'utf8')), SCHEMA_ID));
      const { markdown, details, html, pictures } = makeReport(result, suites);
      for (const { name: benchmark, cases } of result.benchmarks) {
        // The page has no section for a benchmark whose answer says everything.
        // A section is headed by the name, or by a title with the name in code.
        assert.match(details, new RegExp(`\\n## (?:${benchmark}|.+ \\(\`${benchmark}\`\\))\\n`));
        assert.ok(html.includes(benchmark));
        // The table of a failure has other figures.
        if (name === 'writes')
          for (const { summary } of cases) assert.ok(details.includes(rate(summary.throughput.median)));
      }
      assert.doesNotMatch(markdown + details, /undefined|NaN|\[object/);
      for (const svg of pictures.values()) assert.ok(!/NaN|undefined/.test(svg));
      assert.notEqual(shortAnswer(result, suites), '');
    });

    test(`${name}: is compared and exported`, async () => {
      const result = await readResult(file, ResultSchema);
      const cases = result.benchmarks.flatMap((benchmark) => benchmark.cases);
      const comparison = compareResults(result, result, { metric: 'throughput', threshold: 0.05 });
      assert.equal(comparison.cases.length, cases.length);
      assert.deepEqual(comparison.differences, []);
      assert.match([...openMetricsLines(result, suiteTerms)].join(''), /\n# EOF\n$/);
    });
  }
});
