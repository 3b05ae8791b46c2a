import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addedText, costText } from '../../src/report/costs.js';
import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { PROFILES } from '../../src/run/profiles.js';
import firstArticle from './first-article.js';
import main from './index.js';
import { pageData } from './page.js';

/** @import { Benchmark } from '../../src/run/types.js' */
/** @import { BenchmarkResult, CaseParams, CaseResult } from '../../src/result/schema.js' */

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
  return { ...whole, findings: benchmark.findings?.(whole, {}) ?? [], checks: benchmark.checks(whole) };
}

/** @param {CaseParams} params */
const usual = ({ wait, waitMode, connections }) =>
  Math.min(connections, 50) * (wait === 0 ? 200 : waitMode === 'pipelined' ? 130 : 90);

/** Measured once: its histograms take long. */
const whole = { ...resultOf(), benchmarks: main.benchmarks.map((benchmark) => measured(benchmark, usual)) };

describe('the page', () => {
  const page = renderFrontPage(whole, [main], { figure: ({ id }) => `[${id}]` });
  const [answer] = page.split('\n## ');

  test('answers with a row for each situation, in short sentences, and fits its budget', () => {
    const items = page.split('\n').filter((line) => line.startsWith('- '));
    for (const item of items) assert.ok(item.split(' ').length <= 31, item);
    assert.equal(answer.match(/^\| (caches, sessions|a normal service|payments) /gm)?.length, 3, answer);
    const text = page.replaceAll(/```[\s\S]*?```/g, '');
    const words = text.split(/[\s|]+/).filter((word) => /\w/.test(word));
    assert.ok(words.length <= 900, `${words.length} words`);
  });

  test('has every table of the article, theirs beside ours', () => {
    for (const row of [
      /^\| native, WAIT 1 +\|.* ms/m,
      /^\| the article, WAIT 1 +\| +0\.030 ms \| +16\.3 k\/s/m,
      /^\| 100 +\|.*k\/s/m,
      /^\| 100, the article +\|.* 392 k\/s/m,
      /^\| 50, the article +\| +157 k\/s \| +0\.32 ms \| +0\.52 ms/m,
      /^\| no WAIT +\| +99\.9% \|/m,
      /^\| WAIT 1 \+ min-replicas 1 \+ AOF everysec +\|/m,
    ])
      assert.match(page, row);
  });

  test('names the highest rate that was sustained, and the lowest that was not', () => {
    const [[write, sustained, , , failed]] = pageData(whole).tables.rates.rows;
    assert.deepEqual([write, sustained, failed], ['no WAIT', '20.0 k/s', '40.0 k/s']);
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
