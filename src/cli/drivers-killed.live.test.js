/** The harness is killed at random moments of a trial with drivers: none of them stays, and `recover` cleans up. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { newFolder, runCli, startCli } from './fixture.js';

const FIXTURE = fileURLToPath(new URL('../drivers/driver-fixture.js', import.meta.url));
/** Drivers of writers, twice, and one of a workload. */
const RUNS = [
  { benchmark: 'clients-replica-killed', drivers: 2 },
  { benchmark: 'clients-replica-killed', drivers: 2 },
  { benchmark: 'workloads-planned-libraries', drivers: 1 },
];
/** It is ready, and ends with its input. */
const WORKLOAD = `read task; echo '{"op":"ready","library":"x","version":"1","language":"sh","visibilityMs":null}'; while read line; do :; done`;
const LATEST_MS = 2500;
/** A run starts a stack before its drivers; a busy machine needs longer than other conditions get. */
const STARTED_MS = 90_000;

const folder = await ownTemporaryFolder();

test('kill -9 of the harness leaves no driver', { skip: await needs('server', 'relay') }, async () => {
  const tmp = newFolder(folder);
  const mark = join(tmp, 'mark');
  const drivers = join(tmp, 'drivers');
  mkdirSync(join(drivers, 'none'), { recursive: true });
  const driver = (/** @type {string} */ name) => ({
    name,
    title: name,
    run: [process.execPath, FIXTURE, '', mark],
    variants: { defaults: 'no library' },
  });
  const workload = { ...driver('three'), workload: 'lock', run: ['sh', '-c', WORKLOAD, 'sh', mark] };
  const manifest = { language: 'JavaScript', drivers: [driver('one'), driver('two')], workloads: [workload] };
  writeFileSync(join(drivers, 'none', 'driver.json'), JSON.stringify(manifest));
  const env = { SENTINEL_BENCH_DRIVERS: drivers };

  for (const { benchmark, drivers: count } of RUNS) {
    const cli = startCli(['run', benchmark, '--backend', 'local', '--out', 'out'], { tmp, env });
    try {
      await eventually('the drivers run', () => processesWith(mark) === count, STARTED_MS);
      await delay(Math.random() * LATEST_MS);
    } finally {
      cli.kill('SIGKILL');
    }
    await cli.ended;
    await eventually('no driver runs', () => processesWith(mark) === 0);
    const recovered = await runCli(['recover'], { tmp });
    assert.equal(recovered.status, 0, recovered.stderr);
  }
});

/** @param {string} word @returns {number} processes with this word on their command line */
function processesWith(word) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false;
    }
  }).length;
}
