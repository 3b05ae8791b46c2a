import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { ResultSchema } from '../../bench/index.js';
import { ExitStatus, UserError } from '../errors.js';
import { resultOf } from '../report/fixture.js';
import { randomFrom } from '../stats/random.js';
import { readResult } from './read.js';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'read-test-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const good = resultOf();

/** @param {string} text @returns {Promise<UserError>} what reading a file with this text gives */
async function refusal(text) {
  const file = path.join(folder, 'result.json');
  await writeFile(file, text);
  return refusalOf(file);
}

/** @param {string} place */
async function refusalOf(place) {
  const error = await readResult(place, ResultSchema).then(
    () => assert.fail(`${place} was read`),
    (error) => error,
  );
  assert.ok(error instanceof UserError, String(error));
  assert.equal(error.exitStatus, ExitStatus.badInput);
  for (const sentence of [error.message, error.remedy]) assert.match(sentence, /^[^\n]+\.$/);
  return error;
}

/** @param {(result: any) => void} change */
function changed(change) {
  const result = structuredClone(good);
  change(result);
  return JSON.stringify(result, null, 2);
}

test('a result is read back as it was written, from its folder or its file', async () => {
  const run = path.join(folder, 'run');
  await mkdir(run);
  await writeFile(path.join(run, 'result.json'), JSON.stringify(good));
  assert.deepEqual(await readResult(run, ResultSchema), good);
  assert.deepEqual(await readResult(path.join(run, 'result.json'), ResultSchema), good);
});

test('a compressed result is read, from its folder or its file', async () => {
  const run = path.join(folder, 'packed');
  await mkdir(run);
  await writeFile(path.join(run, 'result.json.gz'), gzipSync(JSON.stringify(good)));
  assert.deepEqual(await readResult(run, ResultSchema), good);
  assert.deepEqual(await readResult(path.join(run, 'result.json.gz'), ResultSchema), good);
  await writeFile(
    path.join(run, 'result.json'),
    changed((result) => (result.seed = 42)),
  );
  assert.equal((await readResult(run, ResultSchema)).seed, 42);
});

test('a damaged compressed result is refused in one sentence', async () => {
  const file = path.join(folder, 'result.json.gz');
  const whole = gzipSync(JSON.stringify(good));
  for (const bytes of [whole.subarray(0, whole.length / 2), Buffer.from(JSON.stringify(good)), Buffer.from('')]) {
    await writeFile(file, bytes);
    assert.match((await refusalOf(file)).message, /result\.json\.gz (cannot be unpacked by gzip|is empty)\.$/);
  }
  await writeFile(file, gzipSync('{'));
  assert.match((await refusalOf(file)).message, /is not whole JSON/);
});

test('binary content, other kinds of files, endless files', async () => {
  assert.match((await refusal('\0\x01\x02\ufffd')).message, /is not whole JSON/);
  assert.match((await refusal(Buffer.from(JSON.stringify(good), 'utf16le').toString())).message, /is not whole JSON/);
  assert.match(
    (await refusal(changed((result) => (result.seed = 'NaN')).replace('"NaN"', 'NaN'))).message,
    /is not whole JSON/,
  );
  const run = path.join(folder, 'folder-instead');
  await mkdir(path.join(run, 'result.json'), { recursive: true });
  assert.match((await refusalOf(run)).message, /result\.json is a folder, not a file\.$/);
});

test('what would take too much memory is refused before it is parsed, with the option that raises the limit', async () => {
  const file = path.join(folder, 'result.json.gz');
  /** @type {[what: RegExp, text: string | Buffer][]} */
  const bombs = [
    [/has more than 96 MiB/, Buffer.alloc(2 ** 27)],
    [/has lists or objects in more than 64 levels/, '['.repeat(65)],
    [/has more than 209715 lists and objects in one benchmark/, `[${'{},'.repeat(210_000)}]`],
    [/has more than 5592405 values in one benchmark/, `{"benchmarks":[[${'0,'.repeat(5_600_000)}0]]}`],
    [/has more than 1048576 names and texts/, `{"benchmarks":[${'"",'.repeat(1_050_000)}""]}`],
    [/has a text of more than 4 MiB/, `"${'a'.repeat(2 ** 23)}"`],
  ];
  for (const [what, text] of bombs) {
    await writeFile(file, gzipSync(text));
    const { message, remedy } = await refusalOf(file);
    assert.match(message, what);
    assert.match(remedy, /add --max-size 384m; reading takes/);
  }
});

test('a large run is read without an option: its benchmarks are parsed one after the other', async () => {
  const text = changed((result) => {
    const large = { ...result.benchmarks[0], more: Array(100_000).fill([]) };
    result.benchmarks = [large, large, large];
  });
  await writeFile(path.join(folder, 'result.json'), text);
  assert.equal((await readResult(folder, ResultSchema)).benchmarks.length, 3);
});

/** @type {Readonly<Record<string, [change: (result: any) => void, message: RegExp]>>} */
const REFUSED = {
  'another document of this tool': [
    (result) => (result.schema = 'sentinel-bench/load@1'),
    /is a document of sentinel-bench, but not a run's result: its schema is sentinel-bench\/load@1\.$/,
  ],
  'a later version': [
    (result) => (result.schema = 'sentinel-bench/result@12'),
    /has version 12 of the result's schema; this sentinel-bench reads versions 1 to 3\.$/,
  ],
  'a rate out of range': [
    (result) => (result.benchmarks[0].cases[1].rounds[2].throughput = 1e300),
    /is damaged at benchmarks\[0\]\.cases\[1\]\.rounds\[2\]\.throughput: /,
  ],
  'a negative time in a later benchmark': [
    (result) => {
      result.benchmarks.push(structuredClone(result.benchmarks[0]));
      result.benchmarks[1].cases[0].rounds[0].seconds = -1;
    },
    /is damaged at benchmarks\[1\]\.cases\[0\]\.rounds\[0\]\.seconds: /,
  ],
  'a case without rounds': [(result) => (result.benchmarks[0].cases[1].rounds = []), /rounds: /],
  'an interval below zero': [
    (result) => (result.benchmarks[0].cases[1].summary.p99Ns.low = -1e9),
    /summary\.p99Ns\.low/,
  ],
  'a field beside the benchmarks': [(result) => (result.seed = -1), /is damaged at seed: /],
  'a name that leads out of its folder': [
    (result) => (result.benchmarks[0].cases[0].id = '../../elsewhere'),
    /is damaged at benchmarks\[0\]\.cases\[0\]\.id: /,
  ],
};

for (const [what, [change, message]] of Object.entries(REFUSED))
  test(`${what} is refused`, async () => assert.match((await refusal(changed(change))).message, message));

test('a byte order mark is ignored', async () => {
  await writeFile(path.join(folder, 'result.json'), `\ufeff${JSON.stringify(good)}`);
  assert.deepEqual(await readResult(folder, ResultSchema), good);
});

test('an invalid or damaged histogram is named by its place', async () => {
  const { histogram } = good.benchmarks[0].cases[1].rounds[2];
  const middle = histogram.length >> 1;
  const other = histogram[middle] === 'A' ? 'B' : 'A';
  const bomb = deflateSync(Buffer.concat([Buffer.from('1c849313', 'hex'), Buffer.alloc(2 ** 23)]));
  const header = Buffer.from('1c84931400000000', 'hex');
  header.writeInt32BE(bomb.length, 4);
  for (const value of [
    '',
    'aGVsbG8gd29ybGQ=',
    histogram.slice(0, middle),
    Buffer.concat([header, bomb]).toString('base64'),
    `${histogram.slice(0, middle)}${other}${histogram.slice(middle + 1)}`,
  ]) {
    const text = changed((result) => (result.benchmarks[0].cases[1].rounds[2].histogram = value));
    assert.match(
      (await refusal(text)).message,
      /is damaged at benchmarks\[0\]\.cases\[1\]\.rounds\[2\]\.histogram: the histogram is invalid or incomplete\.$/,
    );
  }
});

test('unknown fields of a later minor version are ignored', async () => {
  await writeFile(
    path.join(folder, 'result.json'),
    changed((result) => (result.later = { more: true })),
  );
  assert.deepEqual(await readResult(folder, ResultSchema), good);
});

test('a file that was cut off or changed anywhere is read or refused in one sentence', async () => {
  const random = randomFrom(7);
  const whole = Buffer.from(JSON.stringify(good));
  const file = path.join(folder, 'result.json');
  let refused = 0;
  for (let i = 0; i < 200; i++) {
    const at = Math.floor(random() * whole.length);
    const changed = Buffer.from(i % 2 === 0 ? whole.subarray(0, at) : whole);
    if (i % 2 === 1) changed[at] ^= 1 << Math.floor(random() * 8);
    await writeFile(file, changed);
    const error = await readResult(file, ResultSchema).then(
      () => null,
      (error) => error,
    );
    if (error === null) continue;
    refused++;
    assert.ok(error instanceof UserError && error.exitStatus === ExitStatus.badInput, `${i}, at ${at}: ${error.stack}`);
    assert.match(error.message, /^[^\n]+\.$/);
  }
  assert.ok(refused >= 100, 'what is cut off is no document');
});
