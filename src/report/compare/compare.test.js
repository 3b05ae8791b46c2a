import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../fixture.js';
import { casesThatAre, compareCases, compareResults, isWorse } from './compare.js';
import { renderComparison, verdictSentences } from './comparison-report.js';

/** @import { Result } from '../../result/schema.js' */

const FIVE = [1, 0.97, 1.02, 0.99, 1.01];
const THROUGHPUT = { metric: 'throughput', threshold: 0.05 };

/**
 * @param {number} writes of the median round
 * @param {{count?: number, medianNs?: number, pipeline?: number}} [more]
 */
function sideOf(writes, { count = 5, medianNs = 45_000, pipeline = 1 } = {}) {
  const rounds = FIVE.slice(0, count).map((factor, i) =>
    roundOf({ writes: Math.round(writes * factor), medianNs: medianNs * factor, seed: i + 1 }),
  );
  return caseOf('one', { pipeline }, rounds);
}

/** @param {(result: Result) => void} change */
function changed(change) {
  const result = resultOf();
  change(result);
  return result;
}

/** @param {Result} b */
const differencesTo = (b) => compareResults(resultOf(), b, THROUGHPUT).differences;

test('a run compared with itself shows no difference', () => {
  const { cases, differences, onlyInA, onlyInB } = compareResults(resultOf(), resultOf(), THROUGHPUT);
  assert.deepEqual(
    cases.map(({ benchmark, id, verdict, ratio }) => [benchmark, id, verdict, ratio?.median]),
    [
      ['async-vs-wait', 'none', 'no difference', 1],
      ['async-vs-wait', 'wait1', 'no difference', 1],
    ],
  );
  assert.deepEqual([differences, onlyInA, onlyInB], [[], [], []]);
});

test('20% less throughput is worse, 20% more is better, 2% is neither', () => {
  const base = sideOf(2000);
  const verdicts = [1600, 2400, 1960].map((writes) => compareCases(base, sideOf(writes), THROUGHPUT).verdict);
  assert.deepEqual(verdicts, ['worse', 'better', 'no difference']);
  const { a, b, ratio, rounds } = compareCases(base, sideOf(1600), THROUGHPUT);
  assert.deepEqual([a, b, rounds], [2000, 1600, { a: 5, b: 5 }]);
  assert.ok(ratio && Math.abs(ratio.median - 0.8) < 0.005 && ratio.low < 0.8 && ratio.high > 0.8);
});

test('more latency is worse, less is better', () => {
  const base = sideOf(2000);
  const metric = { metric: 'p50', threshold: 0.05 };
  assert.equal(compareCases(base, sideOf(2000, { medianNs: 60_000 }), metric).verdict, 'worse');
  assert.equal(compareCases(base, sideOf(2000, { medianNs: 30_000 }), metric).verdict, 'better');
});

test('the user sets the threshold', () => {
  const [base, slower] = [sideOf(2000), sideOf(1600)];
  assert.equal(compareCases(base, slower, { metric: 'throughput', threshold: 0.3 }).verdict, 'no difference');
});

test('a case that cannot be compared has a reason', () => {
  const base = sideOf(2000);
  const nothing = caseOf(
    'one',
    {},
    FIVE.map(() => roundOf({ writes: 0 })),
  );
  const reason = (/** @type {any} */ a, /** @type {any} */ b, metric = 'throughput') => {
    const { verdict, ratio, reason: told } = compareCases(a, b, { metric, threshold: 0.05 });
    assert.deepEqual([verdict, ratio], ['unknown', null]);
    return told;
  };
  assert.match(`${reason(base, sideOf(2000, { count: 2 }))}`, /too few rounds/);
  assert.match(`${reason(nothing, base)}`, /^A acknowledged nothing/);
  assert.match(`${reason(base, { params: base.params, rounds: [] })}`, /^B has no round/);
  assert.match(`${reason(base, nothing, 'p50')}`, /^B has no latency/);
  assert.match(`${reason(base, sideOf(2000, { pipeline: 100 }), 'p99')}`, /^B has too few values/);
  assert.match(`${reason(base, base, 'p999')}`, /^A has too few values/);
});

test('a run without acknowledged writes is worse, not unknown', () => {
  const nothing = caseOf(
    'one',
    {},
    FIVE.map(() => roundOf({ writes: 0 })),
  );
  const { verdict, ratio } = compareCases(sideOf(2000), nothing, THROUGHPUT);
  assert.equal(verdict, 'worse');
  assert.deepEqual(ratio, { median: 0, low: 0, high: 0 });
});

test('cases that only one of the two has are listed', () => {
  const a = resultOf();
  const b = changed(({ benchmarks }) => {
    benchmarks[0].cases[1].id = 'wait2';
  });
  const { cases, onlyInA, onlyInB } = compareResults(a, b, THROUGHPUT);
  assert.deepEqual(
    cases.map(({ id }) => id),
    ['none'],
  );
  assert.deepEqual(onlyInA, [{ benchmark: 'async-vs-wait', id: 'wait1' }]);
  assert.deepEqual(onlyInB, [{ benchmark: 'async-vs-wait', id: 'wait2' }]);
});

test('cases are found by their verdict', () => {
  const b = changed(({ benchmarks }) => {
    for (const round of benchmarks[0].cases[1].rounds) round.throughput /= 2;
  });
  const comparison = compareResults(resultOf(), b, THROUGHPUT);
  assert.deepEqual(
    casesThatAre(comparison, 'worse').map(({ id }) => id),
    ['wait1'],
  );
});

/** @type {[string, (result: Result) => void, string][]} */
const MATTERS = [
  ['server name', ({ cluster }) => Object.assign(cluster.server, { name: 'valkey' }), 'server'],
  ['server version', ({ cluster }) => Object.assign(cluster.server, { version: '9.9.9' }), 'server'],
  ['CPU model', ({ environment }) => Object.assign(environment, { cpuModel: 'another' }), 'CPU model'],
  ['cores', ({ environment }) => Object.assign(environment, { cores: 64 }), 'cores'],
  ['backend', ({ cluster }) => Object.assign(cluster, { backend: 'docker' }), 'backend'],
  ['path', ({ cluster }) => Object.assign(cluster, { path: 'published port' }), 'path to the nodes'],
  ['Node.js', ({ environment }) => Object.assign(environment, { node: '99.0.0' }), 'Node.js'],
  ['length of a round', ({ profile }) => Object.assign(profile, { seconds: 77 }), 'profile'],
  ['number of rounds', ({ profile }) => Object.assign(profile, { rounds: 77 }), 'profile'],
  ['version of the client', ({ tool }) => Object.assign(tool, { version: '99.0.0' }), 'client native'],
  [
    'parameters of a case',
    ({ benchmarks }) => Object.assign(benchmarks[0].cases[0].params, { rate: 500 }),
    'rate of async-vs-wait/none',
  ],
];
for (const [what, change, expected] of MATTERS) {
  test(`another ${what} matters`, () => {
    assert.deepEqual(
      differencesTo(changed(change)).map((difference) => difference.what),
      [expected],
    );
  });
}

test('seed, time, commit, command and a client that no case uses do not matter', () => {
  const b = changed((result) => {
    result.seed++;
    result.startedAt = result.finishedAt;
    result.command = 'sentinel-bench run';
    result.tool.commit = '0'.repeat(40);
    result.environment.clients.redis = '99.0.0';
  });
  assert.deepEqual(differencesTo(b), []);
});

/** @param {Record<string, Record<string, string>>} config by node @param {string} [primary] */
function withConfig(config, primary = 'redis-1') {
  return changed(({ cluster }) => {
    cluster.nodes = ['redis-1', 'redis-2', 'redis-3'].map((id) => ({
      id,
      kind: 'redis',
      role: id === primary ? 'primary' : 'replica',
    }));
    cluster.config = config;
  });
}

/** @param {Result} a @param {Result} b */
const settingsOf = (a, b) => compareResults(a, b, THROUGHPUT).differences;

test('the configuration is compared by role; a setting that differs in both roles appears once', () => {
  const base = { 'redis-1': { appendonly: 'no' }, 'redis-2': { appendonly: 'no' }, 'redis-3': { appendonly: 'no' } };
  const on = { appendonly: 'yes' };
  assert.deepEqual(settingsOf(withConfig(base), withConfig({ 'redis-1': on, 'redis-2': on, 'redis-3': on })), [
    { what: 'appendonly', a: 'no', b: 'yes' },
  ]);
  assert.deepEqual(settingsOf(withConfig(base), withConfig({ ...base, 'redis-1': on })), [
    { what: 'appendonly of the primary', a: 'no', b: 'yes' },
  ]);
  assert.deepEqual(settingsOf(withConfig(base), withConfig({ ...base, 'redis-3': on })), [
    { what: 'appendonly of the replicas', a: 'no', b: 'no or yes' },
  ]);
  assert.deepEqual(
    settingsOf(withConfig({ ...base, 'redis-1': on }), withConfig({ ...base, 'redis-2': on }, 'redis-2')),
    [],
  );
});

test('ports, old names and settings that only one server knows are left out', () => {
  const a = withConfig({ 'redis-1': { port: '6379', 'min-slaves-to-write': '1', 'io-threads': '1' } });
  const b = withConfig({ 'redis-1': { port: '7000', 'min-slaves-to-write': '0', 'io-threads': '1', new: 'yes' } });
  assert.deepEqual(settingsOf(a, b), []);
});

test('a benchmark that failed only in B makes B worse, in every output', () => {
  const failed = changed((result) => {
    result.benchmarks.push({
      ...result.benchmarks[0],
      name: 'payload',
      status: 'failed',
      reason: 'redis-2 went away.',
      cases: [],
    });
  });
  const whole = changed((result) => {
    result.benchmarks.push({ ...result.benchmarks[0], name: 'payload' });
  });
  const comparison = compareResults(whole, failed, THROUGHPUT);
  assert.deepEqual(comparison.failedInB, [{ benchmark: 'payload', reason: 'redis-2 went away.' }]);
  assert.equal(isWorse(comparison), true);
  assert.match(renderComparison(comparison, { nameA: 'a', nameB: 'b', color: false }), /payload failed in B: redis-2/);
  assert.deepEqual(verdictSentences(comparison)[0], { text: 'payload failed in B: redis-2 went away.', worse: true });
  assert.equal(isWorse(compareResults(failed, failed, THROUGHPUT)), false, 'it is no news');
  assert.equal(isWorse(compareResults(failed, whole, THROUGHPUT)), false, 'it is better');
});
