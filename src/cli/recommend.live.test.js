import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sweepResultOf } from '../../bench/sweep/decision-fixture.js';
import { resultOf } from '../report/fixture.js';
import { startCli } from './fixture.js';

describe('sentinel-bench recommend', () => {
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-recommend-'));
    const skipped = sweepResultOf();
    for (const benchmark of skipped.benchmarks)
      Object.assign(benchmark, { status: 'skipped', reason: 'it cannot be.', cases: [] });
    const files = {
      sweep: JSON.stringify(sweepResultOf()),
      skipped: JSON.stringify(skipped),
      other: JSON.stringify(resultOf()),
      damaged: JSON.stringify({ ...sweepResultOf(), benchmarks: [{ name: 'sweep-partition' }] }),
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(tmp, name));
      await writeFile(join(tmp, name, 'result.json'), text);
    }
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

  test('no sweep in the result, or bad options: exit status 2 and what to do', async () => {
    for (const [args, expected] of /** @type {[string[], RegExp][]} */ ([
      [['other'], /other has no configuration sweep\.\nMeasure one with `sentinel-bench run --suite config-sweep`/],
      [['skipped'], /No configuration was measured in skipped\.\n[\s\S]*sweep-partition skipped: it cannot be\./],
      [['nowhere'], /There is no nowhere\.\n/],
      [['damaged'], /damaged\/result\.json is damaged at benchmarks/],
      [['sweep', '--max-loss', 'none'], /0 and 1,000,000,000,000/],
      [['sweep', '--max-loss', '101%'], /between 0 and 1 \(or 0% and 100%\)/],
      [['sweep', '--max-p99', 'soon'], /0\.001ms and 60s/],
      [['sweep', '--min-throughput', '-1'], /1\/s and/],
      [['sweep', '--faults', 'kill,fire'], /Allowed choices are kill, machine, partition, /],
      [['sweep', '--faults', 'kill,stop,kill'], /kill is named twice\./],
      [['sweep', '--faults', 'power'], /sweep has no trial of power\.\n/],
      [['sweep', '--faults', 'coordinated'], /sweep has no trial of coordinated\.\n.*a server that has them, or ask/],
      [['sweep', '--min-throughput', '0%'], /give a share above 0\./],
      [['sweep', '--max-p99', '5ms', '--max-unavailable', '1ms'], /--max-unavailable is shorter than --max-p99\./],
      [['sweep', '--failovers-per-year', '4'], /belong together\.\n/],
      [['sweep', '--failovers-per-year', '0', '--writes-per-second', '9'], /0\.001 and 1,000,000/],
      [['sweep', '--survive', 'fire'], /Allowed choices are one-replica-down, both-replicas-down\./],
      [['sweep', '--pipeline', '7'], /Allowed choices are 1, 100\./],
      [[], /missing required argument 'folder'/],
    ])) {
      const { status, stdout, stderr } = await recommend(...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, expected);
    }
  });
});
