import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, NAMED_FIGURES, resultOf, roundOf } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { differ } from './differences.js';
import versions from './index.js';

const OLD = { id: 'redis-7.0.15', name: 'redis', version: '7.0.15' };
const NEW = { id: 'valkey-9.1.2', name: 'valkey', version: '9.1.2' };
const OPTIONS = { profile: PROFILES.quick, server: OLD, servers: [OLD, NEW], storages: [] };

/**
 * @param {string} name
 * @param {string} mode
 * @param {Record<string, number[]>} lost server → acknowledged writes that each trial lost
 * @param {{waitLocal?: 1}} [params]
 */
function benchmarkOf(name, mode, lost, params = {}) {
  const benchmark = failureBenchmarkOf(
    name,
    Object.entries(lost).map(([server, trials]) => ({
      mode: `${server}-${mode}`,
      audits: trials.map((ackedLost, i) => auditOf(`${server}-${mode}`, { ackedLost, acked: 9000, round: i + 1 })),
      trials: trials.map((_, i) => trialOf(`${server}-${mode}`, { round: i + 1 })),
    })),
  );
  for (const one of benchmark.cases) {
    const server = Object.keys(lost).find((id) => one.id.startsWith(id));
    Object.assign(one.params, { server, mode, rate: 1000, ...params });
  }
  return benchmark;
}

/** @param {Parameters<typeof failureResultOf>[0]} benchmarks @param {number} trials */
function pageOf(benchmarks, trials) {
  const result = failureResultOf(benchmarks);
  return renderFrontPage({ ...result, profile: { ...result.profile, trials } }, [versions], NAMED_FIGURES);
}

test('ranges differ when they are apart, and the gap matters', () => {
  const [low, high, touching] = [
    [1, 2],
    [4, 5],
    [2, 9],
  ].map(([low, high]) => ({ low, high }));
  assert.ok(differ([low, high], (gap, upper) => gap === 2 && upper === 4));
  assert.ok(!differ([high, low], () => false) && !differ([low, touching], () => true));
});

test('one trial decides nothing, except that a confirmed write was lost', () => {
  const failover = benchmarkOf('versions-failover', 'async', { [OLD.id]: [0], [NEW.id]: [3000] });
  const plain = benchmarkOf('versions-power', 'aof', { [OLD.id]: [0], [NEW.id]: [3000] });
  const undecided = pageOf([failover, plain], 1);
  assert.match(undecided, /^- The servers differ in 0 of 4 comparisons; 4 are undecided\.$/m);
  assert.match(undecided, /Run it with `--trials 3` or more/);
  const mode = 'waitaof-local-everysec';
  const promised = benchmarkOf('versions-power', mode, { [OLD.id]: [0], [NEW.id]: [12] }, { waitLocal: 1 });
  const broken = pageOf([promised], 1);
  assert.match(broken, /had confirmed as synced: Valkey 9\.1\.2 12\.0 ms, 1\/1\. Redis 7\.0\.15 lost none\.$/m);
  assert.match(broken, /\| power loss, .* \| +0\/1 \| 12\.0 ms, 1\/1 \| yes +\|/);
  assert.match(broken, /^npx sentinel-bench configure [^`]*--set appendfsync=always --set appendonly=yes/m);
});

test('trials of a busy machine show no difference', () => {
  const failover = benchmarkOf('versions-failover', 'async', { [OLD.id]: [1, 2, 3], [NEW.id]: [3000, 3200, 3100] });
  assert.match(pageOf([failover], 3), /differ in 1 of 2 comparisons; 0 are undecided/);
  for (const trial of failover.timeline ?? []) trial.pace = { unsent: 9, stallMs: 0, lateMs: 0 };
  const page = pageOf([failover], 3);
  assert.match(page, /differ in 0 of 2 comparisons; 2 are undecided/);
  assert.match(page, /Use fewer `--lanes` or more `--trials`/);
  assert.match(page, /In 6 of 6 trials the machine was too busy/);
});

test('a server with another throughput is named, unless that may be noise', () => {
  const rounds = (/** @type {number} */ writes) => [1, 2, 3].map((seed) => roundOf({ writes: writes + seed, seed }));
  const pageWith = (/** @type {number} */ writes, again = 20_000) => {
    const [planned] = versions.benchmarks;
    const all = planned.cases(OPTIONS).filter(({ params }) => params.pipeline === 1);
    const writesOf = (/** @type {string} */ id) =>
      id.endsWith('again') ? again : id.startsWith(NEW.id) ? writes : 20_000;
    const [{ id, params }] = all;
    const base = caseOf(id, params, rounds(20_000));
    const cases = [base, ...all.slice(1).map((one) => caseOf(one.id, one.params, rounds(writesOf(one.id)), base))];
    const [benchmark] = resultOf().benchmarks;
    return pageOf([{ ...benchmark, name: planned.name, cases, findings: [], checks: [] }], 3);
  };
  assert.match(pageWith(24_000), /\| depth 1 \| .* \| \+20%.* \| yes +\|/);
  assert.match(pageWith(20_100), /differ in 0 of 1 comparison; 0 are undecided/);
  assert.match(
    pageWith(24_000, 25_000),
    /differ in 0 of 1 comparison; 1 are undecided/,
    'it seems to differ from itself as much',
  );
});

test('every server has every case, costs are relative to its own, and titles name it', () => {
  for (const benchmark of versions.benchmarks) {
    const cases = benchmark.cases(OPTIONS);
    for (const { params } of cases) assert.ok([OLD.id, NEW.id].includes(params.server ?? ''));
    const casesOn = (/** @type {string} */ id) => cases.filter(({ params }) => params.server === id).length;
    if (benchmark.name === 'versions-speed') continue;
    assert.ok(casesOn(NEW.id) >= casesOn(OLD.id) && casesOn(OLD.id) > 0, benchmark.name);
    for (const { params, baseline } of cases) if (baseline) assert.ok(baseline.startsWith(params.server ?? '-'));
  }
});
