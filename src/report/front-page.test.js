import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list, text } from './blocks.js';
import { FINDING_CHARACTERS } from './findings.js';
import { NAMED_FIGURES, resultOf } from './fixture.js';
import { headlines, renderFrontPage } from './front-page.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

/** @param {(result: Result) => void} [change] */
function rendered(change = () => {}, suites = /** @type {Suite[]} */ ([])) {
  const result = resultOf();
  change(result);
  return renderFrontPage(result, suites, NAMED_FIGURES);
}

test('a benchmark of no suite: its finding is the answer, and has a short section', () => {
  const lines = rendered().split('\n');
  assert.equal(lines[0], '# sentinel-bench: main');
  assert.match(
    lines[2],
    /^Measured 2025-11-20 18:24 UTC, profile quick: each setting timed in 5 rounds of 1 s; values of 64 B, connections 1, pipeline depth 1\.$/,
  );
  assert.match(lines[4], /^redis 7\.0\.15, backend local/);
  assert.equal(
    lines[6],
    '- WAIT 1 costs 46% of throughput. Conditions: 64 B, 1 connection, pipeline depth 1, loopback.',
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('## ')),
    ['## async-vs-wait', '## Limits'],
  );
  assert.ok(lines.includes('- 1 of 1 check of this run passed.'));
  assert.match(lines.at(-3) ?? '', / --seed \d+$/);
});

test('the range of a setting is in words, because numbers in parentheses are intervals', () => {
  const page = rendered(({ benchmarks: [{ cases }] }) => {
    cases.push(...[1, 1, 50].map((connections) => ({ ...cases[0], params: { ...cases[0].params, connections } })));
  });
  assert.match(page, /; values of 64 B, connections 1 \(from 1 to 50\), pipeline depth 1\.\n/);
});

test('files of nodes in memory are named where the machine is, and among the limits', () => {
  const page = rendered(({ stack }) => {
    stack.inMemory = true;
  });
  assert.match(page, /backend \w+ \(loopback, files in memory\), /);
  assert.match(page, /^- The nodes keep their files in memory: .* costs of persistence are too small\.$/m);
});

test('a run of several servers names each of them', () => {
  const named = rendered(({ stack }) => {
    stack.servers = [stack.server, { name: 'valkey', version: '9.1.2' }];
  });
  assert.match(named, /\nredis 7\.0\.15, valkey 9\.1\.2, backend local/);
  const older = rendered(({ benchmarks: [{ cases }] }) => {
    for (const [index, { params }] of cases.entries()) params.server = index === 0 ? 'redis-8.0.2' : 'valkey-8.1.1';
  });
  assert.match(older, /\nredis 8\.0\.2, valkey 8\.1\.1, backend local/);
});

test("the suite's answer comes first, about its own benchmarks only", () => {
  /** @type {string[][]} */
  const benchmarkNames = [];
  const suite = (/** @type {string} */ name) => ({
    name,
    benchmarks: [/** @type {any} */ ({ name })],
    frontPage: (/** @type {Result} */ { benchmarks }) => {
      benchmarkNames.push(benchmarks.map((each) => each.name));
      return {
        answer: ['Use WAIT 1.'],
        evidence: [text('the table')],
        actions: [list(['set it'])],
        limits: ['One day.'],
      };
    },
  });
  const page = rendered(
    (result) => {
      result.benchmarks.push({ ...result.benchmarks[0], name: 'other' });
    },
    [suite('async-vs-wait'), suite('not-measured')],
  );
  assert.deepEqual(benchmarkNames, [['async-vs-wait']]);
  assert.match(
    page,
    /\n\n- Use WAIT 1\. Conditions: 64 B, 1 connection, pipeline depth 1, loopback\.\n\nthe table\n\n## What to do\n\n- set it\n\n## async-vs-wait\n/,
  );
  assert.match(page, /## Limits\n\n- One day\.\n/);
});

test('failures come before everything else', () => {
  const empty = { question: 'What?', cases: [], findings: [], checks: [] };
  const page = rendered(({ benchmarks }) => {
    benchmarks[0].checks.push({ name: 'no stale read', ok: false, detail: '3 of 1,000 reads were stale.' });
    benchmarks.push({ ...empty, name: 'links', status: 'skipped', reason: 'This backend cannot do it. Use docker.' });
    benchmarks.push({ ...empty, name: 'faults', status: 'failed', reason: 'The primary went away.' });
  });
  const failed = page.indexOf('- `async-vs-wait`: check failed: no stale read. 3 of 1,000 reads were stale.');
  assert.ok(failed > 0 && failed < page.indexOf('WAIT 1 costs'));
  assert.match(page, /- `faults` failed\. The primary went away\.\n/);
  assert.match(page, /## Limits\n\n- Not measured: `links`\. This backend cannot do it\. Use docker\.\n/);
  assert.match(page, /- 1 of 2 checks of this run passed\.\n/);
});

test('findings that are too long for the page are cut between words', () => {
  const page = rendered(({ benchmarks }) => {
    benchmarks[0].findings = [{ text: 'word '.repeat(60).trim(), evidence: [] }];
  });
  const line = page.split('\n').find((each) => each.startsWith('- word') && each.endsWith('…'));
  assert.ok(line && line.length <= FINDING_CHARACTERS + 2, line);
});

test('headlines are the beginning of the first finding, with the answer to a question', () => {
  const result = resultOf();
  const text = `Is it fast? No. ${'It is not. '.repeat(40)}`;
  result.benchmarks[0].findings.unshift({ text, evidence: [] });
  const [{ benchmark, text: headline }, ...others] = headlines(result);
  assert.equal(benchmark, 'async-vs-wait');
  assert.match(headline, /^Is it fast\? No\. It is not\./);
  assert.ok(headline.length < 250 && headline.endsWith('It is not.'));
  assert.deepEqual(others, []);
  result.benchmarks[0].findings = [];
  assert.deepEqual(headlines(result), []);
});

test('a benchmark with too few rounds for an interval is named, and the others are not', () => {
  const page = rendered(({ benchmarks }) => {
    const [first] = benchmarks;
    const cases = first.cases.map((one) => ({ ...one, rounds: one.rounds.slice(0, 3) }));
    benchmarks.push({ ...first, name: 'short', cases });
  });
  assert.match(
    page,
    /In parentheses after a rate, a time or a cost: the 95% bootstrap interval of the median over rounds, on this machine\. With fewer than 5 rounds \(`short` 3\): their range\./,
  );
  assert.doesNotMatch(rendered(), /fewer than 5 rounds/);
});
