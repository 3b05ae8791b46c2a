import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verdictOf } from '../../src/report/articles.js';
import { addedText, costText } from '../../src/report/costs.js';
import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { makeCase } from '../../src/run/case.js';
import { PROFILES } from '../../src/run/profiles.js';
import { claims } from './claims.js';
import firstArticle from './first-article.js';
import main from './index.js';
import latencyCurve from './latency-curve.js';
import { pageData } from './page.js';

/** @import { Benchmark } from '../../src/run/types.js' */
/** @import { BenchmarkResult, CaseParams, CaseResult, Result } from '../../src/result/schema.js' */

const OPTIONS = { server: { name: 'redis', version: '7.4.0' }, profile: PROFILES.standard, storages: [] };
const WAVERING = [1, 0.98, 1.01, 0.99, 1.02];

/**
 * @param {Benchmark} benchmark
 * @param {(params: CaseParams) => number} writes of a round
 * @param {number} [noise] how far the first round is off
 * @returns {BenchmarkResult} all its cases, with findings
 */
function measured(benchmark, writes, noise = 0) {
  /** @type {Map<string, CaseResult>} */
  const cases = new Map();
  // Baselines first: cases refer to them.
  for (const { id, params, baseline } of benchmark
    .cases(OPTIONS)
    .toSorted((a, b) => Number(!!a.baseline) - Number(!!b.baseline))) {
    const rounds = WAVERING.map((factor, i) => {
      const off = params.wait > 0 && i === 0 ? 1 + noise : 1;
      const round = roundOf({ writes: Math.round(writes(params) * factor * off), medianNs: 45_000, seed: i + 1 });
      const openLoop = {
        askedRate: params.rate ?? 0,
        achievedRate: params.rate ?? 0,
        arrivals: /** @type {const} */ ('poisson'),
        due: 100,
        unsent: 0,
        sustained: (params.rate ?? 0) <= 20_000,
        serviceNs: round.latencyNs,
        serviceHistogram: round.histogram,
        latenessNs: round.latencyNs,
        latenessHistogram: round.histogram,
      };
      const consistency = { reads: 1000, immediate: params.wait === 0 ? 999 : 1000, afterWait: 0, stale: 0 };
      return { ...round, ...(params.rate !== undefined && { openLoop }), consistency };
    });
    cases.set(id, caseOf(id, params, rounds, baseline === undefined ? undefined : cases.get(baseline)));
  }
  const result = {
    name: benchmark.name,
    question: benchmark.question,
    status: /** @type {const} */ ('ok'),
    cases: [...cases.values()],
  };
  const whole = { ...result, checks: [], findings: [] };
  return { ...whole, findings: benchmark.findings(whole, {}), checks: benchmark.checks(whole) };
}

/** @param {CaseParams} params */
const usual = ({ wait, waitMode, connections }) =>
  Math.min(connections, 50) * (wait === 0 ? 200 : waitMode === 'pipelined' ? 130 : 90);

/** Measured once: its histograms take long. */
const whole = { ...resultOf(), benchmarks: main.benchmarks.map((benchmark) => measured(benchmark, usual)) };

/** @returns {Result} with everything that a standard run has */
const wholeRun = () => structuredClone(whole);

describe('the page', () => {
  const page = renderFrontPage(whole, [main], { figure: ({ id }) => `[${id}]` });
  const [answer] = page.split('\n## ');

  test('answers in three short sentences, and fits its budget', () => {
    const items = page.split('\n').filter((line) => line.startsWith('- '));
    for (const item of items) assert.ok(item.split(' ').length <= 31, item);
    assert.equal(answer.match(/^- /gm)?.length, 3, answer);
    const text = page.replaceAll(/```[\s\S]*?```/g, '');
    assert.ok(text.split(/[\s|]+/).filter((word) => /\w/.test(word)).length <= 900);
  });

  test('has every table of the article, theirs beside ours', () => {
    for (const row of [
      /^\| native, WAIT 1 +\|.* ms/m,
      /^\| the article, WAIT 1 +\| +0\.030 ms \| +54% \| 16\.3 k\/s/m,
      /^\| 100 +\|.*k\/s/m,
      /^\| 100, the article +\|.* 17% .* 392 k\/s/m,
      /^\| 50, the article +\| +157 k\/s \| +0\.32 ms \| +0\.52 ms/m,
      /^\| no WAIT +\| +99\.9% \|/m,
      /^\| WAIT 1 \+ min-replicas 1 \+ AOF everysec +\|/m,
    ])
      assert.match(page, row);
  });

  test('a tail that is shorter with WAIT than without is chance, and left out', () => {
    const columnsWith = (/** @type {number} */ p99) => {
      const run = structuredClone(whole);
      const [{ cases }] = run.benchmarks;
      for (const { params, summary } of cases) {
        const ns = params.wait === 0 ? 2e6 : p99;
        summary.p99Ns = { median: ns, low: ns, high: ns };
        summary.latencyNs.p99 = ns;
        summary.samples = 10_000;
      }
      return pageData(run).tables.wait.columns.map(({ title }) => title);
    };
    assert.ok(columnsWith(3e6).includes('p99'));
    assert.ok(!columnsWith(1e6).includes('p99'));
  });

  test('a cost whose interval includes none is “under” its upper end', () => {
    assert.equal(addedText({ median: 0.01, low: -0.01, high: 0.1 }), 'under 0.10 ms');
    assert.equal(addedText({ median: 1.37, low: 1.27, high: 1.41 }), '1.37 ms (1.27–1.41)');
    assert.equal(costText({ median: 0.1, low: -0.1, high: 0.12 }), 'under 12%');
  });
});

test('a timeout that is too short does not fail the benchmark that shows it', () => {
  const { checks, cases } = measured(firstArticle, usual);
  assert.ok(checks.every(({ ok }) => ok));
  for (const { params, rounds } of cases)
    if (params.waitTimeoutMs === 1) for (const { outcomes } of rounds) outcomes.underAcked = outcomes.acked;
  const [check] = firstArticle.checks({ ...measured(firstArticle, usual), cases });
  assert.equal(check.ok, true, check.detail);
});

test('latency-curve names the highest sustained rate with its response time', () => {
  const { findings } = measured(latencyCurve, usual);
  assert.match(
    findings[0].text,
    /^20\.0 k\/s was sustained without WAIT, response time p50 .*; 40\.0 k\/s was not sustained$/,
  );
});

/**
 * @param {Result} result
 * @returns {Map<string, string>} verdicts by claim and benchmark; with MULTI the key ends in `multi`
 */
function verdictsOf({ benchmarks }) {
  return new Map(
    claims.flatMap((claim) => {
      const benchmark = benchmarks.find(({ name }) => name === claim.benchmark);
      const multi = claim.differs.includes('MULTI') ? ' multi' : '';
      const key = `${claim.id.replace('synchronous.', '')} ${claim.benchmark}${multi}`;
      return benchmark ? [[key, verdictOf(claim.examine(benchmark, {}))]] : [];
    }),
  );
}

/**
 * @param {string} id without the article
 * @param {BenchmarkResult} result
 */
function examined(id, result) {
  const claim = claims.find((each) => each.id === `synchronous.${id}` && each.benchmark === result.name);
  return claim?.examine(result, {}) ?? null;
}

test('claims of the article: judged by interval, and never by few rounds', () => {
  const run = wholeRun();
  const all = verdictsOf(run);
  for (const [name, verdict] of /** @type {const} */ ([
    ['wait1-cost first-article', 'reproduced'],
    ['wait1-cost async-vs-wait', 'reproduced'],
    ['pipeline100-wait1 first-article', 'contradicted'],
    ['pipeline100-wait1 first-article multi', 'undecided'],
    ['pipeline100-wait1 pipeline', 'contradicted'],
    ['second-replica first-article', 'reproduced'],
    ['wait2-p50 first-article', 'contradicted'],
    ['pipeline-gain first-article', 'contradicted'],
    ['pipeline-gain first-article multi', 'undecided'],
    ['392k first-article', 'undecided'],
    ['ten-clients first-article', 'contradicted'],
    ['fifty-p50 first-article', 'contradicted'],
    ['plateau first-article', 'reproduced'],
    ['optimal-connections first-article', 'reproduced'],
    ['wait-blocks first-article', 'undecided'],
    ['reads-immediate read-after-write', 'undecided'],
    ['reads-failed read-after-write', 'undecided'],
  ]))
    assert.equal(all.get(name), verdict, name);
  for (const { cases } of run.benchmarks) for (const one of cases) one.rounds.splice(4);
  const ofFewRounds = new Set(verdictsOf(run).values());
  assert.ok(!ofFewRounds.has('reproduced') && !ofFewRounds.has('contradicted'));
  for (const benchmark of run.benchmarks) benchmark.cases = [];
  assert.deepEqual(new Set(verdictsOf(run).values()), new Set(['not measured']));
});

test('no condition is called theirs that the article does not state', () => {
  for (const { id, benchmark, differs } of claims)
    if (benchmark === 'first-article') assert.match(differs, /256 B|WAIT with timeout 0/, id);
  const pipelineClaims = claims.filter(
    ({ id, benchmark }) => id === 'synchronous.pipeline100-wait1' && benchmark === 'first-article',
  );
  assert.deepEqual(
    pipelineClaims.map(({ differs }) => differs),
    [
      '256 B, 1 connection, WAIT sent after the answer (theirs: none stated); sent with the write it costs less',
      '256 B, 1 connection, MULTI (theirs: not stated)',
    ],
  );
  const result = measured(firstArticle, ({ wait }) => (wait === 0 ? 100 : 83));
  const [plain, multi] = pipelineClaims.map((claim) => claim.examine(result, {}));
  assert.match(plain?.ours ?? '', /^a cost of 17%/);
  assert.doesNotMatch(plain?.evidence.join() ?? '', /multi/);
  assert.match(multi?.evidence.join() ?? '', /multi/);
  // Earlier results have pipelines with MULTI only.
  result.cases = result.cases.filter(({ params }) => params.pipeline === 1 || params.grouping === 'multi');
  assert.equal(pipelineClaims[0].examine(result, {}), null);
});

test('a plateau on other hardware reproduces the claim, and contradicts it never', () => {
  const at = (/** @type {Record<number, number>} */ writes) => {
    const result = measured(firstArticle, ({ connections }) => writes[connections]);
    const claim = claims.find(({ id }) => id === 'synchronous.plateau');
    return verdictOf(claim?.examine(result, {}) ?? null);
  };
  assert.equal(at({ 1: 100, 10: 300, 50: 400, 100: 400 }), 'reproduced');
  assert.equal(at({ 1: 100, 10: 400, 50: 400, 100: 400 }), 'undecided');
  assert.equal(at({ 1: 100, 10: 300, 50: 400, 100: 600 }), 'undecided');
});

test('figures of clients that the machine limits decide nothing', () => {
  const result = measured(firstArticle, ({ connections }) => connections * 100);
  const same = measured(firstArticle, ({ connections }) => (connections === 1 ? 100 : 327));
  const verdict = (/** @type {BenchmarkResult} */ benchmark) => verdictOf(examined('ten-clients', benchmark));
  assert.deepEqual([result, same].map(verdict), ['contradicted', 'reproduced']);
  for (const one of [...result.cases, ...same.cases]) one.summary.limitedBy = 'client';
  assert.deepEqual([result, same].map(verdict), ['undecided', 'undecided']);
  assert.match(examined('ten-clients', same)?.differs ?? '', /limited by the client of this machine, which decides/);
});

describe('a pipeline of 100, plain and with MULTI', () => {
  /**
   * @param {number} multi writes in a round with MULTI and WAIT 1
   * @param {number} [plain] the same without MULTI
   */
  const pipelines = (multi, plain = 2800) =>
    measured(firstArticle, ({ wait, pipeline, grouping }) =>
      pipeline === 1 ? 100 : wait === 0 ? 3370 : grouping === 'multi' ? multi : plain,
    );

  test('the gain shows both, and is undecided where they disagree', () => {
    assert.match(examined('pipeline-gain', pipelines(2800))?.ours ?? '', /^28\.0×.*; with MULTI and 256 B 28\.0×/);
    assert.equal(verdictOf(examined('pipeline-gain', pipelines(2800))), 'reproduced');
    const apart = examined('pipeline-gain', pipelines(1500));
    assert.equal(verdictOf(apart), 'undecided');
    assert.match(apart?.differs ?? '', /the two ways to send a pipeline do not both show it, and theirs names none/);
    assert.equal(verdictOf(examined('pipeline-gain', pipelines(1500, 1500))), 'contradicted');
  });
});

test('a share of reads that rounds to 100% neither reproduces nor contradicts theirs', () => {
  const run = wholeRun();
  const result = run.benchmarks.find(({ name }) => name === 'read-after-write');
  assert.ok(result);
  /** @param {number[]} late of 1,000 reads, a round each */
  const found = (late) => {
    for (const { params, rounds } of result.cases)
      if (params.wait === 0 && !params.backgroundConnections)
        for (const [i, { consistency }] of rounds.entries())
          if (consistency) consistency.immediate = consistency.reads - late[i];
    return examined('reads-immediate', result);
  };
  assert.equal(verdictOf(found([0, 0, 0, 0, 0])), 'reproduced');
  assert.equal(verdictOf(found([1, 2, 1, 1, 2])), 'undecided');
  assert.match(found([1, 2, 1, 1, 2])?.differs ?? '', /rounds to their 100%/);
  assert.equal(verdictOf(found([10, 8, 7, 9, 6])), 'contradicted');
  assert.equal(verdictOf(found([1, 1, 1, 1, 600])), 'undecided', 'one stalled round');
  assert.match(found([10, 8, 7, 9, 6])?.ours ?? '', /^40 of 5,000 reads were stale, 0\.80% \(0\.60–1\.0\) a round$/);
  result.cases.find(({ params }) => params.wait === 0)?.rounds.splice(4);
  assert.equal(examined('reads-failed', result)?.rounds, 4, 'the case with the fewest rounds counts');
});

test('each client writes both kinds of WAIT at depth 100', () => {
  const ids = new Set(main.benchmarks[1].cases(OPTIONS).map(({ id }) => id));
  for (const client of /** @type {const} */ (['native', 'redis', 'ioredis']))
    for (const waitMode of /** @type {const} */ (['pipelined', 'sequential']))
      assert.ok(ids.has(makeCase({ client, pipeline: 100, wait: 2, waitMode }).id));
});
