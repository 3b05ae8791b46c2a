import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { caseOf, roundOf } from '../../src/report/fixture.js';
import { claims } from './claims.js';

/** @import { BenchmarkResult, CaseParams } from '../../src/result/schema.js' */

/** @param {number} share of the throughput that min-replicas 1 and WAIT 1 leave at pipeline depth 100 @returns {BenchmarkResult} */
function healthy(share) {
  const measured = (
    /** @type {string} */ id,
    /** @type {Partial<CaseParams>} */ params,
    /** @type {number} */ writes,
  ) =>
    caseOf(
      id,
      { pipeline: 100, ...params },
      Array.from({ length: 5 }, () => roundOf({ writes })),
    );
  return {
    name: 'sweep-healthy',
    question: '?',
    status: 'ok',
    cases: [
      measured('async', { mode: 'async' }, 1000),
      // A pipelined WAIT is not the article's.
      measured('pipelined', { mode: 'wait1-min1', wait: 1, waitMode: 'pipelined' }, 10),
      measured('sequential', { mode: 'wait1-min1', wait: 1, waitMode: 'sequential' }, 1000 * share),
    ],
    findings: [],
    checks: [],
  };
}

test('min-replicas, WAIT and a pipeline together cost 17%, give or take 10 points', () => {
  const [claim] = claims;
  const examined = claim.examine(healthy(0.85), {});
  assert.match(examined?.ours ?? '', /^a cost of 15%/);
  assert.equal(examined?.allowed, '7.3% to 27%');
  assert.deepEqual(examined?.evidence, ['async', 'sequential']);
  assert.equal(verdictOf(examined), 'reproduced');
  assert.equal(verdictOf(claim.examine(healthy(0.6), {})), 'contradicted');
  assert.equal(verdictOf(claim.examine({ ...healthy(0.85), cases: [] }, {})), 'not measured');
});
