/**
 * Servers that somebody else started on this machine: found by their address, killed, and started again as they were.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { formatAddress, LOOPBACK } from '../../address.js';
import { eventually, ownTemporaryFolder } from '../../fixture.js';
import { freePort } from '../../hosts/ports.js';
import { openMachine, thisMachine } from './machine.js';
import { listeningServer } from './servers.js';
import { startOf } from './start.js';

/** @import { TestContext } from 'node:test' */

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'proc');
const PASSWORD = 'of-this-server';

/**
 * @param {TestContext} t
 * @param {{conf?: string[], args?: string[], named?: (file: string) => string[]}} options named: arguments that name the file
 */
async function startServer(t, { conf = [], args = [], named = (file) => [file] }) {
  const port = await freePort();
  const folder = join(tmp, String(port));
  mkdirSync(folder);
  const file = join(folder, 'redis.conf');
  writeFileSync(
    file,
    [`port ${port}`, 'save ""', `dir "${folder}"`, `requirepass ${PASSWORD}`, ...conf, ''].join('\n'),
  );
  spawn('redis-server', [...named(file), ...args], { cwd: folder, stdio: 'ignore' });
  const address = { host: LOOPBACK, port };
  const pid = () => listeningServer(address);
  await eventually('it listens', () => pid() !== null);
  t.after(() => process.kill(Number(pid()), 'SIGKILL'));
  return { address, file, pid: Number(pid()), now: pid };
}

for (const [how, options] of /** @type {[string, Parameters<typeof startServer>[1]][]} */ ([
  ['a configuration file', {}],
  ['a configuration file named without its folder', { named: () => ['redis.conf'] }],
  // Then it shows its arguments.
  ['further arguments and without a title', { conf: ['set-proc-title no'], args: ['--hz', '20', '--save', ''] }],
])) {
  test(`a server that was started with ${how} is killed and started again`, { skip }, async (t) => {
    const server = await startServer(t, options);
    const start = await startOf(server.pid, server.address, { password: PASSWORD });
    const { act, remember } = openMachine(thisMachine('a'));
    const id = formatAddress(server.address);
    remember(id, start);
    await act(id, 'kill');
    assert.equal(server.now(), null);
    await act(id, 'start');
    const pid = Number(server.now());
    assert.notEqual(pid, server.pid);
    assert.deepEqual(await startOf(pid, server.address, { password: PASSWORD }), start);
    // It runs, so nothing is to do.
    await act(id, 'start');
    assert.equal(server.now(), pid);
  });
}

test('a server is started again by the command of the user', { skip }, async (t) => {
  const { address, file, now, pid } = await startServer(t, { args: ['--hz', '20'] });
  const { act, remember } = openMachine(thisMachine('a'));
  const id = formatAddress(address);
  remember(id, { shell: `redis-server '${file}' --hz 20 &` });
  await act(id, 'stop');
  assert.equal(now(), null);
  await act(id, 'start');
  assert.notEqual(now(), pid);
});
