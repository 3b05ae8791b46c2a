import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ResultSchema, suites } from '../../bench/index.js';
import { everyRun } from '../result/runs.js';
import { writeSite } from './site.js';

const SAMPLE = fileURLToPath(new URL('../../results/sample/engine', import.meta.url));

test('a site has a folder for each run, and links to each, also if their names are the same', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  t.after(() => rmSync(folder, { recursive: true }));
  async function* twice() {
    yield* everyRun([SAMPLE], assert.fail, ResultSchema);
    yield* everyRun([SAMPLE], assert.fail, ResultSchema);
  }
  await writeSite(folder, twice(), suites);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const name of ['engine', 'engine-2']) {
    assert.match(index, new RegExp(`href="${name}/index.html"`));
    assert.match(readFileSync(join(folder, name, 'index.html'), 'utf8'), /<title>sentinel-bench: engine/);
  }
});
