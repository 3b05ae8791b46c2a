/**
 * Hosts made of network namespaces: what is special about them. The conformance suites of backends and of faults run on them, too.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { eventually, ownTemporaryFolder, startOwner } from '../../fixture.js';
import { identityOf, listStacks } from '../../hosts/local/record.js';
import { recoverLocal } from '../../hosts/local/recover.js';
import { hasHost, makeHosts, removeHosts } from '../../network/namespaces.js';
import { ask, isReady, silence } from '../conformance-help.js';
import { startLocal } from '../local/index.js';

/** @import { Stack } from '../../types.js' */

await ownTemporaryFolder();
const skip = await needs('redis-server', 'namespaces');

const OWNER = `
import { startLocal } from ${JSON.stringify(new URL('../local/index.js', import.meta.url).href)};
await startLocal({ server: 'redis-server', hosts: true });
console.log('ready');`;

/** Bytes; more than the buffers of two kernels hold. */
const LARGE = 64 * 2 ** 20;

/** @returns {string[]} the nets of this machine's interfaces */
function nets() {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []);
  return addresses.map((address) => address.split('.').slice(0, 3).join('.'));
}

describe('a stack on hosts', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startLocal({ server: 'redis-server', hosts: true });
  });
  after(() => stack?.close());

  test('a lost machine takes its Sentinel along; the others promote a replica, and it comes back whole', async () => {
    const { id } = await stack.database.primary();
    const sentinel = id.replace('redis', 'sentinel');
    await stack.host.act(id, 'lose');
    assert.notEqual(await silence(stack, id), null);
    assert.notEqual(await silence(stack, sentinel), null);
    await eventually(
      'a replica is promoted',
      async () => (await stack.database.primary().catch(() => ({ id }))).id !== id,
    );
    await stack.host.act(id, 'start');
    assert.equal(await ask(stack, sentinel, 'PING'), 'PONG');
    await stack.heal();
    await eventually('the stack is well', () => isReady(stack));
  });

  test('a lost machine comes back without unsent data and without its connections', async () => {
    const { id, address } = await stack.database.primary();
    await ask(stack, id, 'SETRANGE', 'large', String(LARGE), 'x');
    const socket = connect(address);
    let received = 0;
    socket.on('data', (bytes) => {
      received += bytes.length;
    });
    try {
      await once(socket, 'connect');
      // Nobody reads, so a part of the answer waits in the kernel of the host.
      socket.pause();
      socket.write('GET large\r\n');
      await eventually('the answer fills the buffers', async () =>
        /omem=\d{7}.* cmd=get/.test(String(await ask(stack, id, 'CLIENT', 'LIST'))),
      );
      await stack.host.act(id, 'lose');
      socket.resume();
      let before = -1;
      await eventually('all that had arrived is read', async () => {
        const isQuiet = received > 0 && received === before;
        before = received;
        return isQuiet;
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      /** @type {unknown} */
      let code;
      socket.on('error', (error) => {
        ({ code } = /** @type {NodeJS.ErrnoException} */ (error));
      });
      await stack.host.act(id, 'start');
      socket.write('PING\r\n');
      await closed;
      assert.equal(received, before);
      assert.equal(code, 'ECONNRESET');
    } finally {
      socket.destroy();
    }
    await stack.heal();
    await eventually('the stack is well', () => isReady(stack));
    await ask(stack, (await stack.database.primary()).id, 'DEL', 'large');
  });
});

describe('what is left', { skip }, () => {
  test('a next start removes the hosts of a killed process, and nothing else', async () => {
    // No stack is recorded with this identity.
    const foreign = { identity: `${process.pid}-of-others`, hosts: [['198.19.255.1']], harness: ['198.19.255.254'] };
    await makeHosts(foreign);
    try {
      const owner = await startOwner(OWNER, /^ready$/);
      const [record] = listStacks();
      assert.ok(hasHost(identityOf(record), 0));
      await owner.kill();
      await recoverLocal();
      assert.deepEqual(listStacks(), []);
      assert.equal(hasHost(identityOf(record), 0), false);
      await eventually('its interface is gone', () => !nets().includes(String(record.net)));
      assert.ok(hasHost(foreign.identity, 0), 'hosts without a record stay');
    } finally {
      await removeHosts(foreign.identity, 1);
    }
    await eventually('the interface of the other is gone', () => !nets().includes('198.19.255'));
  });
});
