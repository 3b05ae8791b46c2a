import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseOf, resultOf } from './fixture.js';
import { nodeOf, resourcesOf, usedRound } from './resource-fixture.js';
import { renderResources } from './resource-tables.js';

/** @import { BenchmarkResult, CaseResult } from '../result/schema.js' */

/** @param {string} text Markdown with each cell's padding taken away */
const narrow = (text) => text.replaceAll(/ +/g, ' ');

/**
 * @param {CaseResult[]} cases
 * @returns {BenchmarkResult}
 */
const benchmarkOf = (cases) => ({ name: 'x', question: 'x?', status: 'ok', cases, findings: [], checks: [] });

test('resources: a table for each topology, a row for each node', () => {
  const text = narrow(renderResources(resourcesOf(), true));
  assert.equal(text.match(/^### /gm)?.length, 3);
  const second = text.slice(text.indexOf('### Resource use: 1 replica, asynchronous'));
  assert.match(
    second,
    /^\| activity \| node \| CPU \| memory \| network in \/ out \| block in \/ out \| threads \| sent to replicas \|$/m,
  );
  assert.match(
    second,
    /^\| idle \| redis-1, primary \| 1\.0% \| 10 MiB \| 1000 B\/s \/ 1\.95 KiB\/s \| 0 B\/s \/ 0 B\/s \| 5 \| \|$/m,
  );
  assert.match(second, /^\| writing \| redis-1, primary \| 80% \| 10 MiB \| 3\.31 MiB\/s \/ .* \| 3\.31 MiB\/s \|$/m);
  assert.match(second, /^\| \| redis-2 \| 30% \|/m);
  assert.match(second, /^\| reading, from the replicas \| redis-1, primary \| 2\.0% \|/m);
  assert.match(
    second,
    /^\| \| load process \| 80% \| 90 MiB \| 4\.88 KiB\/s \/ 5\.86 KiB\/s \| 0 B\/s \/ 4 KiB\/s \| 12 \| \|$/m,
  );
  assert.match(text, /- No evicted keys or rejected connections\.\n- Delayed fsyncs are not known: no node had/);
  assert.match(text, /a Sentinel’s CPU is counted in steps of 1\.0%/);
  assert.doesNotMatch(text, /medians|a child that rewrites/);
});

test('other benchmarks: folded, a row for each role, the Sentinels in one line', () => {
  const nodes = (/** @type {number} */ cpu) => [
    nodeOf('redis-1', { cpu, counters: { evictedKeys: 2, delayedFsyncs: 0 } }),
    nodeOf('redis-2'),
    nodeOf('redis-3'),
    ...['sentinel-1', 'sentinel-2'].map((id) => nodeOf(id, { cpu: cpu / 100 })),
  ];
  const rounds = (/** @type {number} */ cpu) => [0, 1].map(() => usedRound(nodes(cpu), { writes: 10 }));
  const text = narrow(renderResources(benchmarkOf([caseOf('a', {}, rounds(0.5)), caseOf('b|c', {}, rounds(1))])));
  assert.match(text, /^<details>\n\n<summary>Resource use in 2 cases<\/summary>\n\n\| case/);
  assert.match(text, /\n\n<\/details>$/);
  assert.match(text, /^\| a \| primary \| 50% .* \| 0 B\/s \/ 0 B\/s \| 5 \| 4 \|$/m, 'four evicted');
  assert.match(text, /^\| \| 2 replicas \| 2\.0% \| 20 MiB \|/m);
  assert.match(text, /^\| b\\\|c \| primary \| 100%/m);
  assert.equal(text.match(/^\|/gm)?.length, 2 + 2 * 3);
  assert.match(
    text,
    /\n2 Sentinels together, over all cases: CPU 1\.0–2\.0%, memory 20 MiB, network in 1\.95 KiB\/s, out /,
  );
  assert.match(text, /medians over the rounds/);
  assert.match(text, /No delayed fsyncs or rejected connections\./);
});

test('a note says that CPU and memory exclude children, if a case has any', () => {
  const rounds = [usedRound([nodeOf('redis-1')], { writes: 10 })];
  for (const params of [{ during: /** @type {const} */ ('snapshot') }, { settings: { save: '1 1' } }])
    assert.match(renderResources(benchmarkOf([caseOf('a', params, rounds)])), /a child that rewrites or saves/);
  const without = renderResources(benchmarkOf([caseOf('a', { settings: { save: '' } }, rounds)]));
  assert.doesNotMatch(without, /a child that rewrites|steps of/);
});

test('results without such figures have no section', () => {
  assert.equal(renderResources(resultOf().benchmarks[0]), '');
  assert.equal(renderResources(benchmarkOf([])), '');
});
