import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { buildLanguage } from './build.js';
import { driversAt, findDriver, readLanguage, readLanguages } from './manifest.js';

const base = mkdtempSync(join(tmpdir(), 'drivers-test-'));
const cacheBefore = process.env.XDG_CACHE_HOME;
process.env.XDG_CACHE_HOME = join(base, 'cache');
after(() => {
  if (cacheBefore === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = cacheBefore;
  rmSync(base, { recursive: true, force: true });
});

const MANIFEST = {
  language: 'Shell',
  needs: ['sh'],
  build: [['sh', '-c', 'echo "$1" > "$2/made"', 'sh', '{source}', '{cache}']],
  drivers: [{ name: 'one', title: 'One', run: ['{cache}/run', '{source}/x'], variants: { defaults: 'as it is' } }],
};

let count = 0;
let folder = '';
beforeEach(() => {
  folder = join(base, `drivers-${++count}`);
  mkdirSync(folder);
});

/** @param {object | string} manifest @param {string} [id] */
function write(manifest, id = 'shell') {
  mkdirSync(join(folder, id), { recursive: true });
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  writeFileSync(join(folder, id, 'driver.json'), text);
  return join(folder, id);
}

test('a language is built once, into a folder of this user, and again when a file changes', async () => {
  const source = write(MANIFEST);
  const before = readLanguage(source);
  assert.deepEqual([before.built, before.missing], [false, []]);
  assert.match(String(before.drivers[0].missing), /drivers build shell/);
  /** @type {string[]} */
  const messages = [];
  await buildLanguage(before, { tell: (line) => messages.push(line) });
  assert.equal(messages.length, 1);
  const built = readLanguage(source);
  assert.deepEqual([built.built, built.drivers[0].missing], [true, null]);
  assert.equal(readFileSync(join(built.cache, 'made'), 'utf8').trim(), built.source);
  assert.deepEqual(built.drivers[0].command.run, [join(built.cache, 'run'), join(built.source, 'x')]);
  writeFileSync(join(source, 'x'), 'changed');
  assert.equal(readLanguage(source).built, false);
});

test('a build that fails shows its last lines and counts for nothing', async () => {
  const source = write({ ...MANIFEST, build: [['sh', '-c', 'echo some reason; exit 3']] });
  await assert.rejects(buildLanguage(readLanguage(source), { tell() {} }), {
    name: 'UserError',
    message: /ended with status 3/,
    detail: /some reason/,
  });
  assert.equal(readLanguage(source).built, false);
});

test('a program that is missing is named with the way to get it', () => {
  const source = write({ ...MANIFEST, needs: ['no-such-program'], install: 'apt install it' });
  const [{ missing }] = readLanguage(source).drivers;
  assert.equal(missing, 'no-such-program is not on PATH. To install it: apt install it.');
});

test('drivers are found by name, by path, and a program by its own path', () => {
  write(MANIFEST);
  const [one] = MANIFEST.drivers;
  const workloads = [{ ...one, name: 'jobs', workload: 'queue' }];
  write({ ...MANIFEST, drivers: [{ ...one, name: 'two' }], workloads }, 'other');
  writeFileSync(join(folder, 'program'), '');
  assert.equal(readLanguages(folder).length, 2);
  assert.equal(findDriver('two', folder).name, 'two');
  assert.throws(() => findDriver('three', folder), /There is no driver three/);
  assert.deepEqual(
    driversAt(join(folder, 'shell')).drivers.map(({ name }) => name),
    ['one'],
  );
  assert.equal(driversAt(join(folder, 'shell', 'one')).drivers[0].name, 'one');
  assert.throws(() => findDriver('jobs', folder), /There is no driver jobs/);
  assert.equal(driversAt(join(folder, 'other', 'jobs')).workloads[0].workload, 'queue');
  assert.throws(() => driversAt(join(folder, 'shell', 'two')), /no driver two/);
  assert.throws(() => driversAt(folder), /has no driver.json/);
  assert.deepEqual(driversAt(join(folder, 'program')).drivers[0].command.run, [join(folder, 'program')]);
});

test('an invalid manifest is refused with the field that is wrong', () => {
  const [driver] = MANIFEST.drivers;
  /** @type {[object | string, RegExp][]} */
  const cases = [
    ['{', /cannot be used/],
    ['[]', /cannot be used/],
    [{ ...MANIFEST, drivers: [] }, /drivers/],
    [{ ...MANIFEST, drivers: [{ ...driver, name: '../evil' }] }, /drivers\.0\.name/],
    [{ ...MANIFEST, drivers: [{ ...driver, run: [] }] }, /drivers\.0\.run/],
    [{ ...MANIFEST, drivers: [{ ...driver, variants: { best: 'x' } }] }, /defaults/],
    [{ ...MANIFEST, drivers: [driver, driver] }, /same name/],
    [{ ...MANIFEST, workloads: [{ ...driver, workload: 'queue' }] }, /same name/],
    [{ ...MANIFEST, workloads: [{ ...driver, name: 'two', workload: 'war' }] }, /workloads\.0\.workload/],
    [{ ...MANIFEST, build: ['make'] }, /build\.0/],
  ];
  for (const [manifest, message] of cases) {
    const source = write(manifest);
    assert.throws(() => readLanguage(source), { name: 'UserError', message });
  }
});
