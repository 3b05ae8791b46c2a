import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { resultOf } from '../report/fixture.js';
import { startCli } from './fixture.js';

/** @import { Result } from '../result/schema.js' */

/** @type {Record<string, (result: Result) => void>} */
const RUNS = {
  before: () => {},
  again: (result) => {
    result.startedAt = result.finishedAt;
  },
  slower: ({ benchmarks }) => {
    for (const round of benchmarks[0].cases[1].rounds) round.throughput *= 0.8;
  },
  elsewhere: ({ environment, stack, tool, profile }) => {
    Object.assign(stack.config['redis-1'], { appendonly: 'yes', hz: '77' });
    Object.assign(environment, { cpuModel: 'another', cores: 64 });
    Object.assign(tool, { version: '99.0.0' });
    Object.assign(profile, { seconds: 77 });
  },
  other: ({ benchmarks }) => {
    benchmarks[0].name = 'another';
  },
  failed: ({ benchmarks }) => {
    Object.assign(benchmarks[0], { status: 'failed', reason: 'the primary went away.', cases: [] });
  },
  single: ({ benchmarks }) => {
    for (const one of benchmarks[0].cases) one.rounds.length = 1;
  },
};

describe('sentinel-bench compare', () => {
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-compare-'));
    for (const [name, change] of Object.entries(RUNS)) {
      const result = resultOf();
      change(result);
      await mkdir(join(tmp, name));
      await writeFile(join(tmp, name, 'result.json'), JSON.stringify(result));
    }
  });
  after(() => rm(tmp, { recursive: true }));

  /** @param {...string} args */
  const compare = (...args) => startCli(['compare', ...args], { tmp }).ended;

  test('no difference: a table without colours, exit status 0', async () => {
    const { status, stdout, stderr } = await compare('before', 'again/result.json');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^A: before\nB: again\/result\.json\n/);
    assert.match(stdout, /0 worse, 0 better, 2 no difference/);
    assert.ok(!stdout.includes('\u001b'));
  });

  test('a regression: exit status 1; with A and B swapped, 0', async () => {
    const worse = await compare('before', 'slower');
    assert.equal(worse.status, 1);
    assert.match(worse.stdout, /1 worse, 0 better, 1 no difference/);
    const better = await compare('slower', 'before');
    assert.equal(better.status, 0);
    assert.match(better.stdout, /0 worse, 1 better, 1 no difference/);
  });

  test('runs under different conditions are refused, with the differences; --anyway compares them', async () => {
    const { status, stdout, stderr } = await compare('before', 'elsewhere');
    assert.deepEqual([status, stdout], [2, '']);
    const [sentence, remedy] = stderr.split('\n');
    assert.match(
      sentence,
      /were not made under the same conditions \(A, B\): CPU model \(AMD EPYC, another\), cores .*, and 2 more\.$/,
    );
    assert.match(remedy, /--anyway/);
    assert.match(stderr, /appendonly of the primary \(no, yes\)/);
    const anyway = await compare('before', 'elsewhere', '--anyway');
    assert.equal(anyway.status, 0);
    assert.match(anyway.stdout, /appendonly of the primary \(no, yes\)/);
  });

  test('a run compared with itself is said to be the same run', async () => {
    const { status, stderr } = await compare('before', 'before/result.json');
    assert.equal(status, 0);
    assert.match(stderr, /before and before\/result\.json are the same run, so nothing differs\./);
  });
});
