import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertChecksHold, assertMeasured, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { listStacks } from '../../src/stacks/local/record.js';
import { needs, skipFor } from '../../test/needs.js';
import { ResultSchema } from '../index.js';
import linkLoss from './loss.js';
import { whyNoSsh } from './paths/ssh.js';

await ownTemporaryFolder();
const CASE = 'ssh-C-after-0ms-backlog-64mb';
const skip = (await needs('server')) || skipFor(whyNoSsh());

test('a killed tunnel comes back, both sides agree, and everything is removed', { skip }, async () => {
  const result = await resultOf({
    benchmarks: [
      {
        ...linkLoss,
        pace: () => ({ rounds: 1, seconds: 1, warmUpSeconds: 0 }),
        cases: (options) =>
          linkLoss
            .cases(options)
            .filter(({ id }) => id === CASE)
            .map((theCase) => ({ ...theCase, params: { ...theCase.params, rate: 2000, keyspace: 500 } })),
      },
    ],
  });
  const [measured] = result.benchmarks;
  assertMeasured(measured);
  assertChecksHold(measured);
  assert.ok(ResultSchema.parse(result));
  const { link, outcomes } = measured.cases[0].rounds[0];
  assert.ok(link?.outage);
  const { noticedMs, awayMs, behindMs, resync, restarts } = link.outage;
  assert.ok(Number(noticedMs) <= Number(awayMs) && Number(awayMs) <= Number(behindMs), JSON.stringify(link.outage));
  assert.equal(resync, 'partial');
  assert.equal(restarts, 1);
  assert.ok(Number(link.missedBytes) > 0);
  assert.ok(link.agreement && link.agreement.compared > 0);
  assert.equal(link.agreement.compared, link.agreement.primaryKeys, 'every key');
  assert.equal(outcomes.rejected + outcomes.unknown, 0, 'the primary answers all the while');
  assert.deepEqual(listStacks(), []);
});
