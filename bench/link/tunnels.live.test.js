/** What needs a tunnel, through a whole run: compression, and the loss of a tunnel. */
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { assertChecksHold, assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { listStacks } from '../../src/stacks/hosts/local/record.js';
import { needs, skipFor } from '../../test/needs.js';
import { ResultSchema } from '../index.js';
import linkCompression from './compression.js';
import { whyNoSsh } from './paths/ssh.js';
import { linkLoss } from './tunnels.js';

/** @import { Case, CustomBenchmark } from '../../src/run/types.js' */

await ownTemporaryFolder();
const skip = (await needs('server')) || skipFor(whyNoSsh());

/** A fifth of the writes that are due: fewer give nothing to compress. */
const ENOUGH = 300;

/** @param {CustomBenchmark} benchmark @param {number} seconds @param {number} rate @param {(theCase: Case) => boolean} isWanted */
async function casesOf(benchmark, seconds, rate, isWanted) {
  const chosen = only(benchmark, isWanted);
  const slower = (/** @type {Case} */ one) => ({ ...one, params: { ...one.params, rate, keyspace: 500 } });
  const short = {
    ...chosen,
    pace: () => ({ rounds: 1, seconds, warmUpSeconds: 0 }),
    cases: (/** @type {Parameters<typeof chosen.cases>[0]} */ options) => chosen.cases(options).map(slower),
  };
  const result = await resultOf({ benchmarks: [short] });
  const [measured] = result.benchmarks;
  assertMeasured(measured);
  assertChecksHold(measured);
  assert.ok(ResultSchema.parse(result));
  return measured.cases;
}

describe('tunnels, through a whole run', { skip }, () => {
  afterEach(() => assert.deepEqual(listStacks(), []));

  test('the wire carried the growth of the stream, or much less with compression', async (t) => {
    const isWanted = (/** @type {Case} */ { params: { pipeline, tunnel = '' } }) =>
      pipeline === 10 && ['none', 'ssh-C'].includes(tunnel);
    const cases = await casesOf(linkCompression, 0.5, 3000, isWanted);
    assert.equal(cases.length, 4);
    const least = Math.min(...cases.map(({ rounds }) => rounds[0].operations));
    if (least < ENOUGH) return t.skip(`the machine was too busy: ${least} requests were answered in a round`);
    /** @type {Map<string | undefined, number>} */
    const reached = new Map();
    for (const { id, params, rounds } of cases) {
      const [{ link, operations }] = rounds;
      assert.ok(link?.wire && link.waits, id);
      const writes = link.writes - link.waits.asked;
      // Each connection keeps the share, and owes less than a write at the end.
      const due = Number(params.writeShare) * operations;
      assert.ok(writes <= due && due - writes < params.connections + 0.01, `${id}: ${writes} of ${operations}`);
      assert.ok(link.streamBytes > link.writes * 30, `${id}: a write has more than its command`);
      assert.ok(link.waits.asked >= 1 && link.waits.reached <= link.waits.asked, id);
      reached.set(params.tunnel, (reached.get(params.tunnel) ?? 0) + link.waits.reached);
      assert.equal(link.fullResyncs, 0, id);
      const ratio = link.streamBytes / link.wire.toReplicaBytes;
      if (params.tunnel === 'none') assert.ok(Math.abs(ratio - 1) < 0.01, `${id}: ${ratio}`);
      else if (params.pattern === 'regular') assert.ok(ratio > 3, `${id}: ${ratio}`);
      else assert.ok(ratio > 1 && ratio < 3, `${id}: ${ratio}`);
      assert.equal(link.wire.primaryEndCpu === null, params.tunnel === 'none', id);
    }
    // On a busy machine one or the other takes longer than WAIT’s second, but not all of them.
    for (const [tunnel, times] of reached) assert.ok(times > 0, `no WAIT was reached through ${tunnel}`);
  });

  test('a killed tunnel comes back, and everything is removed', async () => {
    const [one] = await casesOf(linkLoss, 1, 2000, ({ id }) => id === 'ssh-C-after-0ms-backlog-64mb');
    const { link, outcomes } = one.rounds[0];
    assert.ok(link?.outage);
    const { noticedMs, awayMs, behindMs } = link.outage;
    assert.ok(Number(noticedMs) <= Number(awayMs) && Number(awayMs) <= Number(behindMs), JSON.stringify(link.outage));
    assert.deepEqual([link.partialResyncs, link.fullResyncs], [1, 0]);
    assert.equal(outcomes.rejected + outcomes.unknown, 0, 'the primary answers all the while');
  });
});
