import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { journalsIn, leftIn, newFolder, runCli, startCli } from '../../src/cli/fixture.js';
import { smallDisk } from '../../src/hostile-fixture.js';
import { readResult } from '../../src/result/read.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { ResultSchema } from '../index.js';

const folder = await ownTemporaryFolder();
const skip = await needs('server');
const noSmallDisk = await needs('small disk');

const RUN = ['run', '--backend', 'local', '--out', 'out'];

/** @param {string} tmp */
const runFolder = (tmp) => join(tmp, 'out', 'latest');

// One after the other: each has a TMPDIR of its own, so that none sees which ports the nodes have that another has stopped.
describe('failure benchmarks on the command line', { skip }, () => {
  test('interrupted in the middle of a fault: everything is undone, and finished trials are kept', async () => {
    const tmp = newFolder(folder);
    const cli = startCli([...RUN, 'primary-killed', '--client', 'native', '--lanes', '2'], { tmp });
    await cli.says('stderr', /^primary-killed\..*: sticky lost/m);
    cli.kill('SIGINT');
    const { status, stderr } = await cli.ended;
    assert.equal(status, 130, stderr);
    assert.deepEqual(leftIn(tmp), []);
    assert.deepEqual(journalsIn(tmp), []);
    const result = await readResult(runFolder(tmp), ResultSchema);
    assert.equal(result.benchmarks[0].status, 'skipped');
    assert.ok(result.benchmarks[0].cases.length > 0);
  });

  test('a full disk costs the ledgers, but not the figures', { skip: noSmallDisk }, async (t) => {
    const tmp = newFolder(folder);
    // Room for folders, not for a ledger.
    const disk = smallDisk(t, 4);
    const args = ['run', 'primary-restarted-empty', '--backend', 'local', '--client', 'native', '--out', disk];
    const { status, stderr } = await runCli(args, { tmp });
    assert.equal(status, 3, stderr);
    assert.match(
      stderr,
      RegExp(`^The results cannot be written to ${disk}: .*; they are in .*/result\\.json\\.$`, 'm'),
    );
    assert.match(stderr, /^error: The ledger of the audit cannot be written to .* \(ENOSPC\)\.\nMake room/m);
    assert.deepEqual(leftIn(tmp), []);
    const [, place] = /they are in (.*)\/result\.json\.$/m.exec(stderr) ?? [];
    const [{ status: measured, cases, audit = [] }] = (await readResult(place, ResultSchema)).benchmarks;
    assert.equal(measured, 'ok');
    assert.equal(audit.length, 2 * cases.length, 'both writers of each case');
    for (const { acked, case: id } of audit) assert.ok(acked > 0, id);
  });

  test('a benchmark that the stack cannot serve is skipped, with the remedy', async () => {
    const tmp = newFolder(folder);
    const { status, stdout } = await runCli([...RUN, 'primary-isolated', '--json'], { tmp });
    assert.equal(status, 1, 'it was asked for by its name');
    const [benchmark] = JSON.parse(stdout).benchmarks;
    assert.equal(benchmark.status, 'skipped');
    assert.match(benchmark.reason, /cannot isolate here; use --backend docker/);
  });
});
