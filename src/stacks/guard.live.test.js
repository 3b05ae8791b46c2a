/**
 * A test process that fails or is killed leaves nothing behind, and a test that fails does so soon.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { eventually, holdsInTime, ownTemporaryFolder } from './fixture.js';
import { hasEnded, startTimeOf } from './processes.js';

await ownTemporaryFolder();

const CHILD = fileURLToPath(new URL('./killed-fixture.js', import.meta.url));

describe('a test process that is killed by SIGKILL', { skip: await needs('server', 'proc') }, () => {
  test('leaves no server, no command that it ran, and no files', async () => {
    const child = spawn(process.execPath, [CHILD], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
    /** @type {{folder: string, pids: number[]}[]} */
    const [{ folder, pids }] = await once(child, 'message');
    assert.equal(pids.length, 7, 'three nodes, three Sentinels and a command');
    const processes = pids.map((pid) => ({ pid, startTime: startTimeOf(pid) }));
    assert.ok(processes.every(({ startTime }) => startTime !== null));
    child.kill('SIGKILL');
    await once(child, 'close');
    await eventually('every process has ended', () =>
      processes.every(({ pid, startTime }) => hasEnded(pid, startTime)),
    );
    await eventually('its folder is gone', () => !existsSync(folder));
  });
});

test('time in which this process does not run does not count towards a deadline', async () => {
  let questions = 0;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const holds = await holdsInTime(() => {
    questions++;
    // A machine that has no time for this process, for longer than the deadline.
    if (questions === 2) Atomics.wait(sleeper, 0, 0, 1000);
    return questions > 10;
  }, 800);
  assert.equal(holds, true);
});
