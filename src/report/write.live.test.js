import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { ResultSchema, suites } from '../../bench/index.js';
import { ExitStatus, UserError } from '../errors.js';
import { readResult } from '../result/read.js';
import { makeReport } from './document.js';
import { resultOf } from './fixture.js';
import { createRunFolder, orDefect, removeIfEmpty, renderReport, saveResult, writeReport } from './write.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 */

const NAME = '2025-11-20T18-24-05Z-main';
const root = await mkdtemp(path.join(os.tmpdir(), 'write-test-'));
after(() => rm(root, { recursive: true }));

const result = resultOf();
let out = '';
beforeEach(async () => {
  out = await mkdtemp(path.join(root, 'out-'));
});

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {{out: string, logs?: Map<string, string[]>}} options
 */
async function writeRun(result, suites, { out, logs }) {
  const { folder, problem } = await saveResult(result, { schema: ResultSchema, out });
  if (problem || folder === null) throw problem;
  await writeReport(result, suites, { folder, logs });
  return folder;
}

test('a run has its folder with everything in it, and nothing else', async () => {
  const folder = await writeRun(result, suites, { out });
  assert.equal(folder, path.join(out, NAME));
  assert.deepEqual((await readdir(folder)).sort(), [
    'charts',
    'details.md',
    'facts.csv',
    'histograms',
    'report.html',
    'report.md',
    'result.json',
  ]);
  assert.deepEqual((await readdir(path.join(folder, 'histograms'))).sort(), [
    'async-vs-wait.none.hgrm',
    'async-vs-wait.wait1.hgrm',
  ]);
  assert.deepEqual(await readResult(folder, ResultSchema), result);
  const { markdown, details } = makeReport(result, suites);
  assert.equal(await readFile(path.join(folder, 'report.md'), 'utf8'), markdown);
  assert.equal(await readFile(path.join(folder, 'details.md'), 'utf8'), details);
  assert.deepEqual((await readdir(out)).sort(), [NAME, 'latest']);
  assert.equal(await readlink(path.join(out, 'latest')), NAME);
});

test('a second run in the same second gets its own folder, and latest points to it', async () => {
  const folders = [];
  for (let i = 0; i < 3; i++) folders.push(path.basename(await writeRun(result, suites, { out })));
  assert.deepEqual(folders, [NAME, `${NAME}-2`, `${NAME}-3`]);
  assert.equal(await readlink(path.join(out, 'latest')), `${NAME}-3`);
});

test('the folder of a run that ended early is removed unless it has files', async () => {
  const [empty, used] = [await createRunFolder(resultOf(), out), await createRunFolder(resultOf(), out)];
  await writeFile(path.join(used, 'a.ledger'), '');
  for (const folder of [empty, used]) await removeIfEmpty(folder);
  assert.deepEqual(await readdir(out), [path.basename(used)]);
});

test('invalid results are saved under another name', async () => {
  const wrong = /** @type {any} */ ({ ...result, seed: 'seven' });
  const { folder, valid, problem } = await saveResult(wrong, { schema: ResultSchema, out });
  assert.equal(valid, false);
  const file = path.join(String(folder), 'result.unchecked.json');
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), wrong);
  assert.deepEqual(await readdir(String(folder)), ['result.unchecked.json']);
  assert.ok(isEnvironmentError(problem));
  assert.match(String(problem?.message), / at seed \(.*\); the raw figures are in .*result\.unchecked\.json, /);
});

test('a result that cannot be rendered is saved first, and the error says where', async () => {
  const presentation = {
    name: 'async-vs-wait',
    get method() {
      throw new TypeError('there is no method');
    },
  };
  const broken = [{ name: 'main', benchmarks: [/** @type {any} */ (presentation)] }];
  await assert.rejects(writeRun(result, broken, { out }), (error) => {
    assert.ok(isEnvironmentError(error));
    assert.match(
      /** @type {Error} */ (error).message,
      /^The results are in .*result\.json, but they cannot be shown: /,
    );
    return true;
  });
  assert.deepEqual(await readResult(path.join(out, NAME), ResultSchema), result);
  assert.throws(
    () =>
      orDefect('result.json', () => {
        throw new TypeError('not a function');
      }),
    { message: 'The results are in result.json, but they cannot be shown: not a function.' },
  );
});

test('a result that cannot be written goes to a new folder, or is to be printed', async (t) => {
  const file = path.join(out, 'file');
  await writeFile(file, '');
  const elsewhere = await saveResult(result, { schema: ResultSchema, out: file });
  assert.match(String(elsewhere.folder), /results-of-sentinel-bench-/);
  assert.match(String(elsewhere.problem?.message), /; they are in .*result\.json\.$/);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = file;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const { folder, valid, problem } = await saveResult(result, { schema: ResultSchema, out: file });
  assert.deepEqual([folder, valid], [null, true]);
  assert.ok(isEnvironmentError(problem));
  assert.match(String(problem?.message), /; they are printed on standard output\.$/);
});

test('symbolic links in a foreign folder are not followed', async () => {
  const { folder } = await saveResult(result, { schema: ResultSchema, out });
  const theirs = path.join(out, 'theirs');
  await mkdir(theirs);
  await symlink(theirs, path.join(String(folder), 'charts'));
  await assert.rejects(renderReport(result, suites, String(folder)), {
    exitStatus: ExitStatus.badInput,
    message: `${path.join(String(folder), 'charts')} is a symbolic link; pictures would be written where it leads.`,
  });
  assert.deepEqual(await readdir(theirs), []);

  await rm(path.join(String(folder), 'charts'));
  const precious = path.join(theirs, 'precious');
  await writeFile(precious, 'precious');
  for (const name of ['report.md', 'report.html'])
    await symlink(precious, path.join(String(folder), `${name}.${process.pid}.tmp`));
  await renderReport(result, suites, String(folder));
  assert.equal(await readFile(precious, 'utf8'), 'precious');
});

/** @param {unknown} error */
function isEnvironmentError(error) {
  assert.ok(error instanceof UserError, String(error));
  assert.equal(error.exitStatus, ExitStatus.environment);
  for (const sentence of [error.message, error.remedy]) assert.match(sentence, /^[^\n]+$/);
  return true;
}

test('a report can be made again from its result', async () => {
  const folder = await writeRun(result, suites, { out });
  const report = path.join(folder, 'report.md');
  for (const place of [folder, path.join(folder, 'result.json'), path.join(out, 'latest')]) {
    await rm(report);
    const written = await renderReport(await readResult(place, ResultSchema), suites, place);
    assert.equal(await readFile(written, 'utf8'), makeReport(result, suites).html);
    assert.equal(await readFile(report, 'utf8'), makeReport(result, suites).markdown);
  }
  await assert.rejects(renderReport(result, suites, path.join(out, 'nothing')), isEnvironmentError);
});
