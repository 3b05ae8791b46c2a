import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { ExitStatus, UserError } from '../errors.js';
import { resultOf } from './fixture.js';
import { readResult } from './read.js';
import { makeReport } from './report.js';
import { renderReport, writeRun } from './write.js';

const NAME = '2025-11-20T18-24-05Z-main';
const root = await mkdtemp(path.join(os.tmpdir(), 'write-test-'));
after(() => rm(root, { recursive: true }));

const result = resultOf();
const benchmarks = new Map();
let out = '';
beforeEach(async () => {
  out = await mkdtemp(path.join(root, 'out-'));
});

test('a run has its folder with everything in it, and nothing else', async () => {
  const folder = await writeRun(result, benchmarks, { out });
  assert.equal(folder, path.join(out, NAME));
  assert.deepEqual((await readdir(folder)).sort(), ['charts', 'histograms', 'report.html', 'report.md', 'result.json']);
  assert.deepEqual((await readdir(path.join(folder, 'histograms'))).sort(), [
    'async-vs-wait.none.hgrm',
    'async-vs-wait.none.hlog',
    'async-vs-wait.wait1.hgrm',
    'async-vs-wait.wait1.hlog',
  ]);
  assert.deepEqual(await readResult(folder), result);
  assert.equal(await readFile(path.join(folder, 'report.md'), 'utf8'), makeReport(result, benchmarks).markdown);
  assert.deepEqual((await readdir(out)).sort(), [NAME, 'latest']);
  assert.equal(await readlink(path.join(out, 'latest')), NAME);
});

test('the folder for results is made when it is missing', async () => {
  const deep = path.join(out, 'a', 'b');
  assert.equal(await writeRun(result, benchmarks, { out: deep }), path.join(deep, NAME));
});

test('a second run of the same second gets a folder of its own, and latest follows', async () => {
  const folders = [];
  for (let i = 0; i < 3; i++) folders.push(path.basename(await writeRun(result, benchmarks, { out })));
  assert.deepEqual(folders, [NAME, `${NAME}-2`, `${NAME}-3`]);
  assert.equal(await readlink(path.join(out, 'latest')), `${NAME}-3`);
});

test('what is called latest and is no link stays', async () => {
  await mkdir(path.join(out, 'latest'));
  await writeFile(path.join(out, 'latest', 'mine'), 'precious');
  await writeRun(result, benchmarks, { out });
  assert.equal(await readFile(path.join(out, 'latest', 'mine'), 'utf8'), 'precious');

  const other = await mkdtemp(path.join(root, 'out-'));
  await writeFile(path.join(other, 'latest'), 'precious');
  await writeRun(result, benchmarks, { out: other });
  assert.equal(await readFile(path.join(other, 'latest'), 'utf8'), 'precious');
});

test('a dangling latest is replaced', async () => {
  await symlink('gone', path.join(out, 'latest'));
  await writeRun(result, benchmarks, { out });
  assert.equal(await readlink(path.join(out, 'latest')), NAME);
});

test('logs are written when there are any', async () => {
  const logs = new Map([['redis-1', ['one', 'two']]]);
  const folder = await writeRun(result, benchmarks, { out, logs });
  assert.equal(await readFile(path.join(folder, 'logs', 'redis-1.log'), 'utf8'), 'one\ntwo\n');
});

test('a result that does not keep to the schema is not written', async () => {
  const wrong = /** @type {any} */ ({ ...result, seed: 'seven' });
  await assert.rejects(writeRun(wrong, benchmarks, { out }), { name: 'ZodError' });
  assert.deepEqual(await readdir(out), []);
});

/** @param {unknown} error */
function isEnvironmentError(error) {
  assert.ok(error instanceof UserError, String(error));
  assert.equal(error.exitStatus, ExitStatus.environment);
  for (const sentence of [error.message, error.remedy]) assert.match(sentence, /^[^\n]+$/);
  return true;
}

test('a folder that cannot be made is said in one sentence', async () => {
  const file = path.join(out, 'file');
  await writeFile(file, '');
  for (const below of [file, path.join(file, 'below')]) {
    await assert.rejects(writeRun(result, benchmarks, { out: below }), isEnvironmentError);
  }
});

// A limit on the size of files stands in for a full disk: the system refuses in the middle of writing either way.
for (const { blocks, left, says } of [
  { blocks: 2, left: [], says: /^The results cannot be written to / },
  // Pictures are written before the report that shows them, each of them whole.
  { blocks: 120, left: ['charts', 'result.json'], says: /^The results are in .*result\.json, but not everything / },
]) {
  test(`when there is room for ${blocks} blocks only, nothing half-written is left`, async () => {
    const script = `
      import { resultOf } from ${JSON.stringify(import.meta.resolve('./fixture.js'))};
      import { writeRun } from ${JSON.stringify(import.meta.resolve('./write.js'))};
      const presentation = { method: 'x'.repeat(process.argv[1] > 100 ? 200_000 : 0), table: [] };
      await writeRun(resultOf(), new Map([['async-vs-wait', presentation]]), { out: process.argv[2] }).catch(
        ({ message, exitStatus }) => console.log(JSON.stringify({ message, exitStatus })),
      );`;
    const shell = 'ulimit -f "$0"; exec "$1" --input-type=module --eval "$2" "$0" "$3"';
    const { stdout } = await promisify(execFile)('sh', ['-c', shell, String(blocks), process.execPath, script, out]);
    const { message, exitStatus } = JSON.parse(stdout);
    assert.match(message, says);
    assert.match(message, /: file too large\.$/);
    assert.equal(exitStatus, ExitStatus.environment);
    const folders = await readdir(out);
    const files = folders.length === 0 ? [] : await readdir(path.join(out, folders[0]));
    assert.deepEqual(
      files.sort(),
      left.filter((file) => file !== 'report.md'),
    );
    if (files.length > 0) assert.deepEqual(await readResult(path.join(out, folders[0])), result);
  });
}

test('a report is made again from its result', async () => {
  const folder = await writeRun(result, benchmarks, { out });
  const report = path.join(folder, 'report.md');
  for (const place of [folder, path.join(folder, 'result.json'), path.join(out, 'latest')]) {
    await rm(report);
    const written = await renderReport(await readResult(place), benchmarks, place);
    assert.equal(await readFile(written, 'utf8'), makeReport(result, benchmarks).html);
    assert.equal(await readFile(report, 'utf8'), makeReport(result, benchmarks).markdown);
  }
  await assert.rejects(renderReport(result, benchmarks, path.join(out, 'nothing')), isEnvironmentError);
});

test('a report is not made over what is somebody’s', async () => {
  const mine = path.join(out, 'report.md');
  await writeFile(mine, '# My notes\n');
  const place = path.join(out, 'baseline.json');
  await writeFile(place, JSON.stringify(result));
  await assert.rejects(renderReport(result, benchmarks, place), {
    exitStatus: ExitStatus.badInput,
    message: `${mine} is there already, and is no report of sentinel-bench.`,
  });
  assert.equal(await readFile(mine, 'utf8'), '# My notes\n');
  assert.deepEqual((await readdir(out)).sort(), ['baseline.json', 'report.md']);
});
