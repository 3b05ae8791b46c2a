import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rowOf } from './index.js';
import { Article } from './schema.js';

/**
 * @import { Fact } from '../../facts/fact.js'
 * @import { Claim } from './schema.js'
 */

/** @param {Partial<Fact>} about @returns {Fact} */
const factOf = (about) => ({
  run: '2026-01-01T10:00:00.000Z',
  suite: 'main',
  experiment: 'pipeline',
  caseId: JSON.stringify(about.conditions ?? {}),
  ...{ length: '', placement: '', setting: '', way: '', mode: '', writer: 'redis', server: 'redis-7.0', topology: '' },
  metric: 'throughput',
  unit: 'operations/s',
  ...{ median: 0, low: null, high: null, spread: 'range', worst: null, total: null, trialsWithLoss: null },
  n: about.values?.length ?? 0,
  conditions: {},
  values: [],
  ...about,
});
const ROUNDS = [1000, 1010, 990, 1005, 995];
const sync = (/** @type {number} */ factor, /** @type {Partial<Fact>} */ about = {}) => [
  factOf({ conditions: { wait: 0 }, values: ROUNDS, median: 1000, ...about }),
  factOf({ conditions: { wait: 1 }, values: ROUNDS.map((each) => each * factor), median: 1000 * factor, ...about }),
];
const WHERE = { experiment: 'pipeline', metric: 'throughput' };

/** @param {Partial<Claim>} claim @param {Fact[][]} runs */
function row(claim, runs) {
  const whole = { id: 'a.b', claim: 'WAIT costs half', number: 0.5, none: 0, unit: 'share', ...claim };
  const article = Article.parse({ title: 'An article', claims: [whole] });
  return rowOf(article, article.claims[0], runs);
}
/** @type {Partial<Claim>} */
const COST = {
  all: [{ where: WHERE, of: { wait: 1 }, over: { wait: 0 }, as: 'cost', says: 'a cost of {value}: {over} to {of}' }],
};

describe('a claim about rounds', () => {
  test('a cost, paired by round, in the words of the claim', () => {
    const { answer, ours, value } = row(COST, [sync(0.52)]);
    assert.deepEqual([answer, ours, Number(value).toFixed(2)], ['same', 'a cost of 48%: 1.00 k/s to 520 /s', '0.48']);
  });

  test('fewer than five rounds are too noisy, and no run is no figure', () => {
    const few = sync(0.52).map((fact) => ({ ...fact, n: 3, values: fact.values.slice(0, 3) }));
    assert.equal(row(COST, [few]).answer, 'too noisy');
    assert.equal(row(COST, []).text, 'not measured: run `sentinel-bench run pipeline --profile standard`');
  });

  test('Redis counts before Valkey; conditions stand beside the answer', () => {
    const valkey = sync(0.9, { server: 'valkey-8.0', n: 20, values: [...ROUNDS, ...ROUNDS, ...ROUNDS, ...ROUNDS] });
    assert.equal(row(COST, [valkey, sync(0.52)]).answer, 'same');
    const busy = sync(0.52).map((fact) => ({ ...fact, conditions: { ...fact.conditions, limitedBy: 'machine' } }));
    const { answer, differs } = row({ ...COST, differs: 'another client' }, [busy]);
    assert.deepEqual([answer, differs], ['same', 'another client; limited by the machine here']);
  });

  test('what cannot be compared says why, beside our figure', () => {
    const { answer, text, ours } = row({ ...COST, cannotBeCompared: 'another thing' }, [sync(0.52)]);
    assert.deepEqual([answer, text], ['cannot be compared', 'cannot be compared: another thing']);
    assert.match(ours, /^a cost of 48%/);
  });
});

describe('a claim about trials', () => {
  const trial = (/** @type {string} */ metric, /** @type {string} */ way, /** @type {number[]} */ values) =>
    factOf({
      experiment: 'planned-failover',
      metric,
      way,
      values,
      unit: 'writes',
      trialsWithLoss: 0,
      writer: 'native',
    });
  const lost = (/** @type {string} */ by, /** @type {string} */ way) => ({
    by,
    where: { experiment: 'planned-failover', metric: 'lost-writes', way },
    outOf: 'acked',
    says: 'lost {value}',
  });
  /** @type {Partial<Claim>} */
  const NO_LOSS = {
    number: undefined,
    none: undefined,
    unit: undefined,
    ways: [lost('by asking', ''), lost('by hand', 'by-hand')],
  };
  const facts = [
    trial('lost-writes', '', [900, 1000, 1100]),
    trial('acked', '', [9000, 9000, 9000]),
    trial('lost-writes', 'by-hand', [0, 0, 0]),
    trial('acked', 'by-hand', [4000, 4000, 4000]),
  ];

  test('a counterexample refutes it, and the way that holds is named', () => {
    const { answer, text, ours } = row(NO_LOSS, [facts]);
    assert.deepEqual([answer, text], ['only if', 'only if by hand; not by asking']);
    assert.equal(ours, 'by asking: lost 3,000 of 27,000 (3 trials); by hand: lost 0 of 12,000 (3 trials)');
  });

  test('a query that names no way means the plain case', () => {
    assert.equal(row(NO_LOSS, [facts.slice(2)]).ours, 'by hand: lost 0 of 12,000 (3 trials)');
  });
});
