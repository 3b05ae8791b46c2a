import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../wait.js';
import { daemonsIn, HAS_PROC, hasEnded, startTimeOf, stillRuns } from './processes.js';

const DEADLINE_MS = 30_000;

test('a stopped process has not ended, a dead one has, and a later process with its pid is another', async (t) => {
  const child = spawn('sleep', ['600']);
  t.after(() => child.kill('SIGKILL'));
  const pid = Number(child.pid);
  const startTime = startTimeOf(pid);
  assert.ok(startTime);
  assert.equal(hasEnded(pid, startTime), false);
  child.kill('SIGSTOP');
  assert.equal(hasEnded(pid, startTime), false);
  assert.equal(hasEnded(pid, `${startTime}0`), true);
  child.kill('SIGKILL');
  assert.ok(await waitFor(() => hasEnded(pid, startTime), { deadlineMs: DEADLINE_MS }));
  assert.equal(hasEnded(pid, null), true);
});

test('a zombie has ended, too', async (t) => {
  // The shell becomes a program that does not wait for its children.
  const parent = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const isNoShell = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep';
  if (HAS_PROC) assert.ok(await waitFor(isNoShell, { deadlineMs: DEADLINE_MS }));
  const pid = Number(line);
  const startTime = startTimeOf(pid);
  assert.ok(startTime);
  assert.ok(await waitFor(() => !hasEnded(pid, startTime), { deadlineMs: DEADLINE_MS }));
  assert.equal(stillRuns({ pid, startTime }), true);
  process.kill(pid, 'SIGKILL');
  assert.ok(await waitFor(() => hasEnded(pid, startTime), { deadlineMs: DEADLINE_MS }));
  assert.equal(stillRuns({ pid, startTime }), false, 'recovery may undo what it left');
  if (HAS_PROC) assert.equal(startTimeOf(pid), startTime, 'it is there still, as a zombie');
});

test('the child of a killed server is found by its directory, and that of a running one is not', {
  skip: HAS_PROC ? false : 'there is no /proc',
}, async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'saves-'));
  const server = spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(server.stdout, 'data');
  const child = Number(line);
  t.after(() => process.kill(child, 'SIGKILL'));
  assert.deepEqual(daemonsIn([cwd]), [server.pid]);
  server.kill('SIGKILL');
  await once(server, 'exit');
  assert.deepEqual(daemonsIn([cwd]), [child]);
});

test('a program whose session has lost its first process is not taken for such a child', {
  skip: HAS_PROC ? false : 'there is no /proc',
}, async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'job-'));
  // The first shell ends; the second, still of its session, has a child.
  const job = `cd ${cwd}; /bin/sh -c 'sleep 600 & echo $! $$; wait' &`;
  const first = spawn('/bin/sh', ['-c', job], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const [[line]] = await Promise.all([once(first.stdout, 'data'), once(first, 'exit')]);
  const [child, shell] = String(line).split(' ').map(Number);
  t.after(() => {
    for (const pid of [shell, child]) process.kill(pid, 'SIGKILL');
  });
  assert.equal(daemonsIn([cwd]).includes(child), false);
});
