/** For tests only: one real server, by itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../stacks/ports.js';
import { connectControl } from '../stacks/redis/control.js';

/**
 * @import { Control } from '../stacks/types.js'
 * @import { Login } from '../stacks/redis/control.js'
 * @import { TestContext } from 'node:test'
 */

/** A busy machine takes its time: a deadline costs nothing when all is well. */
const DEADLINE_MS = 60_000;
const ANSWER_MS = 30_000;

/**
 * Starts a server and connects to it; both are gone when the test ends.
 * @param {TestContext} t
 * @param {string} program `redis-server` or `valkey-server`
 * @param {(folder: string) => string[]} [args] further arguments, made from the server's own folder
 * @param {Login} [login]
 * @returns {Promise<{control: Control, folder: string, pid: number}>}
 */
export async function startServer(t, program, args = () => [], login = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'measure-test-'));
  const port = await freePort();
  const server = spawn(program, ['--port', String(port), '--dir', folder, '--save', '', ...args(folder)], {
    stdio: 'ignore',
  });
  t.after(async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit');
    await rm(folder, { recursive: true });
  });
  await once(server, 'spawn');

  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      const control = await connectControl({ host: '127.0.0.1', port }, login, { timeoutMs: ANSWER_MS });
      t.after(() => control.close());
      return { control, folder, pid: /** @type {number} */ (server.pid) };
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error;
      await delay(10);
    }
  }
}
