import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFindings } from './findings.js';
import { resultOf } from './fixture.js';

/** @import { Suite } from '../run/types.js' */

test('findings are computed anew for known benchmarks, except for one that depends on what the user asked for', () => {
  const result = resultOf();
  const [measured] = result.benchmarks;
  const suiteOf = (/** @type {object} */ more) =>
    /** @type {Suite[]} */ ([
      {
        name: 'main',
        benchmarks: [
          /** @type {any} */ ({ name: measured.name, findings: () => [{ text: 'new', evidence: [] }], ...more }),
        ],
      },
    ]);
  const textOf = (/** @type {Suite[]} */ suites) => withFindings(result, suites).benchmarks[0].findings[0].text;
  assert.equal(textOf(suiteOf({})), 'new');
  assert.equal(textOf([]), 'WAIT 1 costs 46% of throughput');
  assert.equal(textOf(suiteOf({ askedFindings: true })), 'WAIT 1 costs 46% of throughput');
  assert.equal(measured.findings[0].text, 'WAIT 1 costs 46% of throughput', 'the result itself is not changed');
});
