import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf } from '../../src/report/trials/fixture.js';
import { pauseTrialOf, sweepResultOf } from './decision-fixture.js';
import { recommend, recommendationDocument } from './recommend.js';

/**
 * @import { Configuration } from './decision-fixture.js'
 * @import { JudgedMode, Limits } from './recommend.js'
 */

/** @param {readonly JudgedMode[]} judged */
const titles = (judged) => judged.map(({ row }) => row.title);

/** @param {Limits} limits @param {Configuration[]} [configurations] */
function groupsOf(limits, configurations) {
  const { meets, undecided, fails } = recommend(sweepResultOf(configurations), limits);
  return { meets: titles(meets), undecided: titles(undecided), fails: titles(fails) };
}

describe('recommending configurations', () => {
  test('the default limits: no loss, and writes with one replica frozen', () => {
    assert.deepEqual(groupsOf({ maxLoss: { count: 0 }, survive: ['one-replica-down'] }), {
      meets: ['WAIT 1'],
      undecided: ['WAIT 1 (sequential)', 'AOF always', 'WAIT 1 (down-after 1 s)'],
      fails: ['async', 'min-replicas 1', 'WAIT 2'],
    });
  });

  test('cheapest first, at the depth that was asked for', () => {
    const configurations = /** @type {Configuration[]} */ ([
      { mode: 'async', throughput: [20_000, 100_000] },
      { mode: 'wait1', throughput: [10_000, 90_000] },
      { mode: 'wait2', throughput: [9000, 110_000] },
    ]);
    assert.deepEqual(groupsOf({}, configurations).meets, ['async', 'WAIT 1', 'WAIT 2']);
    assert.deepEqual(groupsOf({ batch: 100 }, configurations).meets, ['WAIT 2', 'async', 'WAIT 1']);
  });

  test('a loss that was seen in one trial rules out, whatever the median', () => {
    const configurations = /** @type {Configuration[]} */ ([
      { mode: 'async', lostOnKill: [0, 0, 3], lostOnPartition: [0, 0, 0] },
    ]);
    assert.deepEqual(groupsOf({ maxLoss: { count: 2 } }, configurations).fails, ['async']);
    assert.deepEqual(groupsOf({ maxLoss: { count: 3 } }, configurations).meets, ['async']);
    // 3 of 16,000.
    assert.deepEqual(groupsOf({ maxLoss: { share: 0.0001 } }, configurations).fails, ['async']);
    assert.deepEqual(groupsOf({ maxLoss: { share: 0.0002 } }, configurations).meets, ['async']);
  });

  test('an interval meets or fails a limit as a whole: a limit within the interval leaves it uncertain', () => {
    const configurations = /** @type {Configuration[]} */ ([
      { mode: 'async', throughput: [20_000, 20_000], medianMs: 0.05 },
      { mode: 'wait1', throughput: [10_000, 10_000], medianMs: 0.1 },
    ]);
    // 9,700–10,200 over the rounds.
    const at = (/** @type {number} */ perSecond) => groupsOf({ minThroughput: { perSecond } }, configurations);
    assert.deepEqual(at(9600), { meets: ['async', 'WAIT 1'], undecided: [], fails: [] });
    assert.deepEqual(at(9900), { meets: ['async'], undecided: ['WAIT 1'], fails: [] });
    assert.deepEqual(at(10_100), { meets: ['async'], undecided: ['WAIT 1'], fails: [] });
    assert.deepEqual(at(10_300), { meets: ['async'], undecided: [], fails: ['WAIT 1'] });
    const relative = (/** @type {number} */ share) => groupsOf({ minThroughput: { share } }, configurations);
    assert.deepEqual(relative(0.4).meets, ['async', 'WAIT 1']);
    assert.deepEqual(relative(0.6).fails, ['WAIT 1']);
  });

  test('an outage to the end meets no limit', () => {
    const { fails, meets } = groupsOf({ maxUnavailableMs: 3_600_000 });
    assert.deepEqual(fails, ['WAIT 2']);
    assert.ok(meets.includes('WAIT 1'));
    assert.ok(groupsOf({ maxUnavailableMs: 6279 }).fails.includes('WAIT 1'));
    const [async] = recommend(sweepResultOf(), { maxUnavailableMs: 100 }).meets;
    assert.deepEqual(
      async.judgements.map(({ figure }) => figure),
      ['62.0 ms', '62.0 ms'],
    );
    assert.ok(groupsOf({ maxUnavailableMs: 2200 }).meets.includes('WAIT 1 (down-after 1 s)'));
  });

  test('with both replicas down: refused and short are both not acked', () => {
    const { meets, fails } = groupsOf({ survive: ['both-replicas-down'] });
    assert.deepEqual(meets, ['async', 'WAIT 1']);
    assert.deepEqual(fails, ['min-replicas 1', 'WAIT 2']);
  });
});

test('several trials show their range; a share limit shows the deciding share', () => {
  const result = sweepResultOf([{ mode: 'async', throughput: [500, 1000], lostOnKill: [0, 160] }]);
  const [killed, paused] = ['sweep-killed', 'sweep-one-replica-paused'].map((name) => {
    const found = result.benchmarks.find((benchmark) => benchmark.name === name);
    assert.ok(found);
    return found;
  });
  paused.audit?.push(auditOf('async', { round: 2 }));
  paused.timeline?.push(pauseTrialOf('async', [{ writer: 'sticky', outcome: 'rejected' }], 2));
  const figures = (/** @type {Limits} */ limits) => {
    const { meets, undecided, fails } = recommend(result, limits);
    return [meets, undecided, fails].flat()[0].judgements[0];
  };
  assert.deepEqual(figures({ survive: ['one-replica-down'] }), {
    criterion: 'one-replica-down',
    verdict: 'fails',
    figure: '50% (0–100)',
  });
  assert.equal(figures({ maxLoss: { share: 0.5 } }).figure, '1.0%');
  killed.audit = [
    auditOf('async', { round: 1, writer: 'sticky', acked: 10_000, ackedLost: 100 }),
    auditOf('async', { round: 1, writer: 'failover-aware', acked: 1000, ackedLost: 90 }),
  ];
  assert.deepEqual(figures({ maxLoss: { share: 0.05 } }), {
    criterion: 'loss-kill',
    verdict: 'fails',
    figure: '9.0%',
  });
  assert.equal(figures({ maxLoss: { count: 99 } }).figure, '100');
});

describe('without a mode that meets every limit the closest one is named', () => {
  const STRICT = /** @type {Limits} */ ({ maxLoss: { count: 0 }, faults: ['kill', 'partition', 'frozen'] });
  const alike = (/** @type {number} */ lost) =>
    /** @type {Configuration[]} */ ([
      { mode: 'async', throughput: [900, 900], lostOnKill: [0], lostOnPartition: [7] },
      { mode: 'min1', throughput: [800, 900], lostOnKill: [0], lostOnPartition: [lost] },
    ]);

  /** @type {[why: string, best: string | undefined, configurations: Configuration[], limits?: Limits][]} */
  const CASES = [
    [
      'the one that meets the most limits, although another is cheaper and lost less',
      'min1',
      [
        { mode: 'async', throughput: [900, 900], lostOnKill: [5], lostOnPartition: [5], lost: { frozen: [0] } },
        { mode: 'min1', throughput: [800, 900], lostOnKill: [0], lostOnPartition: [9000], lost: { frozen: [0] } },
      ],
    ],
    [
      'of these the one that fails the fewest, although another lost less',
      'min1',
      [
        { mode: 'async', throughput: [900, 900], lostOnKill: [0], lostOnPartition: [5], lost: { frozen: [6] } },
        { mode: 'min1', throughput: [800, 900], lostOnKill: [0], lostOnPartition: [7], lost: { stop: [9000] } },
      ],
    ],
    ['of these the one that lost least', 'min1', alike(5)],
    ['then the cheapest', 'async', alike(7)],
    [
      'one that goes on with a replica away before one that stops then, although that one lost nothing',
      'wait1',
      [
        { mode: 'wait2', lostOnKill: [0], lostOnPartition: [0], oneDown: ['unsent', 0] },
        { mode: 'wait1', lostOnKill: [0], lostOnPartition: [900] },
      ],
      { ...STRICT, survive: ['one-replica-down'] },
    ],
    [
      'only a mode itself that went through a fault',
      'async',
      [
        { mode: 'async', throughput: [500, 500], lostOnKill: [5] },
        { mode: 'aof', throughput: [900, 900] },
        { mode: 'wait1', setting: 'down-after-1s', lostOnKill: [0] },
      ],
      { maxLoss: { count: 0 }, minThroughput: { perSecond: 700 } },
    ],
    ['none if no mode did', undefined, [{ mode: 'aof', throughput: [900, 900] }], { maxLoss: { count: 0 } }],
  ];
  for (const [why, best, configurations, limits = STRICT] of CASES)
    test(why, () => assert.equal(recommend(sweepResultOf(configurations), limits).best?.row.id, best));
});

describe('how many modes fail by a limit, and the best of them', () => {
  const configurations = /** @type {Configuration[]} */ ([
    { mode: 'async', throughput: [900, 900], lostOnKill: [5], oneDown: ['rejected', 90] },
    { mode: 'min1', throughput: [800, 900], lostOnKill: [3], oneDown: ['rejected', 95] },
    { mode: 'wait1', throughput: [500, 900], lostOnKill: [0] },
    { mode: 'wait2', throughput: [400, 900], lostOnKill: [0] },
    { mode: 'aof', throughput: [300, 900] },
  ]);

  test('a smaller loss is better, a larger share too; equally good modes are all named', () => {
    const limits = /** @type {Limits} */ ({ maxLoss: { count: 0 }, survive: ['one-replica-down'] });
    const { tallies } = recommend(sweepResultOf(configurations), limits);
    assert.deepEqual(
      tallies.map(({ criterion, fails, open, best }) => [criterion, fails, open, best?.titles]),
      [
        ['loss-kill', 2, 1, ['WAIT 1', 'WAIT 2']],
        ['one-replica-down', 2, 1, ['WAIT 1', 'WAIT 2']],
      ],
    );
  });

  test('uncertain counts as open; without a figure there is no best', () => {
    const result = sweepResultOf(configurations);
    const [async] = recommend(result, {}).meets;
    const { median = 0, low = 0 } = async.row.healthy[1]?.throughput ?? {};
    const tally = (/** @type {number} */ perSecond) => recommend(result, { minThroughput: { perSecond } }).tallies[0];
    assert.deepEqual([tally(median).fails, tally(median).open], [4, 1]);
    assert.deepEqual([tally(low).fails, tally(low).open], [4, 0], 'the limit itself meets');
    const [none] = recommend(result, { maxLoss: { count: 0 }, faults: ['power'] }).tallies;
    assert.deepEqual([none.fails, none.open, none.best], [0, 5, null]);
  });
});

describe('the figure that decides', () => {
  test('an outage with its range over the trials; the worst trial decides', () => {
    const result = sweepResultOf([{ mode: 'async', lostOnKill: [0, 0] }]);
    for (const audit of result.benchmarks.find(({ name }) => name === 'sweep-killed')?.audit ?? [])
      audit.unavailableMs = 100 * audit.round;
    const judge = (/** @type {number} */ maxUnavailableMs) => {
      const { meets, undecided, fails } = recommend(result, { maxUnavailableMs, faults: ['kill'] });
      return [meets, undecided, fails].flat()[0].judgements[0];
    };
    assert.deepEqual(
      [200, 199, 150, 149].map((limit) => judge(limit).verdict),
      ['meets', 'uncertain', 'uncertain', 'fails'],
    );
    assert.match(judge(200).figure, /^150 ms \(100 ms–200 ms\)$/);
  });
});

test('the document has the figures at the depth that was asked for; null is not measured', () => {
  const limits = /** @type {Limits} */ ({ maxLoss: { count: 0 }, survive: ['one-replica-down'], batch: 100 });
  const recommendation = recommend(sweepResultOf(), limits);
  const document = /** @type {any} */ (recommendationDocument(recommendation));
  assert.deepEqual([document.limits, document.tallies], [limits, recommendation.tallies]);
  assert.equal(document.criteria[0].text, 'lost (primary killed): at most 0');
  const [best] = document.meets;
  assert.deepEqual(
    [best.configuration, best.throughput, best.ofAsync],
    ['wait1', recommendation.meets[0].row.healthy[100]?.throughput, recommendation.meets[0].row.healthy[100]?.relative],
  );
  const variant = document.undecided.find((/** @type {any} */ { title }) => title.includes('down-after'));
  assert.deepEqual([variant.throughput, variant.ofAsync, variant.p99Ns], [null, null, null]);
  assert.equal(variant.judgements.at(-1).figure, null);
});
