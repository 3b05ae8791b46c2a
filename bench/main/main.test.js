import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verdictOf } from '../../src/report/articles.js';
import { renderBlocks } from '../../src/report/blocks.js';
import { costOf } from '../../src/report/columns.js';
import { headlineCost } from '../../src/report/findings.js';
import { caseOf, NAMED_FIGURES, resultOf, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { readResult } from '../../src/result/read.js';
import { makeCase } from '../../src/run/case.js';
import { PROFILES } from '../../src/run/profiles.js';
import { ResultSchema } from '../index.js';
import { APART, WAIT_COST } from '../pages/published-costs.js';
import asyncVsWait from './async-vs-wait.js';
import { claims } from './claims.js';
import concurrency from './concurrency.js';
import { costsApart } from './durable-modes.js';
import firstArticle from './first-article.js';
import main from './index.js';
import latencyCurve from './latency-curve.js';
import { waitTable } from './wait-cost.js';

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

/** @returns {Result} with everything that a standard run has */
const wholeRun = () => ({ ...resultOf(), benchmarks: main.benchmarks.map((benchmark) => measured(benchmark, usual)) });

test('the front page fits its budget with every benchmark of a standard run', () => {
  const text = renderFrontPage(wholeRun(), [main], NAMED_FIGURES);
  // A chart takes four lines.
  const charts = text.match(/^\[chart /gm)?.length ?? 0;
  assert.ok(text.split('\n').length + 3 * charts <= 146, `${text.split('\n').length + 3 * charts} lines`);
  assert.ok(Buffer.byteLength(text) <= 20_000);
  assert.doesNotMatch(text, /undefined|NaN/);
});

test('the front page answers what WAIT costs, pipelined and sequential, and says no sentence twice', () => {
  const text = renderFrontPage(wholeRun(), [main], NAMED_FIGURES);
  const [first, cost, apart, , second, third] = (text.match(/^- .+$/gm) ?? []).map(String);
  assert.match(
    cost,
    /^- What modes cost one connection .* AOF always \d+% .* p99 response time of [\d.]+ ms \(async [\d.]+ ms\)/,
  );
  assert.match(
    apart,
    /^- With nodes 1 ms apart, .* AOF always costs one connection \d+% .* \(.* of .*\) and \d+% .* at depth 100, and 50 connections together \d+%.*; p99 at 1\.00 k\/s on 10 connections is /,
  );
  assert.match(
    first,
    /^- WAIT alone does not keep all .*use WAIT 2 \+ .*settings are below.*this page prices WAIT alone.*Conditions: 64 B, 1 connection, pipeline depth 1, loopback\.$/,
  );
  assert.match(
    second,
    /^- Saturated, 50 connections .* WAIT 1 costs 3\d%.* of throughput \(6\.50 k\/s of 10\.0 k\/s, n = 5\)\.( With 100 connections WAIT 1 reaches .*\.)?$/,
  );
  assert.match(
    third,
    /^- One connection: WAIT 1 costs 3\d% \(.+\) of throughput sent with its write and 5\d% \(.+\) sent after its answer \(native, pipeline depth 1, n = 5\)\. With nodes 1 ms apart, through a relay: 3\d% \(.+\), sent with its write: .* other connections go on meanwhile\.$/,
  );
  const sentences = text.match(/^- .+$/gm)?.map((line) => line.replace(/\.$/, '')) ?? [];
  assert.equal(new Set(sentences).size, sentences.length);
});

const sampleOf = (/** @type {string} */ name) =>
  readResult(fileURLToPath(new URL(`../../results/sample/${name}`, import.meta.url)), ResultSchema);

test('what other pages say about a distance is what the samples have', async () => {
  assert.deepEqual(costsApart(await sampleOf('durable-modes'), 1), APART);
  const sample = await sampleOf('main');
  const one = sample.benchmarks
    .find(({ name }) => name === asyncVsWait.name)
    ?.cases.find(({ id }) => id === 'native-batch1-conn1-64B-wait1');
  assert.ok(one?.summary.relativeToBaseline);
  assert.equal(WAIT_COST, headlineCost(costOf(one.summary.relativeToBaseline.throughput)));
});

test('a run without the table says nothing of a published run', () => {
  const alone = { ...resultOf(), benchmarks: [measured(concurrency, usual)] };
  assert.doesNotMatch(renderFrontPage(alone, [main], NAMED_FIGURES), /published|apart/);
});

test('the client to paste finds the primary through Sentinel', () => {
  const text = renderFrontPage(wholeRun(), [main], NAMED_FIGURES);
  assert.match(text, /```js\nimport \{ connect \} from '\.\/node-redis\.js'.*\n.*SENTINEL-1.*\n.*name: 'mymaster'/);
  assert.match(text, /confirmedSet\(key, value, \{ replicas: 2, timeoutMs: 1000 \}\)/);
});

test('findings are short', () => {
  for (const { findings } of wholeRun().benchmarks)
    for (const { text } of findings) assert.ok(text.length <= 160, `${text.length}: ${text}`);
});

test('the deciding table has a row for each client and depth, with the cost at a distance beside it', () => {
  const { columns, rows } = waitTable(wholeRun());
  assert.equal(columns.length, 6);
  assert.deepEqual(
    rows.map(([title]) => title),
    [1, 100].flatMap((depth) =>
      ['native', 'native', 'node-redis', 'ioredis'].map(
        (client, i) => `${client}, depth ${depth}${i === 1 ? ', 1 ms apart' : ''}`,
      ),
    ),
  );
  for (const [title, , ...costs] of rows)
    for (const [i, cell] of costs.entries())
      assert.match(cell, title.includes('apart') && i > 0 ? /^–$/ : /^\d+% \(/, title);
});

test('a cost that the rounds leave open is undecided everywhere on the page', () => {
  const noisy = measured(asyncVsWait, usual, 0.6);
  const result = { ...resultOf(), benchmarks: [noisy] };
  assert.match(
    noisy.findings[0].text,
    /^WAIT 1 costs \d+ to \d+% of throughput sent after its answer; undecided: −?\d+ to \d+% sent with its write/,
  );
  for (const cells of waitTable(result).rows) assert.match(cells[2], /^undecided: /);
});

test('a result from before the libraries were measured at depth 100 has fewer rows', () => {
  const run = wholeRun();
  const [, pipeline] = run.benchmarks;
  pipeline.cases = pipeline.cases.filter(({ params }) => params.client === 'native' && params.waitMode === 'pipelined');
  const last = waitTable(run).rows.at(-2);
  assert.equal(last?.[0], 'native, depth 100');
  assert.equal(last?.[3], 'not measured');
});

test('the plateau: reached, still rising, or undecided', () => {
  const first = (/** @type {(connections: number) => number} */ writes, noise = 0) => {
    const result = measured(concurrency, ({ connections }) => writes(connections));
    for (const one of result.cases.filter(({ params }) => params.connections === 50))
      one.rounds[0].throughput *= 1 + noise;
    return concurrency.findings(result, {})[0].text;
  };
  assert.match(
    first((connections) => Math.min(connections, 50) * 100),
    /^Throughput without WAIT plateaus at 50 connections: 5\.00 k\/s/,
  );
  assert.match(
    first((connections) => connections * 100),
    /^Throughput without WAIT still rises at 100 connections: 10\.0 k\/s/,
  );
  assert.match(
    first((connections) => Math.min(connections, 50) * 100, 0.5),
    /^The plateau without WAIT is undecided: 50 connections reach /,
  );
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

test('stale reads under other load do not judge reads alone', () => {
  const run = wholeRun();
  const staleReads = run.benchmarks.find(({ name }) => name === 'read-after-write');
  assert.ok(staleReads);
  for (const { params, rounds } of staleReads.cases)
    if (!params.backgroundConnections)
      for (const { consistency } of rounds) if (consistency) consistency.immediate = 1000;
  const claim = claims.find(({ id }) => id === 'synchronous.reads-immediate');
  assert.equal(claim?.examine(staleReads, {})?.holds, true);
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

test('fewer connections than theirs reproduce the range or decide nothing, and nothing where the client limits them', () => {
  const enough = measured(firstArticle, ({ connections }) => (connections === 1 ? 100 : 300));
  assert.equal(verdictOf(examined('optimal-connections', enough)), 'reproduced');
  for (const one of enough.cases) one.summary.limitedBy = 'client';
  const found = examined('optimal-connections', enough);
  assert.equal(verdictOf(found), 'undecided');
  assert.match(found?.differs ?? '', /^limited by the client of this machine, which decides nothing$/);
  const one = measured(firstArticle, () => 300);
  assert.equal(verdictOf(examined('optimal-connections', one)), 'undecided', 'one connection is enough here');
});

test('the tail of latencies with WAIT contradicts nothing, the median does', () => {
  const result = measured(asyncVsWait, usual);
  for (const { summary } of result.cases) summary.samples = 1e6;
  for (const { params, rounds } of result.cases)
    for (const { latencyNs } of rounds)
      for (const percentile of /** @type {const} */ (['p50', 'p99', 'p999']))
        latencyNs[percentile] = params.wait === 0 ? 1e4 : 9e4;
  const verdictFor = (/** @type {string} */ id) => verdictOf(examined(id, result));
  assert.equal(verdictFor('wait2-p50'), 'contradicted');
  for (const id of ['wait1-p99', 'wait2-p99', 'wait1-p999', 'wait2-p999'])
    assert.equal(verdictFor(id), 'undecided', id);
  assert.match(examined('wait2-p99', result)?.differs ?? '', /a tail depends on the machine/);
});

test('single writes are the same cases in both of their tables, so at depth 1 they contradict one of them never', () => {
  const result = measured(firstArticle, ({ wait }) => (wait === 0 ? 100 : 43));
  assert.equal(verdictOf(examined('wait2-cost', result)), 'reproduced');
  assert.equal(verdictOf(examined('pipeline1-wait2', result)), 'undecided', 'theirs is 39%');
  const claim = claims.find(({ id }) => id === 'synchronous.pipeline1-wait2');
  assert.match(claim?.differs ?? '', /single writes, the same cases as for WAIT 2 after each write/);
});

test('plain pipelines rank before MULTI, whatever their payload', () => {
  const benchmarks = claims
    .filter(({ id }) => id === 'synchronous.pipeline100-wait1')
    .map(({ benchmark, differs }) => `${benchmark}${differs.includes('MULTI') ? ' multi' : ''}`);
  assert.deepEqual(benchmarks, ['first-article', 'pipeline', 'first-article multi']);
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

  test('a cost names that of MULTI', () => {
    const found = examined('pipeline100-wait1', pipelines(2700));
    assert.match(found?.ours ?? '', /^a cost of 17% .*; with MULTI and 256 B a cost of 20% /);
    assert.equal(verdictOf(found), 'reproduced');
  });

  test('plain pipelines of 64 B are compared with single writes of another benchmark', () => {
    const run = wholeRun();
    const pipeline = run.benchmarks.find(({ name }) => name === 'pipeline');
    assert.ok(pipeline);
    const claim = claims.find(({ id, benchmark }) => id === 'synchronous.pipeline-gain' && benchmark === 'pipeline');
    assert.equal(claim?.examine(pipeline, {}), null, 'it has no single writes of node-redis');
    assert.deepEqual(claim?.examine(pipeline, run)?.evidence, [
      'redis-batch1-conn1-64B-wait1-sequential',
      'redis-batch100-conn1-64B-wait1-sequential',
    ]);
  });

  test('together with min-replicas: only where the primary has it', () => {
    const claim = claims.find(({ id }) => id === 'synchronous.together-cost');
    const stackWith = (/** @type {string} */ minimum) => ({
      stack: { ...resultOf().stack, config: { 'redis-1': { 'min-replicas-to-write': minimum } } },
    });
    const found = claim?.examine(pipelines(2800), stackWith('1')) ?? null;
    assert.equal(verdictOf(found), 'undecided');
    assert.match(found?.differs ?? '', /decides nothing about all three/);
    assert.equal(claim?.examine(pipelines(2800), stackWith('0')), null);
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

test('nodes that are no containers differ from those of the article', () => {
  const run = wholeRun();
  const [claim] = claims;
  const benchmark = run.benchmarks.find(({ name }) => name === claim.benchmark);
  assert.ok(benchmark);
  assert.match(claim.examine(benchmark, { stack: { ...run.stack, backend: 'local' } })?.differs ?? '', /^local nodes/);
  assert.equal(claim.examine(benchmark, { stack: { ...run.stack, backend: 'docker' } })?.differs, undefined);
});

test('short sections show one table or chart', () => {
  const run = wholeRun();
  for (const result of run.benchmarks) {
    const benchmark = main.benchmarks.find(({ name }) => name === result.name);
    const blocks = benchmark?.brief?.(result, run) ?? [];
    assert.ok(blocks.filter(({ kind }) => kind !== 'text').length <= 1, result.name);
    assert.doesNotMatch(renderBlocks(blocks, NAMED_FIGURES), /undefined|not measured/);
  }
});

test('each client writes both kinds of WAIT at depth 100', () => {
  const ids = new Set(main.benchmarks[1].cases(OPTIONS).map(({ id }) => id));
  for (const client of /** @type {const} */ (['native', 'redis', 'ioredis']))
    for (const waitMode of /** @type {const} */ (['pipelined', 'sequential']))
      assert.ok(ids.has(makeCase({ client, pipeline: 100, wait: 2, waitMode }).id));
});
