import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { needs, skipFor } from '../test/needs.js';
import { UserError } from './errors.js';
import {
  isInMemory,
  isPrivateFolder,
  makePrivateFolder,
  onDiskIfPossible,
  readOwnFile,
  removeOwnFolder,
} from './private-files.js';
import { ownTemporaryFolder } from './stacks/fixture.js';

const root = await ownTemporaryFolder();
const notRoot = await needs('root');

const OTHER = 54_323;
const PATTERN = /^ours-\d$/;

/** @returns {string} a new folder */
const newFolder = () => mkdtempSync(join(root, 'case-'));

/** @param {() => unknown} work @param {RegExp} message */
function refused(work, message) {
  assert.throws(work, (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, message);
    assert.equal(error.exitStatus, 3);
    return true;
  });
}

test('temporary files are on a disk where the folder for them is in memory', {
  skip: skipFor(isInMemory('/dev/shm') ? null : 'there is no /dev/shm'),
}, () => {
  assert.equal(onDiskIfPossible('/dev/shm'), isInMemory('/var/tmp') ? '/dev/shm' : '/var/tmp');
  assert.equal(onDiskIfPossible('/proc'), '/proc');
});

test('a private folder is one that only this user can write to', () => {
  const path = join(newFolder(), 'private');
  assert.equal(isPrivateFolder(path, 'TMPDIR'), false);
  makePrivateFolder(path, 'TMPDIR');
  makePrivateFolder(path, 'TMPDIR');
  assert.equal(isPrivateFolder(path, 'TMPDIR'), true);
  for (const mode of [0o701, 0o710, 0o777]) {
    chmodSync(path, mode);
    refused(() => isPrivateFolder(path, 'TMPDIR'), /is open to other users \(mode 7\d\d\)/);
    refused(() => makePrivateFolder(path, 'TMPDIR'), /is open to other users/);
  }
  chmodSync(path, 0o700);
  const link = `${path}-link`;
  symlinkSync(path, link);
  refused(() => makePrivateFolder(link, 'TMPDIR'), /is a symbolic link/);
  writeFileSync(`${path}-file`, '');
  refused(() => makePrivateFolder(`${path}-file`, 'TMPDIR'), /is not a folder/);
  assert.equal(isPrivateFolder(join(`${path}-file`, 'below'), 'TMPDIR'), false);
});

test('another user’s folder or file is not read', { skip: notRoot }, () => {
  const path = join(newFolder(), 'private');
  makePrivateFolder(path, 'TMPDIR');
  writeFileSync(join(path, 'file'), 'text');
  chownSync(join(path, 'file'), OTHER, OTHER);
  refused(() => readOwnFile(join(path, 'file')), /belongs to another user \(uid 54323\)/);
  chownSync(path, OTHER, OTHER);
  refused(() => isPrivateFolder(path, 'TMPDIR'), /belongs to another user \(uid 54323\)/);
});

test('only a plain file is read, and a pipe does not block', () => {
  const folder = newFolder();
  const file = join(folder, 'file');
  assert.equal(readOwnFile(file), null);
  writeFileSync(file, 'text');
  assert.equal(readOwnFile(file), 'text');
  assert.equal(readOwnFile(join(file, 'below')), null);
  symlinkSync(file, join(folder, 'link'));
  refused(() => readOwnFile(join(folder, 'link')), /is a symbolic link/);
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  refused(() => readOwnFile(join(folder, 'fifo')), /is not a file/);
  refused(() => readOwnFile(folder), /is not a file/);
});

test('only a folder of ours is removed', () => {
  const folder = newFolder();
  const ours = join(folder, 'ours-1');
  const theirs = join(folder, 'theirs');
  for (const path of [ours, theirs]) {
    mkdirSync(path);
    writeFileSync(join(path, 'file'), '');
  }
  refused(() => removeOwnFolder(theirs, PATTERN), /does not have the name/);
  refused(() => removeOwnFolder('ours-1', PATTERN), /does not have the name/);
  refused(() => removeOwnFolder(`${theirs}/../ours-1`, PATTERN), /does not have the name/);
  symlinkSync(theirs, join(folder, 'ours-2'));
  refused(() => removeOwnFolder(join(folder, 'ours-2'), PATTERN), /is no longer a folder/);
  symlinkSync(folder, join(folder, 'link'));
  refused(() => removeOwnFolder(join(folder, 'link', 'ours-1'), PATTERN), /is now behind a symbolic link/);
  assert.ok(existsSync(join(ours, 'file')) && existsSync(join(theirs, 'file')));
  // What is behind a link in it is not ours either.
  symlinkSync(theirs, join(ours, 'link'));
  removeOwnFolder(ours, PATTERN);
  removeOwnFolder(ours, PATTERN);
  assert.ok(!existsSync(ours) && existsSync(join(theirs, 'file')));
});

test('another user’s folder of that name is not removed', { skip: notRoot }, () => {
  const ours = join(newFolder(), 'ours-1');
  mkdirSync(ours);
  chownSync(ours, OTHER, OTHER);
  refused(() => removeOwnFolder(ours, PATTERN), /belongs to another user \(uid 54323\)/);
  assert.ok(existsSync(ours));
});

test('a folder on a volume that changes the owner of new files is still ours', (t) => {
  const ours = join(newFolder(), 'ours-1');
  mkdirSync(ours);
  const { uid } = statSync(ours);
  t.mock.method(/** @type {{getuid: () => number}} */ (process), 'getuid', () => uid + 1);
  removeOwnFolder(ours, PATTERN);
  assert.ok(!existsSync(ours));
  assert.deepEqual(readdirSync(dirname(ours)), [], 'what was made to find out is gone');
});
