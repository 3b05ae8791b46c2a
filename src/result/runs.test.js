/** Which files below a folder are runs, how each is called, and what is said of those that cannot be read. */

import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ResultSchema } from '../../bench/index.js';
import { badInput } from '../errors.js';
import { resultOf } from '../report/fixture.js';
import { findFiles, readRuns } from './runs.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Result } from './schema.js'
 */

const REMEDY = 'Name a folder that contains the folders of runs, such as results.';

/**
 * @param {TestContext} t
 * @param {Record<string, string | Buffer>} [files] path below the folder → content
 * @returns {Promise<string>} a temporary folder with these files
 */
async function folderWith(t, files = {}) {
  const folder = await fs.mkdtemp(path.join(tmpdir(), 'history-files-test-'));
  t.after(() => fs.rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const place = path.join(folder, name);
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.writeFile(place, content);
  }
  return folder;
}

/** @param {TestContext} t @param {string[]} names of files, which are empty */
const folderNaming = (t, ...names) => folderWith(t, Object.fromEntries(names.map((name) => [name, ''])));

/** @param {Partial<Result>} [some] @returns {string} a result without benchmarks */
const resultText = (some = {}) => JSON.stringify({ ...resultOf(), benchmarks: [], ...some });

/** @returns {{messages: string[], tell: (problem: string) => void}} messages: what was told so far */
function listener() {
  /** @type {string[]} */
  const messages = [];
  return { messages, tell: (problem) => messages.push(problem) };
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>} what is found, relative to the folder; nothing may be left out
 */
async function found(folder) {
  const { messages, tell } = listener();
  const files = await findFiles(folder, tell);
  assert.deepEqual(messages, []);
  return files.map((file) => path.relative(folder, file));
}

const ignore = () => {};

test('runs are found at any depth, packed or not', async (t) => {
  const folder = await folderNaming(t, 'one/result.json', 'group/below/two/result.json.gz', 'group/README.md');
  assert.deepEqual(await found(folder), ['one/result.json', 'group/below/two/result.json.gz']);
});

test('a folder below that cannot be read is left out, and named', async (t) => {
  const folder = await folderNaming(t, 'locked/result.json', 'run/result.json');
  const locked = path.join(folder, 'locked');
  const { readdir } = fs;
  // Root may read every folder.
  t.mock.method(fs, 'readdir', (/** @type {string} */ each, /** @type {any} */ options) =>
    each === locked ? Promise.reject(Object.assign(new Error('locked'), { code: 'EACCES' })) : readdir(each, options),
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const { messages, tell } = listener();
  assert.deepEqual(await findFiles(folder, tell), [path.join(folder, 'run/result.json')]);
  assert.deepEqual(messages, [`left out: ${locked} cannot be read as a folder (EACCES).`]);
});

test('each run is read with its name and what is kept of it', async (t) => {
  const folder = await folderWith(t, {
    'base.json': resultText({ seed: 1 }),
    'run/result.json.gz': gzipSync(resultText({ seed: 2 })),
  });
  const runs = await readRuns([folder], ignore, ResultSchema, ({ seed }) => `seed ${seed}`);
  assert.deepEqual(runs, [
    { name: 'base.json', result: 'seed 1' },
    { name: 'run', result: 'seed 2' },
  ]);
});

test('copies of a run count once, under the name that is found first', async (t) => {
  const text = resultText();
  const folder = await folderWith(t, { 'baseline.json': text, 'a/result.json': text, 'b/result.json': text });
  const runs = await readRuns([folder], ignore, ResultSchema, () => null);
  assert.deepEqual(
    runs.map(({ name }) => name),
    ['baseline.json'],
  );
});

test('files that cannot be read are left out and named', async (t) => {
  const folder = await folderWith(t, { '1.json': '', '2.json': '{}', 'run/result.json': resultText() });
  const { messages, tell } = listener();
  const runs = await readRuns([folder], tell, ResultSchema, () => null);
  assert.deepEqual(
    runs.map(({ name }) => name),
    ['run'],
  );
  assert.deepEqual(messages, [
    `left out: ${path.join(folder, '1.json')} is empty.`,
    `left out: ${path.join(folder, '2.json')} is not a result of sentinel-bench.`,
  ]);
});

test('a folder without a run is bad input', async (t) => {
  const folder = await folderNaming(t, 'notes.txt');
  await assert.rejects(
    readRuns([folder], ignore, ResultSchema, () => null),
    badInput(`There is no run in ${folder}.`, REMEDY),
  );
});
