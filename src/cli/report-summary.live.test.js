import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { resultOf } from '../report/fixture.js';
import { runCli } from './fixture.js';

describe('sentinel-bench report --summary', () => {
  /** @type {string} */
  let tmp;
  before(async () => {
    tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-summary-'));
    for (const [folder, day] of Object.entries({ 'results/older': 1, 'results/newer': 3, elsewhere: 2 })) {
      const text = JSON.stringify({ ...resultOf(), startedAt: `2026-01-0${day}T10:00:00.000Z` });
      await mkdir(join(tmp, folder), { recursive: true });
      await writeFile(join(tmp, folder, 'result.json'), text);
    }
    await symlink('older', join(tmp, 'results', 'latest'));
    await mkdir(join(tmp, 'results', 'cut'));
    await writeFile(join(tmp, 'results', 'cut', 'result.json'), '{');
    await mkdir(join(tmp, 'empty'));
  });
  after(() => rm(tmp, { recursive: true }));

  /** @param {...string} args */
  const summary = (...args) => runCli(['report', '--summary', ...args], { tmp });

  test('prints one page about the latest run of each suite below results, and names what it left out', async () => {
    const { status, stdout, stderr } = await summary();
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^# sentinel-bench: summary\n\nLatest runs: \[main\]\(<results\/newer\/report\.md>\) \(2026-01-03, quick\)\./,
    );
    assert.ok(stdout.trimEnd().split('\n').length <= 45);
    assert.match(stderr, /^left out: results\/cut\/result\.json is not whole JSON: /);
  });
});
