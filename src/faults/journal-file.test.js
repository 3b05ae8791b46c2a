import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { ExitStatus } from '../errors.js';
import { startTimeOf } from '../stacks/hosts/processes.js';
import { journalNames, keepStateApart } from './fixture.js';
import {
  claimJournalFile,
  createJournalFile,
  holderLives,
  isClaimed,
  journalFolder,
  listJournalFiles,
  readJournalFile,
  releaseJournalFile,
  removeJournalFile,
  reopenJournalFile,
} from './journal-file.js';

describe('files of journals', () => {
  const folder = keepStateApart();
  const state = join(folder, 'state');

  const ABOUT = /** @type {const} */ ({ backend: 'local', identity: 'a stack', place: '/tmp' });
  const STEP = { kind: 'act', id: 'redis-1', action: 'start' };

  afterEach(async () => {
    for (const { path } of listJournalFiles()) await removeJournalFile(path);
  });

  /** @param {object[]} lines */
  async function fileWith(...lines) {
    const { writer, ...file } = await createJournalFile(ABOUT);
    await Promise.all(lines.map((line) => writer.append(line)));
    await writer.close();
    return file;
  }

  test('only this user may read it', async () => {
    const { path } = await fileWith();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(dirname(path)).mode & 0o777, 0o700);
  });

  test('torn at any byte: earlier entries stay, and no entry is invented', async () => {
    const file = await fileWith({ n: 1, undo: STEP }, { done: 1 }, { n: 2, undo: STEP });
    const whole = readFileSync(file.path, 'utf8');
    const lines = whole.split('\n').map((line) => line.length + 1);
    const ends = lines.map((_, index) => lines.slice(0, index + 1).reduce((sum, length) => sum + length, 0));
    for (let length = 0; length <= whole.length; length += 1) {
      writeFileSync(file.path, whole.slice(0, length));
      const content = await readJournalFile(file);
      const complete = ends.filter((end) => end <= length).length;
      const expected = [undefined, [], [1], [], [2]][complete];
      assert.deepEqual(
        content?.pending.map(({ n }) => n),
        expected,
        `${length} bytes`,
      );
    }
    // The next entry begins a new line.
    writeFileSync(file.path, whole.slice(0, -3));
    const writer = await reopenJournalFile(file);
    await writer.append({ done: 2 });
    await writer.close();
    assert.deepEqual((await readJournalFile(file))?.pending, []);
  });

  test('an unreadable file is an error that names it', async () => {
    const file = await fileWith();
    const header = readFileSync(file.path, 'utf8');
    const wrong = [
      'nonsense',
      { done: 'x' },
      { n: 1, undo: { kind: 'other' } },
      { n: 1, undo: { ...STEP, action: 'kill' } },
      { n: 1, undo: { kind: 'keys', prefix: '' } },
    ];
    const lines = wrong.map((line) => `${header}${JSON.stringify(line)}\n`);
    for (const text of ['nonsense\n', '{"version":2}\n', '{"version":1}\nnonsense\n{"done":1}\n', ...lines]) {
      writeFileSync(file.path, text);
      await assert.rejects(readJournalFile(file), { name: 'UserError', message: RegExp(file.path) });
    }
  });

  test('a folder that cannot be written is an error before anything is disturbed', async (t) => {
    writeFileSync(join(folder, 'a-file'), '');
    process.env.XDG_STATE_HOME = join(folder, 'a-file');
    t.after(() => {
      process.env.XDG_STATE_HOME = state;
    });
    await assert.rejects(createJournalFile(ABOUT), {
      name: 'UserError',
      message: /ENOTDIR/,
      remedy: /XDG_STATE_HOME/,
      exitStatus: ExitStatus.environment,
    });
  });

  test('a full disk is an error, and the file stays whole', { skip: process.platform !== 'linux' }, async () => {
    const { writer, ...file } = await createJournalFile(ABOUT);
    await writer.append({ n: 1, undo: STEP });
    await writer.close();
    // A limit on the size of files fails as a full disk does, in the middle of a line.
    const { size } = statSync(file.path);
    const script = `
    import { reopenJournalFile } from ${JSON.stringify(new URL('./journal-file.js', import.meta.url).href)};
    process.on('SIGXFSZ', () => {});
    const writer = await reopenJournalFile({ path: ${JSON.stringify(file.path)} });
    await writer.append({ n: 2, undo: 'x'.repeat(4096) }).then(
      () => console.log('written'),
      (error) => console.log(error.name, error.message),
    );
    await writer.append({ done: 1 }).then(() => console.log('written'));
  `;
    const blocks = Math.floor(size / 512) + 2;
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`, process.execPath, script],
      { encoding: 'utf8' },
    );
    assert.match(stdout, /^UserError .*\(EFBIG\).*\nwritten\n$/, stderr);
    assert.deepEqual((await readJournalFile(file))?.pending, []);
  });

  test('the newest is listed first, and other files are ignored', async () => {
    const first = await fileWith();
    const second = await fileWith();
    for (const name of ['notes.txt', 'x.jsonl', '.hidden']) appendFileSync(join(journalFolder(), name), 'theirs\n');
    mkdirSync(join(journalFolder(), 'folder'));
    assert.deepEqual(
      listJournalFiles().map(({ path }) => path),
      [second.path, first.path],
    );
    assert.ok(listJournalFiles().every(holderLives), 'they are this process’s own');
  });

  test('a dead process’s file is claimed by one process only, and can be returned', async () => {
    const journalFile = await fileWith({ n: 1, undo: STEP });
    const [made, , , host] = journalFile.path.split('/').at(-1)?.split('.') ?? [];
    // A process of the same number that started at another time is another.
    const path = join(dirname(journalFile.path), `${made}.${process.pid}.${startTimeOf(process.pid)}0.${host}.jsonl`);
    renameSync(journalFile.path, path);
    const [file] = listJournalFiles();
    assert.equal(file.path, path);
    assert.equal(holderLives(file), false);

    const claims = await Promise.all([claimJournalFile(file), claimJournalFile(file), claimJournalFile(file)]);
    const [claimed, ...others] = claims.filter((claim) => claim !== null);
    assert.deepEqual(others, []);
    assert.equal(holderLives(claimed), true);
    assert.equal((await readJournalFile(claimed))?.pending.length, 1);
    assert.equal(await readJournalFile(file), null, 'it has another name now');

    const ofAnother = { ...claimed, holder: { ...claimed.holder, pid: 1 } };
    assert.deepEqual([ofAnother, claimed, file].map(isClaimed), [true, false, false], 'the last is gone');

    await releaseJournalFile(claimed, file);
    assert.deepEqual(
      journalNames().filter((name) => name.startsWith(String(made))),
      [path.split('/').at(-1)],
    );
  });
});
