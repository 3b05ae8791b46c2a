/**
 * The front page and the claims, from a result of its benchmarks.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
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

test('report.md keeps its budget and says no sentence twice', async () => {
  const page = renderFrontPage(await sample(), [link], NAMED_FIGURES);
  // A chart takes six lines: the picture, its note and an empty line.
  const charts = page.match(/^\[chart /gm)?.length ?? 0;
  assert.ok(page.split('\n').length + 6 * charts <= 120, `${page.split('\n').length + 6 * charts} lines`);
  assert.ok(Buffer.byteLength(page) <= 20_000);
  assert.doesNotMatch(page, /undefined|NaN/);
  const sentences = page.match(/^- .+$/gm)?.map((line) => line.replace(/\.$/, '')) ?? [];
  assert.equal(new Set(sentences).size, sentences.length);
});

test('the answer has a sentence of each benchmark, the losses first', async () => {
  const page = link.frontPage?.(await sample());
  assert.ok(page);
  assert.equal(page.answer.length, (await sample()).benchmarks.length);
  assert.match(page.answer[0], /^Promoting the replica loses acknowledged writes: at 50% of demand .* of writing\)/);
  const [, deciding] = page.evidence;
  assert.ok(deciding.kind === 'table' && deciding.columns.length <= 6);
});

test('a tunnel with compression is not named without what it adds to WAIT', async () => {
  const page = renderFrontPage(await sample(), [link], NAMED_FIGURES);
  const advice = page.match(/^- Tunnel: `ssh` delays.*$/m)?.[0] ?? '';
  assert.match(
    advice,
    /beside `WAIT`; .* was not measured\. SET \+ WAIT 1, p50: none [\d.]+ [mµ]s, .*ssh -C [\d.]+ ms\./,
  );
  assert.equal(page.match(/SET \+ WAIT 1, p50/g)?.length, 1);
  const { benchmarks, ...without } = await sample();
  const unmeasured = { ...without, benchmarks: benchmarks.filter(({ name }) => name !== 'link-compression') };
  assert.match(
    renderFrontPage(unmeasured, [link], NAMED_FIGURES),
    /another kind of tunnel was not measured\.\n- Sentinels: one behind/,
  );
});

test('findings fit on two lines', async () => {
  for (const { findings } of (await sample()).benchmarks)
    for (const { text } of findings) assert.ok(text.length <= 160, `${text.length}: ${text}`);
});

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
