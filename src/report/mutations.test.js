/**
 * Results that somebody has edited. By hand with more: MUTATIONS=5000 SEED=7 node --test src/report/mutations.test.js
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ResultSchema } from '../../bench/index.js';
import { UserError } from '../errors.js';
import { checkedResult } from '../result/read.js';
import { resultOf } from './fixture.js';
import { changed, changes, everyAnswer } from './mutations-fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from './trials/fixture.js';

const { MUTATIONS = 20, SEED = 41 } = process.env;

const RESULTS = {
  rounds: resultOf(),
  trials: failureResultOf([
    failureBenchmarkOf('primary-killed', [{ mode: 'async', audits: [auditOf('async')], trials: [trialOf('async')] }]),
  ]),
};

for (const [kind, good] of Object.entries(RESULTS)) {
  test(`an edited result of ${kind} is refused in one sentence, or shown`, () => {
    const edited = fc.property(changes, (list) => {
      const { document, done } = changed(good, list);
      try {
        everyAnswer(checkedResult('result.json', document, ResultSchema), good);
      } catch (error) {
        if (!(error instanceof UserError)) throw new Error(done.join('; '), { cause: error });
        assert.match(error.message, /^result\.json [^\n]+\.$/);
      }
    });
    fc.assert(edited, { numRuns: Number(MUTATIONS), seed: Number(SEED), endOnFailure: true });
  });
}
