/** For tests only: one real server, by itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { connectPatiently, until } from '../clients/conformance/nodes.js';
import { freePort } from '../stacks/hosts/ports.js';
import { answers } from '../stacks/hosts/probe.js';

/**
 * @import { Control } from '../stacks/types.js'
 * @import { Login } from '../stacks/redis/control.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * Starts a server and connects to it; both are gone when the test ends.
 * @param {TestContext} t
 * @param {string} program `redis-server` or `valkey-server`
 * @param {(folder: string) => string[]} [args] further arguments, made from the server's own folder
 * @param {Login} [login]
 * @returns {Promise<{control: Control, folder: string}>}
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

  const address = { host: '127.0.0.1', port };
  await until(() => {
    if (server.exitCode !== null) throw new Error(`${program} ended with status ${server.exitCode}`);
    return answers(() => connectPatiently(address, login));
  }, `${program} answers`);
  const control = await connectPatiently(address, login);
  t.after(() => control.close());
  return { control, folder };
}
