import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf, roundOf } from '../../src/report/fixture.js';
import { makeCase } from '../../src/run/case.js';
import { PROFILES } from '../../src/run/profiles.js';
import asyncVsWait from './async-vs-wait.js';
import concurrency from './concurrency.js';
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

test('a cost that the rounds leave open is undecided everywhere on the page', () => {
  const noisy = measured(asyncVsWait, usual, 0.6);
  const result = { ...resultOf(), benchmarks: [noisy] };
  assert.match(
    noisy.findings[0].text,
    /^WAIT 1 costs \d+ to \d+% of throughput sent after its answer; undecided: −?\d+ to \d+% sent with its write/,
  );
  for (const cells of waitTable(result).rows) assert.match(cells[2], /^undecided: /);
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

test('each client writes both kinds of WAIT at depth 100', () => {
  const ids = new Set(main.benchmarks[1].cases(OPTIONS).map(({ id }) => id));
  for (const client of /** @type {const} */ (['native', 'redis', 'ioredis']))
    for (const waitMode of /** @type {const} */ (['pipelined', 'sequential']))
      assert.ok(ids.has(makeCase({ client, pipeline: 100, wait: 2, waitMode }).id));
});
