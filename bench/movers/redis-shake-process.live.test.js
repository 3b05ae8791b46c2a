/** Process and folder of RedisShake. Short scripts stand in for it, so it need not be installed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../src/clients/conformance/nodes.js';
import { startTimeOf } from '../../src/stacks/hosts/processes.js';
import { startShake } from './redis-shake-process.js';

/** Prints its id and stays. */
const STAYS = 'echo $$ > "$(dirname "$1")/pid"; exec sleep 600';

/**
 * @template T
 * @param {string} line of shell
 * @param {(program: string) => Promise<T>} work
 */
async function withProgram(line, work) {
  const folder = await mkdtemp(join(tmpdir(), 'sentinel-bench-program-'));
  try {
    const program = join(folder, 'program');
    await writeFile(program, `#!/bin/sh\n${line}\n`);
    await chmod(program, 0o755);
    return await work(program);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @returns {Promise<number>} of the program that {@link STAYS} */
async function pidIn(folder) {
  const file = join(folder, 'pid');
  await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'), 'it printed its id');
  return Number(readFileSync(file, 'utf8'));
}

test('a process that ends by itself has ended, and its folder is gone', () =>
  withProgram('cat "$1" > "$(dirname "$1")/read"; test -s "$1"', async (program) => {
    let folder = '';
    const shake = await startShake(program, (where) => {
      folder = where;
      return 'text';
    });
    await shake.ended;
    assert.equal(typeof shake.cpuSeconds(), 'number');
    assert.equal(existsSync(folder), false);
    await shake.end();
  }));

test('a failure reports the status and the last output', () =>
  withProgram('echo first; echo "cannot do it"; exit 7', async (program) => {
    const shake = await startShake(program, () => '');
    await assert.rejects(shake.ended, /status 7: cannot do it/);
  }));

test('it does not outlive a process that is killed', () =>
  withProgram(STAYS, async (program) => {
    const url = JSON.stringify(new URL('./redis-shake-process.js', import.meta.url).href);
    const script = `import { startShake } from ${url};
      await startShake(${JSON.stringify(program)}, (folder) => { console.log(folder); return ''; });`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [said] = await once(owner.stdout, 'data');
      const folder = String(said).trim();
      const pid = await pidIn(folder);
      assert.notEqual(startTimeOf(pid), null);
      owner.kill('SIGKILL');
      await once(owner, 'exit');
      await until(() => startTimeOf(pid) === null, 'it has ended');
      await until(() => !existsSync(folder), 'its folder is gone');
    } finally {
      owner.kill('SIGKILL');
    }
  }));
