/**
 * The front page and the claims, from a result of its benchmarks.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
import link from './index.js';

const SAMPLE = fileURLToPath(new URL('../../results/sample/link', import.meta.url));

async function sample() {
  const result = await readResult(SAMPLE, ResultSchema);
  const benchmarks = result.benchmarks.map((measured) => {
    const benchmark = link.benchmarks.find(({ name }) => name === measured.name);
    assert.ok(benchmark, measured.name);
    return { ...measured, findings: benchmark.findings(measured, {}), checks: benchmark.checks(measured) };
  });
  return { ...result, benchmarks };
}

test('each claim of the article is examined by the benchmark that it names', async () => {
  const { benchmarks } = await sample();
  const ours = new Map(
    (link.claims ?? []).map((claim) => {
      const benchmark = benchmarks.find(({ name }) => name === claim.benchmark);
      // The sample may be older than a benchmark.
      if (!benchmark) return [claim.id, ''];
      assert.equal(claim.examine({ ...benchmark, cases: [] }, {}), null, 'no cases, no verdict');
      return [claim.id, claim.examine(benchmark, {})?.ours ?? ''];
    }),
  );
  for (const [id, expected] of /** @type {const} */ ([
    ['link.demand', /^[\d.]+ Mbit\/s \(/],
    ['link.month', /^[\d.]+ TB \(/],
    ['link.plain-text', /^\d+% of the bytes/],
    ['link.lua', /SETs and 0 calls/],
    ['link.throughput', /k\/s \(.*\), with \d+% \(.*\) of a core$/],
    ['link.shortfall', /^\d+% \(.*\) of demand .* GB \(.*\) an hour .* at ours$/],
    ['link.memory', /^up to .* in its output buffer, whose limit is 4 MiB, or /],
    ['link.chain', /^up to /],
    ['link.promotion', /acknowledged writes missing \(\d+ promotions\)$/],
    ['link.compression', /^[\d.]+:1/],
    ['link.compression-cpu', /% \(.*\) of a core at the primary’s end$/],
    ['link.compression-lag', /^caught up in /],
    ['link.tunnel-breaks', /^the replica lost its link after (\d+) of \1 kills$/],
    ['link.supervisor', /^the replica had everything again after (\d+) of \1 kills$/],
    ['link.resync', /^a full resync after \d+ of \d+ kills/],
  ]))
    assert.match(ours.get(id) ?? '', expected, id);
  const broken = link.claims?.find(({ id }) => id === 'link.tunnel-breaks');
  const loss = benchmarks.find(({ name }) => name === broken?.benchmark);
  assert.ok(loss);
  assert.equal(broken?.examine(loss, {})?.differs, '12 kills in 4 cases, by delay and backlog');
});

test('another mix of commands and a newer server contradict nothing', async () => {
  const { benchmarks } = await sample();
  for (const id of ['link.demand', 'link.month', 'link.lua', 'link.resync']) {
    const claim = link.claims?.find((each) => each.id === id);
    const benchmark = benchmarks.find(({ name }) => name === claim?.benchmark);
    assert.ok(claim && benchmark, id);
    const examined = claim.examine(benchmark, {});
    assert.notEqual(examined?.holds, false, id);
    assert.match(`${examined?.differs ?? ''}${claim.differs}`, /decides? nothing/, id);
  }
});
