import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { resultOf } from '../report/fixture.js';
import { startCli } from './fixture.js';

describe('sentinel-bench claims', () => {
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-claims-'));
    const result = resultOf();
    result.benchmarks[0].name = 'first-article';
    for (const { params } of result.benchmarks[0].cases)
      Object.assign(params, { client: 'redis', waitMode: 'sequential', payloadBytes: 256 });
    for (const day of [1, 2]) {
      await mkdir(join(tmp, 'results', `run-${day}`), { recursive: true });
      const text = JSON.stringify({ ...result, startedAt: `2026-01-0${day}T10:00:00.000Z` });
      await writeFile(join(tmp, 'results', `run-${day}`, 'result.json'), text);
      if (day === 2) await writeFile(join(tmp, 'results', 'cut.json'), text.slice(0, 500));
    }
    await mkdir(join(tmp, 'empty'));
  });
  after(() => rm(tmp, { recursive: true }));

  /** @param {...string} args */
  const claims = (...args) => startCli(['claims', ...args], { tmp }).ended;

  test('--format json prints the document, and nothing else; the latest run counts; copies count once', async () => {
    const { status, stdout, stderr } = await claims('results', 'results/run-1/result.json', '--format', 'json');
    assert.equal(status, 0, stderr);
    const document = JSON.parse(stdout);
    assert.equal(document.schema, 'sentinel-bench/claims@3');
    assert.deepEqual(document.runs.map((/** @type {{name: string}} */ { name }) => name).sort(), ['run-1', 'run-2']);
    const cost = document.claims.find((/** @type {{id: string}} */ { id }) => id === 'synchronous.wait1-cost');
    assert.equal(cost.answer, 'same');
    assert.equal(cost.evidence[0].run, '2026-01-02T10:00:00.000Z');
    assert.match(cost.ours, /^a cost of 4\d% \(/);
    assert.match(cost.differs, /^256 B, 1 connection/);
    const total = Object.values(document.answers).reduce((sum, count) => sum + count, 0);
    assert.equal(total, document.claims.length);
    assert.match(stderr, /left out: results\/cut\.json is not whole JSON/);
  });

  test('bad input: one sentence, the remedy, exit status 2', async () => {
    for (const [args, expected] of /** @type {[string[], RegExp][]} */ ([
      [['empty'], /There is no run in empty\.\nName a folder/],
      [['nowhere'], /There is no nowhere\.\nName a folder/],
      [['results/cut.json'], /results\/cut\.json is not whole JSON: .*\nIt was cut off/],
      [['results', '--format', 'xml'], /'xml' is invalid/],
    ])) {
      const { status, stdout, stderr } = await claims(...args);
      assert.equal(status, 2, args.join(' '));
      assert.equal(stdout, '');
      assert.match(stderr, expected);
    }
  });
});
