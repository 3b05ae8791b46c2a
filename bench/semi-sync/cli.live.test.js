/** A small part of the suite through the command line: its report, and what it leaves. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { LONG_RUN_MS, leftIn, newFolder, runCli, startCli } from '../../src/cli/fixture.js';
import { readResult } from '../../src/result/read.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { ResultSchema } from '../index.js';

const folder = await ownTemporaryFolder();
const skip = await needs('mariadb', 'proc');

const RUN = ['run', 'semi-sync-switch-over', '--backend', 'local', '--out', 'out'];

describe('the suite semi-sync on the command line', { skip }, () => {
  test('a run: a report, an audit that can be made again, and nothing left', async () => {
    const tmp = newFolder(folder);
    const run = await runCli([...RUN, '--lanes', '1'], { tmp, deadlineMs: LONG_RUN_MS });
    assert.equal(run.status, 0, run.stderr + run.stdout);
    assert.deepEqual(leftIn(tmp), []);

    const out = join(tmp, 'out', 'latest');
    const { trials, benchmarks } = await readResult(out, ResultSchema);
    const [{ status, cases, checks, audit = [] }] = benchmarks;
    assert.equal(status, 'ok');
    assert.ok(cases.length > 0);
    assert.deepEqual([trials?.lanes, trials?.done], [1, cases.length]);
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    );
    const page = readFileSync(join(out, 'report.md'), 'utf8');
    assert.match(page, /^- Most was lost with .* in \*planned switch-over, old primary not told\*: /m);
    assert.match(page, / No mode lost anything in: planned switch-over\.$/m);

    const again = JSON.parse((await runCli(['audit', out, '--json'], { tmp })).stdout);
    assert.deepEqual([again.writers.length, again.agrees], [audit.length, true]);
  });

  test('killed: `recover` removes its servers and files', async () => {
    const tmp = newFolder(folder);
    const cli = startCli(RUN, { tmp });
    await cli.says('stderr', /^Starting MariaDB/m);
    await cli.says('stderr', /^Measuring/m);
    cli.kill('SIGKILL');
    await cli.ended;
    const { status, stderr } = await runCli(['recover'], { tmp });
    assert.equal(status, 0, stderr);
    assert.deepEqual(leftIn(tmp), []);
  });
});
