import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ExitStatus } from '../errors.js';
import { leftOnDocker, ownTemporaryFolder, startOwner } from './fixture.js';
import { recoverDocker } from './hosts/docker/project.js';
import { listStacks } from './hosts/local/record.js';
import { recoverLocal } from './hosts/local/recover.js';
import { ask, doubts, eventually } from './redis/conformance-help.js';
import { startDocker } from './redis/docker/index.js';
import { startLocal } from './redis/local/index.js';

/** @import { Stack, StackOptions } from './types.js' */

/**
 * Settings from the start on, and a directory of the user's choice for the nodes' files: on both backends that start stacks.
 *
 * @typedef {Object} FilesBackend
 * @property {string} name
 * @property {string} needs as test/needs.js names it
 * @property {string} module
 * @property {string} start name of the function in it
 * @property {(options: Partial<StackOptions>) => Promise<Stack>} open
 * @property {() => Promise<void>} recover
 * @property {(pid: number) => Promise<unknown[]>} left what is left of the stacks of a process
 */

const folder = await ownTemporaryFolder();

/** @type {FilesBackend[]} */
const BACKENDS = [
  {
    name: 'local',
    needs: 'server',
    module: './redis/local/index.js',
    start: 'startLocal',
    open: startLocal,
    recover: recoverLocal,
    left: async () => listStacks(),
  },
  {
    name: 'docker',
    needs: 'docker',
    module: './redis/docker/index.js',
    start: 'startDocker',
    open: startDocker,
    recover: recoverDocker,
    left: leftOnDocker,
  },
];

const SETTINGS = {
  databases: '4',
  save: '3600 1 300 100',
  'client-output-buffer-limit': 'normal 0 0 0 replica 0 0 0',
  appendonly: 'yes',
  'min-replicas-to-write': '0',
  'syslog-ident': 'a $(touch /data/injected) `id` "quoted" $HOST',
};

/** @param {string} [name] */
function userDirectory(name = 'user files') {
  const dir = join(mkdtempSync(join(folder, 'dir-')), name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'theirs'), 'not to be touched');
  return dir;
}

/** @param {string} dir */
function assertUntouched(dir) {
  assert.deepEqual(readdirSync(dir), ['theirs']);
}

/**
 * @param {Stack} stack
 * @param {string} id
 * @param {string} name
 */
async function setting(stack, id, name) {
  return /** @type {string[]} */ (await ask(stack, id, 'CONFIG', 'GET', name))[1];
}

/**
 * @param {number | undefined} pid of a process
 * @returns {boolean} a command that it gave to Docker Compose still runs
 */
function startingCommands(pid) {
  return execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }).includes(
    `--project-name sentinel-bench-${pid}-`,
  );
}

// Asked before the first suite: one that ends while the next is awaited ends the file's tests, and removes their folder.
const reasons = await Promise.all(BACKENDS.map((backend) => needs(backend.needs)));
const noPs = await needs('ps');

for (const [index, backend] of BACKENDS.entries()) {
  describe(backend.name, { skip: reasons[index] }, () => suite(backend));
}

/** @param {FilesBackend} backend */
function suite(backend) {
  test('every Redis node has its settings from the start, and its files in the given directory', async () => {
    const dir = userDirectory();
    // Processes are recognised by where they work, which is never a symbolic link.
    const link = join(folder, `link-${backend.name}`);
    symlinkSync(dir, link);
    const stack = await backend.open({ settings: SETTINGS, dataDir: link });
    try {
      for (const id of ['redis-1', 'redis-2', 'redis-3']) {
        assert.equal(await setting(stack, id, 'databases'), '4');
        assert.equal(await setting(stack, id, 'save'), '3600 1 300 100');
        assert.match(await setting(stack, id, 'client-output-buffer-limit'), /slave 0 0 0/);
        assert.equal(await setting(stack, id, 'min-replicas-to-write'), '0');
        assert.equal(await setting(stack, id, 'syslog-ident'), SETTINGS['syslog-ident']);
      }
      const [ours] = readdirSync(dir).filter((name) => name !== 'theirs');
      assert.match(ours, /^sentinel-bench-/);
      for (const id of ['redis-1', 'redis-2', 'redis-3']) {
        const names = readdirSync(join(dir, ours, id));
        assert.ok(names.includes('appendonlydir') || names.includes('appendonly.aof'), names.join());
        assert.ok(!names.includes('injected'));
      }
      await stack.host.act('redis-2', 'kill');
      await stack.host.act('redis-2', 'start');
      await stack.heal();
      assert.deepEqual(await doubts(stack), []);
      assert.equal(await setting(stack, 'redis-2', 'databases'), '4');
    } finally {
      await stack.close();
    }
    assertUntouched(dir);
  });

  test('a setting that the server does not know, or a directory that does not exist: an error, and nothing is left', async () => {
    const dir = userDirectory();
    for (const [options, message, status] of /** @type {[Partial<StackOptions>, RegExp, number][]} */ ([
      [{ settings: { 'no-such-setting': '1' }, dataDir: dir }, /has no setting called no-such-setting\.$/, 3],
      [{ settings: { databases: 'x' }, dataDir: dir }, /does not take “x” for the setting databases/, 3],
      [{ dataDir: join(folder, 'nowhere') }, /ENOENT/, ExitStatus.badInput],
    ])) {
      await assert.rejects(backend.open(options), { name: 'UserError', message, exitStatus: status });
    }
    assertUntouched(dir);
    assert.deepEqual(listStacks(), []);
  });

  for (const moment of ['ready', 'Starting']) {
    test(`the files of a stack whose process was killed (${moment}) are removed with it`, { skip: noPs }, async () => {
      const dir = userDirectory();
      const owner = await startOwner(
        `import { ${backend.start} as start } from ${JSON.stringify(new URL(backend.module, import.meta.url).href)};
        await start({ dataDir: ${JSON.stringify(dir)}, tell: (line) => console.log(line), settings: { appendonly: 'yes' } });
        console.log('ready');`,
        RegExp(`^${moment}`),
      );
      if (moment === 'Starting') await eventually('its folder is there', async () => readdirSync(dir).length > 1);
      await owner.kill();
      assert.equal(readdirSync(dir).length, 2, 'its files are still there');
      // The command that was starting the stack outlives the process, and may go on; then it is recovered from again.
      const goesOn = startingCommands(owner.pid);
      await backend.recover();
      if (goesOn) {
        await eventually('nothing goes on starting it', async () => !startingCommands(owner.pid));
        await backend.recover();
      }
      assertUntouched(dir);
      assert.deepEqual(await backend.left(owner.pid), []);
    });
  }
}
