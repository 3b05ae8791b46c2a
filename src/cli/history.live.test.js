import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { resultOf } from '../report/fixture.js';
import { startCli } from './fixture.js';

describe('sentinel-bench history', () => {
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-history-'));
    for (const day of [1, 2, 3]) {
      const text = JSON.stringify({ ...resultOf(), startedAt: `2026-01-0${day}T10:00:00.000Z` });
      await mkdir(join(tmp, 'runs', 'below', `run-${day}`), { recursive: true });
      await writeFile(join(tmp, 'runs', 'below', `run-${day}`, 'result.json'), text);
      // A stored baseline that is also one of the runs counts once.
      if (day === 1) await writeFile(join(tmp, 'runs', 'baseline.json'), text);
      if (day === 2) await writeFile(join(tmp, 'runs', 'cut.json'), text.slice(0, 500));
    }
    await writeFile(join(tmp, 'runs', 'foreign.json'), '{}');
    await symlink('run-3', join(tmp, 'runs', 'below', 'latest'));
    await mkdir(join(tmp, 'empty'));
  });
  after(() => rm(tmp, { recursive: true }));

  /** @param {...string} args */
  const history = (...args) => startCli(['history', ...args], { tmp }).ended;

  test('counts each run once, and names unreadable files', async () => {
    const { status, stdout, stderr } = await history('runs');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /async-vs-wait: acked operations a second, 3 runs\n/);
    assert.match(stderr, /left out: runs\/cut\.json is not whole JSON/);
    assert.match(stderr, /left out: runs\/foreign\.json is not a result of sentinel-bench\./);
  });
});
