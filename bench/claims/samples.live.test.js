import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measuresOf } from '../../src/report/claims/index.js';
import { readMeasure } from '../../src/report/claims/read.js';
import { whole } from '../../src/result/read.js';
import { readRuns } from '../../src/result/runs.js';
import { ResultSchema } from '../index.js';
import { answers, articles, claimFacts } from './index.js';

const claims = articles().flatMap((article) => article.claims);

test('the samples answer every claim: each part of it, or one of its ways', async () => {
  const runs = await readRuns(['results/sample'], assert.fail, ResultSchema, (parts) => claimFacts(whole(parts)));
  const facts = runs.map(({ result }) => result);
  for (const claim of claims) {
    const missing = measuresOf(claim).filter((measure) => facts.every((run) => readMeasure(measure, run) === null));
    const isKnown = claim.ways ? missing.length < claim.ways.length : missing.length === 0;
    assert.ok(isKnown, `${claim.id}: no sample has ${JSON.stringify(missing[0]?.where)}`);
  }
  const rows = answers(facts);
  const number = (/** @type {string} */ wanted) => rows.filter(({ answer }) => answer === wanted).length;
  assert.ok(number('cannot be compared') <= 25, `${number('cannot be compared')} cannot be compared`);
  assert.ok(number('too noisy') <= 15, `${number('too noisy')} too noisy`);
  const failover = rows.find(({ id }) => id === 'synchronous.stop-no-loss');
  assert.match(failover?.text ?? '', /^only if .*; not by SENTINEL FAILOVER$/);
});
