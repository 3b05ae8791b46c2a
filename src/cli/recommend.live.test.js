import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sweepResultOf } from '../../bench/sweep/decision-fixture.js';
import { startCli } from './fixture.js';

describe('sentinel-bench recommend', () => {
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-recommend-'));
    await mkdir(join(tmp, 'sweep'));
    await writeFile(join(tmp, 'sweep', 'result.json'), JSON.stringify(sweepResultOf()));
  });
  after(() => rm(tmp, { recursive: true }));

  /** @param {...string} args */
  const recommend = (...args) => startCli(['recommend', ...args], { tmp }).ended;

  test('without limits: the table, and the default limits by name; no colours', async () => {
    const { status, stdout, stderr } = await recommend('sweep');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^mode +lost at most/);
    assert.match(stdout, /Limits \(--max-loss 0, the default\): lost in each fault: at most 0\./);
    assert.match(stdout, /These meet every limit \(3 of 7\), the cheapest first, .*:\n1\. WAIT 1: /);
    assert.ok(!stdout.includes('\u001b'));
  });
});
