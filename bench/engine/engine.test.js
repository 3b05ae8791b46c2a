import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, NAMED_FIGURES, resultOf, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { PROFILES, profileFor } from '../../src/run/profiles.js';
import engine from './engine.js';
import suite from './index.js';

/** @import { BenchmarkResult } from '../../src/result/schema.js' */

/**
 * @param {number} share of native's throughput that redis-benchmark has
 * @returns {BenchmarkResult}
 */
function resultWith(share) {
  const rounds = (/** @type {number} */ factor) =>
    [1000, 1010, 990, 1020, 980].map((writes) => roundOf({ writes: Math.round(writes * factor) }));
  const native = caseOf('native', { client: 'native' }, rounds(1));
  const peer = caseOf('redis-benchmark', { client: 'redis-benchmark' }, rounds(share), native);
  return { name: 'engine', question: '?', status: 'ok', cases: [native, peer], findings: [], checks: [] };
}

/** @param {number} share */
const verdict = (share) => engine.checks(resultWith(share)).find(({ name }) => name.startsWith('native is at least'));

test('the check fails if the whole interval says that native is slower', () => {
  assert.equal(verdict(0.8)?.ok, true);
  assert.equal(verdict(1)?.ok, true);
  assert.equal(verdict(1.25)?.ok, false);
  assert.match(verdict(1.25)?.detail ?? '', /^redis-benchmark at 1 connection: 1\.25×.* the throughput of native$/);
});

test('the page names the faster tool, the ratio, and the tools that are missing', () => {
  const pageOf = (/** @type {number} */ share) =>
    renderFrontPage({ ...resultOf(), benchmarks: [resultWith(share)] }, [suite], NAMED_FIGURES);
  assert.match(
    pageOf(0.8),
    /^- `native` is faster than `redis-benchmark` at 1 connection: 1\.25×.* its throughput\.$/m,
  );
  assert.match(pageOf(0.8), /Not on PATH, so not measured: `memtier_benchmark`\./);
  assert.match(pageOf(1.25), /slower than `redis-benchmark` at 1 connection: 0\.80×/);
  assert.match(pageOf(1), /1 of 1 comparison show no difference/);
});

test('a tool that is not on PATH has no cases', () => {
  const path = process.env.PATH;
  process.env.PATH = '';
  try {
    const tools = new Set(
      engine
        .cases({ server: { name: 'redis', version: '7.4.0' }, profile: PROFILES.quick, storages: [] })
        .map(({ params }) => params.client),
    );
    assert.deepEqual([...tools], ['native']);
  } finally {
    process.env.PATH = path;
  }
});

test('a profile below the needs of a benchmark is raised to them, and no further', () => {
  const { rounds, seconds } = profileFor(PROFILES.quick, [engine]);
  assert.deepEqual({ rounds, seconds }, { rounds: 40, seconds: 0.3 });
  assert.deepEqual(profileFor(PROFILES.full, [engine]), { ...PROFILES.full, rounds: 40 });
  assert.deepEqual(profileFor(PROFILES.quick, []), PROFILES.quick);
});
