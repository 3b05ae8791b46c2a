import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { listStacks } from '../stacks/hosts/local/record.js';
import { encodeHistogram, newHistogram } from '../stats/histogram.js';
import { DEFAULT_PARAMS } from './case.js';
import { roundAround } from './round.js';
import { runQuietly } from './suite-fixture.js';

/** @import { Benchmark, RoundSite } from './types.js' */

await ownTemporaryFolder();
const skip = await needs('server');

const PINGS = 100;
const LACKING = 'There is no such program here. Install it.';

/** @param {(site: RoundSite) => Promise<void>} work @returns {Benchmark} PINGs the primary after `work` */
function ownBenchmark(work) {
  return {
    name: 'own',
    question: 'Does it?',
    method: '',
    needs: ['stop', 'stats'],
    kind: 'custom',
    stacks: { sentinels: false, settings: { 'min-replicas-to-write': '0' } },
    pace: () => ({ rounds: 2, seconds: 1, warmUpSeconds: 0 }),
    cases: () => [
      { id: 'one', params: { ...DEFAULT_PARAMS, replicas: 1, settings: { hz: '50' } } },
      { id: 'two', params: { ...DEFAULT_PARAMS, replicas: 1 } },
      { id: 'lacking', params: { ...DEFAULT_PARAMS, replicas: 1, connections: 2 } },
    ],
    whyNotCase: async ({ id }) => (id === 'lacking' ? LACKING : null),
    async measure(site) {
      await work(site);
      const { controls, primary } = site.testbed;
      return roundAround(site.testbed, async () => {
        const histogram = newHistogram();
        const begins = performance.now();
        for (let i = 0; i < PINGS; i++) await controls.get(String(primary?.id))?.call('PING');
        histogram.recordValue(1000);
        return {
          seconds: (performance.now() - begins) / 1000,
          operations: PINGS,
          outcomes: { acked: PINGS, underAcked: 0, rejected: 0, unknown: 0 },
          errors: {},
          histogram: encodeHistogram(histogram),
          load: { cpu: null, eventLoopUtilization: 0 },
        };
      });
    },
    table: [],
    findings: () => [],
    checks: () => [],
  };
}

/** @param {Benchmark} benchmark */
const run = (benchmark) => runQuietly({ benchmarks: [benchmark] });

describe('a benchmark that measures its rounds itself', { skip }, () => {
  test('own stacks: no Sentinels, their own settings, several at once; cases that cannot run are left out', async () => {
    /** @type {Set<string>} */
    const seen = new Set();
    const { result, stopped } = await run(
      ownBenchmark(async ({ testbed, theCase }) => {
        const { stack, controls, primary, replicas = [], others } = testbed;
        const { sentinels } = await stack.database.observe();
        assert.ok(sentinels.every(({ error }) => error !== null));
        assert.equal(replicas.length, 1);
        assert.deepEqual([...controls.keys()].sort(), [primary?.id, replicas[0].id].sort());
        const hz = await controls.get(replicas[0].id)?.call('CONFIG', 'GET', 'hz');
        assert.deepEqual(hz, ['hz', theCase.id === 'one' ? '50' : '10']);
        const [other] = (await others?.(1)) ?? [];
        assert.equal(await other.controls.get(String(other.primary?.id))?.call('DBSIZE'), 0);
        seen.add(other.stack.about.identity).add(stack.about.identity);
      }),
    );
    assert.equal(stopped, undefined);
    assert.equal(seen.size, 2, 'one other stack, however often it is asked for');
    const [{ status, reason, cases, notMeasured }] = ResultSchema.parse(result).benchmarks;
    assert.equal(status, 'ok', reason);
    assert.deepEqual(
      cases.map(({ id, rounds }) => [id, rounds.length]),
      [
        ['one', 2],
        ['two', 2],
      ],
    );
    assert.deepEqual(notMeasured, [{ id: 'lacking', reason: LACKING }]);
    for (const { rounds } of cases) {
      assert.equal(rounds[0].outcomes.acked, PINGS);
      assert.equal(rounds[0].throughput, PINGS / rounds[0].seconds);
      assert.deepEqual(
        rounds[0].nodes.map(({ role }) => role),
        ['primary', 'replica'],
      );
    }
    assert.deepEqual(listStacks(), []);
  });

  test('after an interruption or a failure none of its stacks is left', async () => {
    const controller = new AbortController();
    const benchmark = ownBenchmark(async ({ testbed }) => {
      await testbed.others?.(2);
      controller.abort(new Error('enough'));
      testbed.signal.throwIfAborted();
    });
    const interrupted = runQuietly({ benchmarks: [benchmark], signal: controller.signal });
    await assert.rejects(interrupted, /enough/);
    assert.deepEqual(listStacks(), []);

    const { result } = await run(
      ownBenchmark(async ({ testbed }) => {
        await testbed.others?.(1);
        throw new Error('it broke');
      }),
    );
    assert.equal(result.benchmarks[0].status, 'failed');
    assert.match(String(result.benchmarks[0].reason), /it broke/);
    assert.deepEqual(listStacks(), []);
  });
});
