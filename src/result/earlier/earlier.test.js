/**
 * Documents that earlier versions wrote are read for ever. These two were: by the first version that could run a suite, and by the one
 * that was first to fail nodes; of their cases, two are left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ResultSchema, suites } from '../../../bench/index.js';
import { makeReport } from '../../report/document.js';
import { shortAnswer } from '../../report/terminal.js';
import { readResult } from '../read.js';

for (const name of ['writes', 'failure'])
  test(`${name}.json of version 1 is read and reported`, async () => {
    const result = await readResult(fileURLToPath(new URL(`${name}.json`, import.meta.url)), ResultSchema);
    const { markdown, details, html, pictures } = makeReport(result, suites);
    for (const benchmark of result.benchmarks) {
      // A section is headed by the name, or by a title with the name in code.
      assert.match(details, new RegExp(`\\n## (?:${benchmark.name}|.+ \\(\`${benchmark.name}\`\\))\\n`));
      assert.ok(html.includes(benchmark.name));
    }
    assert.doesNotMatch([markdown, details, ...pictures.values()].join(''), /undefined|NaN|\[object/);
    assert.notEqual(shortAnswer(result, suites), '');
  });
