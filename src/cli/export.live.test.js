import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { resultOf } from '../report/fixture.js';
import { renderJunit } from '../result/export-junit.js';
import { jsonSchemaText } from '../result/schema.js';
import { startCli } from './fixture.js';

describe('sentinel-bench export', () => {
  const result = resultOf();
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-export-'));
    await mkdir(join(tmp, 'run'));
    await writeFile(join(tmp, 'run', 'result.json'), JSON.stringify(result));
  });
  after(() => rm(tmp, { recursive: true }));

  /** @param {...string} args */
  const cli = (...args) => startCli(args, { tmp }).ended;

  test('prints the chosen format, and nothing else', async () => {
    const metrics = await cli('export', 'run', '--format', 'openmetrics', '--timestamps');
    assert.deepEqual([metrics.status, metrics.stderr], [0, '']);
    assert.match(metrics.stdout, /^# TYPE sentinel_bench_run info\n[\s\S]* 1763663106\n# EOF\n$/);
    const junit = await cli('export', 'run', '--format', 'junit');
    assert.equal(junit.stdout, renderJunit(result));
    const schema = await cli('export', '--format', 'json-schema');
    assert.equal(schema.stdout, jsonSchemaText(ResultSchema));
  });

  test('an existing file is replaced only with --force', async () => {
    const args = ['export', 'run', '--format', 'junit', '--out', 'junit.xml'];
    await writeFile(join(tmp, 'junit.xml'), 'mine');
    const refused = await cli(...args);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /junit.xml exists already\.\n.*--force/);
    assert.equal(await readFile(join(tmp, 'junit.xml'), 'utf8'), 'mine');
    const replaced = await cli(...args, '--force');
    assert.deepEqual([replaced.status, replaced.stdout], [0, '']);
    assert.equal(await readFile(join(tmp, 'junit.xml'), 'utf8'), renderJunit(result));
  });

  test('every command refuses a damaged result with the same message, and writes nothing', async () => {
    const damaged = structuredClone(result);
    damaged.benchmarks[0].cases[1].rounds[2].histogram = 'aGVsbG8gd29ybGQ=';
    const text = JSON.stringify(damaged);
    await mkdir(join(tmp, 'damaged'));
    await writeFile(join(tmp, 'damaged', 'result.json'), text);
    for (const args of [
      ['report', 'damaged'],
      ['compare', 'run', 'damaged'],
      ['recommend', 'damaged'],
      ['export', 'damaged', '--format', 'openmetrics', '--out', 'never'],
    ]) {
      const { status, stdout, stderr } = await cli(...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(
        stderr,
        /^error: damaged.result\.json is damaged at benchmarks\[0\]\.cases\[1\]\.rounds\[2\]\.histogram: [^\n]+\.\n[^\n]+\.\n$/,
        args.join(' '),
      );
    }
    assert.deepEqual(await readdir(join(tmp, 'damaged')), ['result.json']);
    assert.equal(await readFile(join(tmp, 'damaged', 'result.json'), 'utf8'), text);
    assert.ok(!(await readdir(tmp)).includes('never'));
  });
});
