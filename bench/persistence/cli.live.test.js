import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { leftIn, newFolder, runCli, startCli } from '../../src/cli/fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';

const folder = await ownTemporaryFolder();
const skip = await needs('server');

const RUN = [
  'run',
  'persistence',
  '--backend',
  'local',
  '--out',
  'out',
  '--slow-volume',
  '0',
  '--no-replicated-volume',
];

/** @param {string} tmp of a process that made no report */
const results = (tmp) => readdirSync(join(tmp, 'out'));

/** @param {string} tmp @returns {string} a directory with a foreign file */
function newVolume(tmp) {
  const volume = join(tmp, 'volume');
  mkdirSync(volume);
  writeFileSync(join(volume, 'dump.rdb'), 'somebody else’s');
  return volume;
}

describe('what cannot be measured is said before anything is loaded', { skip, concurrency: 2 }, () => {
  for (const [what, args, status, text] of /** @type {[string, string[], number, RegExp][]} */ ([
    ['a directory that does not exist', ['--data-dir', 'net=missing'], 2, /^error: The directory of storage “net”/m],
    ['a directory that is not writable', ['--data-dir', 'net=/proc'], 2, /^error: .*“net” cannot be written to/m],
    [
      'a data set larger than memory',
      ['--preload-keys', '99000000'],
      3,
      /^error: There is too little memory .* available\.$/m,
    ],
    [
      'a setting that the server does not know',
      ['--set', 'no-such-setting=1'],
      3,
      /^error: .*no setting called no-such-setting/m,
    ],
    ['a value that a setting does not take', ['--set', 'maxmemory-policy=x'], 3, /^error: .*maxmemory-policy/m],
    ['a setting that decides who is let in', ['--set', 'requirepass=x'], 2, /requirepass controls access/],
  ])) {
    test(what, async () => {
      const tmp = newFolder(folder);
      const run = await runCli([...RUN, ...args], { tmp });
      assert.equal(run.status, status, run.stderr);
      assert.match(run.stderr, text);
      assert.doesNotMatch(run.stderr, /loaded in/);
      assert.deepEqual(leftIn(tmp), []);
      assert.deepEqual(status === 2 ? [] : results(tmp), [], 'no folder of a run');
    });
  }
});

// One after the other: neither sees which ports the nodes have that the other has stopped.
describe('a data directory of the user’s', { skip }, () => {
  test('killed: recover removes what is ours, and nothing else', async () => {
    const tmp = newFolder(folder);
    const volume = newVolume(tmp);
    // The first storage class is measured for long; of the user's directory a later stack makes use.
    const cli = startCli([...RUN, '--data-dir', `given=${volume}`], { tmp, env: { TMPDIR: volume } });
    await cli.says('stderr', /loaded in/);
    cli.kill('SIGKILL');
    await cli.ended;
    assert.ok(readdirSync(volume).length > 1, 'the killed run left something');
    const recovered = await runCli(['recover'], { tmp, env: { TMPDIR: volume } });
    assert.equal(recovered.status, 0, recovered.stderr);
    assert.deepEqual(readdirSync(volume), ['dump.rdb']);
    assert.deepEqual(leftIn(volume), []);
  });

  test('Ctrl-C: nothing of ours is left', async () => {
    const tmp = newFolder(folder);
    const volume = newVolume(tmp);
    const cli = startCli([...RUN, '--data-dir', `given=${volume}`], { tmp, env: { TMPDIR: volume } });
    await cli.says('stderr', /loaded in/);
    cli.kill('SIGINT');
    const { status, stderr } = await cli.ended;
    assert.equal(status, 130, stderr);
    assert.deepEqual(readdirSync(volume), ['dump.rdb']);
    assert.deepEqual(leftIn(volume), []);
  });
});
