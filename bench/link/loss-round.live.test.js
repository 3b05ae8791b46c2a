import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertChecksHold, assertMeasured, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { listStacks } from '../../src/stacks/local/record.js';
import { needs, skipFor } from '../../test/needs.js';
import { ResultSchema } from '../index.js';
import linkLoss from './loss.js';
import { further } from './loss-round.js';
import { whyNoSsh } from './paths/ssh.js';

await ownTemporaryFolder();
const CASE = 'ssh-C-after-0ms-backlog-64mb';
const skip = (await needs('server')) || skipFor(whyNoSsh());

describe('what the looks at both nodes tell', () => {
  const before = { atMs: 100, written: 1000, full: 1, partial: 0, refused: 0, processed: 990, up: true };
  const begun = {
    before,
    last: before,
    reached: before.processed,
    killedAt: 110,
    noticedAt: null,
    connectedAt: null,
    behindUntil: null,
    wanted: 0,
    missedBytes: null,
  };
  const looks = [
    { ...before, atMs: 120, written: 1100, processed: 1000 },
    { ...before, atMs: 140, written: 1200, processed: 1000, up: false },
    { ...before, atMs: 160, written: 1300, processed: 1000, up: false },
  ];

  test('a full resync: connected means loaded; missed bytes are those at its request', () => {
    const state = [
      ...looks,
      // The replica discards its data a moment before the primary counts the resync.
      { ...before, atMs: 180, written: 1400, processed: 1, up: false },
      { ...before, atMs: 200, written: 1500, processed: 0, full: 2, refused: 1, up: false },
      { ...before, atMs: 220, written: 1600, processed: 1600, full: 2, refused: 1, up: true },
    ].reduce(further, begun);
    assert.equal(state.connectedAt, 220);
    assert.equal(state.missedBytes, 500);
    assert.equal(state.behindUntil, 220);
  });
});

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
