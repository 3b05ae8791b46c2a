/** What a benchmark of load asks of the load thread and of the stack. The thread here measures nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeCase } from './case.js';
import { measureRounds } from './rounds.js';
import { benchmarkOf, benchOf, PRIMARY, REPLICAS, targetOf } from './rounds-fixture.js';

/**
 * @import { RoundPlan } from '../load/types.js'
 * @import { CaseParams } from '../result/schema.js'
 * @import { Case, LoadBenchmark } from './types.js'
 */

/** @param {Case[]} cases @param {Parameters<typeof benchOf>[0] & {benchmark?: Partial<LoadBenchmark>}} [options] */
async function measured(cases, { benchmark, ...options } = {}) {
  const { testbed, calls, plans } = benchOf(options);
  const begun = /** @type {[number, string[]][]} */ ([]);
  const ended = /** @type {string[]} */ ([]);
  const more = /** @type {number[]} */ ([]);
  const results = await measureRounds(testbed, benchmarkOf(benchmark), cases, 'sentinel-bench:t:', {
    onRound: (round, next) => begun.push([round, next.map(({ id }) => id)]),
    onRoundEnd: ({ id }) => ended.push(id),
    onMore: (rounds) => more.push(rounds),
  });
  return { results, calls, plans, begun, ended, more };
}

test('cases of several stacks are interleaved, each on its own', async () => {
  const benches = [benchOf(), benchOf()];
  const cases = ['a', 'b', 'c', 'd'].map((id, index) => ({ ...makeCase({ payloadBytes: index + 1 }), id }));
  const begun = /** @type {string[]} */ ([]);
  await measureRounds(benches[0].testbed, benchmarkOf(), cases, 'p:', {
    onRound: (_round, next) => begun.push(...next.map(({ id }) => id)),
    testbedOf: ({ id }) => benches['ab'.includes(id) ? 0 : 1].testbed,
  });
  const sizes = benches.map(({ plans }) => new Set(plans.map(({ shape }) => shape.payloadBytes)));
  assert.deepEqual(sizes, [new Set([1, 2]), new Set([3, 4])]);
  assert.deepEqual(
    [...begun.slice(0, 4)].sort(),
    ['a', 'b', 'c', 'd'],
    'every case has its first round before a second one',
  );
});

test('each round has every case once, in an order of its own', async () => {
  const cases = [1, 10, 100, 1000].map((pipeline) => makeCase({ pipeline }));
  const { begun } = await measured(cases, { rounds: 12 });
  assert.deepEqual(
    begun.map(([round]) => round),
    begun.map((_, index) => 1 + Math.floor(index / 4)),
  );
  const orders = Array.from({ length: 12 }, (_, index) =>
    begun.slice(index * 4, (index + 1) * 4).flatMap(([, ids]) => ids),
  );
  for (const order of orders) assert.deepEqual([...order].sort(), cases.map(({ id }) => id).sort());
  // Of 24 possible orders, 12 random ones are fewer than 5 different ones in less than one of 100,000 seeds.
  assert.ok(new Set(orders.map(String)).size >= 5);
});

describe('the plan of a round', () => {
  /** @type {[params: Partial<CaseParams>, expected: object][]} */
  const PLANS = [
    [
      { payloadBytes: 100, pipeline: 10, wait: 2, waitTimeoutMs: 50, waitMode: 'sequential', connections: 3 },
      {
        connections: 3,
        shape: {
          payloadBytes: 100,
          pipeline: 10,
          waitReplicas: 2,
          waitTimeoutMs: 50,
          waitMode: 'sequential',
          keyPrefix: 'sentinel-bench:t:',
        },
      },
    ],
    [
      { client: 'ioredis', operation: 'get', keyspace: 7 },
      { client: 'ioredis', operation: 'get', keyspace: 7 },
    ],
    [{ backgroundConnections: 4 }, { backgroundConnections: 4 }],
    [{ readFrom: 'replicas' }, { targets: REPLICAS.map(targetOf) }],
    // At most a second of overdue operations, and less in a short round.
    [{ rate: 500 }, { openLoop: { rate: 500, arrivals: 'poisson', graceSeconds: 0.5 } }],
  ];
  for (const [params, expected] of PLANS) {
    test(JSON.stringify(params), async () => {
      const { plans } = await measured([makeCase(params)]);
      const [plan] = plans;
      assert.deepEqual({ ...plan, ...expected }, plan);
    });
  }

  test('what a case does not ask for is not in it', async () => {
    const { plans } = await measured([makeCase({})]);
    const { seed, shape, keyspace, ...plan } = plans[0];
    assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
    assert.deepEqual(plan, {
      generator: 'writes',
      client: 'native',
      primary: targetOf(PRIMARY),
      replicas: REPLICAS.map(targetOf),
      connections: 1,
      backgroundConnections: 0,
      seconds: 0.5,
      warmUpSeconds: 0.1,
    });
    assert.ok(!('waitLocal' in shape));
    assert.equal(keyspace, 100_000);
    const { plans: local } = await measured([makeCase({ waitLocal: 0 })]);
    assert.equal(local[0].shape.waitLocal, 0);
    const { plans: readPlans } = await measured([makeCase({})], { benchmark: { load: 'read-after-write' } });
    assert.equal(readPlans[0].generator, 'read-after-write');
  });
});

test('the seed of a run decides the order of rounds and the keys of each; no two rounds have the same keys', async () => {
  const cases = [1, 10, 100].map((pipeline) => makeCase({ pipeline }));
  const of = async (/** @type {number} */ seed) => {
    const { plans } = await measured(cases, { seed, rounds: 3 });
    return plans.map(({ seed: roundSeed, shape }) => `${shape.pipeline} ${roundSeed}`);
  };
  const plans = await of(7);
  assert.deepEqual(await of(7), plans);
  assert.notDeepEqual(await of(8), plans);
  assert.equal(new Set(plans.map((plan) => plan.split(' ')[1])).size, 9);
});

describe('the stack before a round', () => {
  const settings = { appendonly: 'yes' };

  test('has the settings of the case, and work in the background has ended', async () => {
    const controls = new Map([['redis-1', /** @type {any} */ ({})]]);
    const { testbed, calls } = benchOf({ more: { controls } });
    Object.assign(testbed.stack.database, { samples: {} });
    const round = measureRounds(testbed, benchmarkOf(), [makeCase({ settings })], 'p:', { onRound() {} });
    await round.catch(() => {});
    assert.deepEqual(calls.slice(0, 2), [
      ['become', settings, { primary: 'redis-1', replicas: ['redis-2', 'redis-3'] }],
      ['settled'],
    ]);
  });

  test('is kept busy during the round if the case asks for it', async () => {
    const { results, calls } = await measured([makeCase({ during: 'snapshot' })]);
    assert.deepEqual(calls[1], ['busy', PRIMARY.address, 'snapshot']);
    const [{ rounds }] = results.values();
    assert.equal(rounds[0].duringShare, 0.25);
  });

  test('an interrupted run measures no further round', async () => {
    const controller = new AbortController();
    const { testbed, plans } = benchOf({ more: { signal: controller.signal } });
    testbed.tuning.become = async () => controller.abort(new Error('interrupted'));
    await assert.rejects(measureRounds(testbed, benchmarkOf(), [makeCase({})], 'p:', { onRound() {} }), {
      message: 'interrupted',
    });
    assert.deepEqual(plans, []);
  });
});

describe('a case and its baseline', () => {
  const CASES = [makeCase({}), makeCase({ wait: 1 }, { wait: 0 }), makeCase({ wait: 2 }, { wait: 0 })];
  const OTHER = makeCase({ pipeline: 100 });

  test('are measured side by side, in random order', async () => {
    const { begun, ended } = await measured([...CASES, OTHER], { rounds: 6 });
    assert.equal(ended.length, 24);
    const orders = new Set();
    for (let round = 0; round < 6; round++) {
      const ids = begun.slice(round * 4, round * 4 + 4).map(([number, next]) => {
        assert.equal(number, round + 1);
        assert.equal(next.length, 1);
        return next[0];
      });
      assert.ok(ids[0] === OTHER.id || ids[3] === OTHER.id, 'nothing comes between them');
      orders.add(ids.join());
    }
    assert.ok(orders.size > 2);
  });

  test('take turns within a round if the benchmark says so; a case alone does not', async () => {
    const { begun, calls, results, ended } = await measured([...CASES, OTHER], { benchmark: { turns: true } });
    assert.deepEqual(begun.map(([, next]) => next.length).toSorted(), [1, 3]);
    assert.deepEqual(
      calls.filter((call) => /** @type {unknown[]} */ (call)[0] === 'turns'),
      [['turns', 3]],
    );
    const turns = calls.flatMap((call) => {
      const [what, index] = /** @type {[string, number]} */ (call);
      return what === 'turn' ? [index] : [];
    });
    // 0.5 s in parts of 15 ms.
    assert.equal(turns.length, 3 * 33);
    for (let part = 0; part < turns.length; part += 3)
      assert.deepEqual(turns.slice(part, part + 3).toSorted(), [0, 1, 2]);
    assert.equal(ended.length, 4);
    assert.ok([...results.values()].every(({ rounds }) => rounds.length === 1));
  });
});

describe('a headline case', () => {
  const CASES = [makeCase({}), makeCase({ wait: 1 }, { wait: 0 }), makeCase({ pipeline: 100 })];
  const precision = { headline: () => true, halfWidth: 0.05, least: 5, most: 12, seconds: 60 };

  test('gets further rounds with its baseline, and the others do not', async () => {
    const wavering = (/** @type {RoundPlan} */ { shape }, /** @type {number} */ round) =>
      shape.waitReplicas === 0 ? 1000 : 500 + 300 * (round % 3);
    const { results, more } = await measured(CASES, {
      rounds: 3,
      throughput: wavering,
      benchmark: { precision: () => precision },
    });
    const counts = CASES.map(({ id }) => results.get(id)?.rounds.length);
    assert.deepEqual(counts, [12, 12, 3]);
    assert.equal(results.get(CASES[1].id)?.stop, 'most');
    assert.equal(results.get(CASES[0].id)?.stop, undefined);
    assert.equal(
      more.reduce((sum, rounds) => sum + rounds, 0),
      18,
    );
  });

  test('ends once it is decided, or when the time is up', async () => {
    const { results } = await measured(CASES, { rounds: 3, benchmark: { precision: () => precision } });
    assert.deepEqual([results.get(CASES[1].id)?.rounds.length, results.get(CASES[1].id)?.stop], [5, 'decided']);
    const late = await measured(CASES, { rounds: 3, benchmark: { precision: () => ({ ...precision, seconds: 0 }) } });
    assert.deepEqual(
      CASES.map(({ id }) => late.results.get(id)?.rounds.length),
      [3, 3, 3],
      'the pilot is completed',
    );
    assert.equal(late.results.get(CASES[1].id)?.stop, 'time');
  });
});
