import assert from 'node:assert/strict';
import { test } from 'node:test';
import linkCompression from '../../bench/link-compression.js';
import { ownTemporaryFolder } from '../cluster/fixture.js';
import { findServer } from '../cluster/local-server.js';
import { listStacks } from '../cluster/local-stack.js';
import { ResultSchema } from '../report/schema.js';
import { PROFILES } from './profiles.js';
import { runSuite } from './suite.js';

await ownTemporaryFolder();
const unavailable = (await findServer()) === null && 'there is no server program';
const skip = process.env.SENTINEL_BENCH_NO_SKIP === '1' ? false : unavailable;

/**
 * @param {AbortSignal} signal
 * @param {(line: string) => void} [now]
 */
function run(signal, now = () => {}) {
  return runSuite({
    suite: 'link',
    benchmarks: [
      {
        ...linkCompression,
        pace: () => ({ rounds: 1, seconds: 0.5, warmUpSeconds: 0 }),
        cases: (options) =>
          linkCompression
            .cases(options)
            .filter(({ params }) => params.pipeline === 10 && ['none', 'zstd-5'].includes(params.tunnel ?? ''))
            .map((theCase) => ({ ...theCase, params: { ...theCase.params, rate: 3000, keyspace: 500 } })),
      },
    ],
    profile: PROFILES.quick,
    seed: 1,
    command: 'sentinel-bench run link-compression',
    cluster: { backend: 'local' },
    progress: { tell() {}, now, stop() {} },
    signal,
  });
}

test('what went over the wire is what the stream grew by, or much less of it', { skip }, async () => {
  const { result } = await run(new AbortController().signal);
  const [{ status, reason, cases, checks }] = result.benchmarks;
  assert.equal(status, 'ok', reason);
  assert.ok(ResultSchema.parse(result));
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  );
  assert.equal(cases.length, 4);
  for (const { id, params, rounds } of cases) {
    const [{ link, operations }] = rounds;
    assert.ok(link?.wire && link.waits, id);
    assert.ok(link.writes > operations * 0.5, id);
    assert.ok(link.streamBytes > link.writes * 30, `${id}: a write has more than its command`);
    // On a busy machine one or the other may take longer than WAIT’s second.
    assert.ok(link.waits.reached >= link.waits.asked / 2, id);
    assert.ok(link.waits.asked >= 2, id);
    assert.equal(link.fullResyncs, 0, id);
    const ratio = link.streamBytes / link.wire.toReplicaBytes;
    if (params.tunnel === 'none') assert.ok(Math.abs(ratio - 1) < 0.01, `${id}: ${ratio}`);
    else if (params.pattern === 'regular') assert.ok(ratio > 3, `${id}: ${ratio}`);
    else assert.ok(ratio > 1 && ratio < 3, `${id}: ${ratio}`);
    assert.equal(link.wire.primaryEndCpu === null, params.tunnel === 'none', id);
  }
  assert.deepEqual(listStacks(), []);
});

test('interrupted in the middle of a round, it ends soon and leaves nothing', { skip }, async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const begun = run(controller.signal, (line) => {
    if (line.includes('traffic for')) controller.abort(reason);
  });
  await assert.rejects(begun, reason);
  assert.deepEqual(listStacks(), []);
});
