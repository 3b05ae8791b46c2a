import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { needs } from '../../test/needs.js';
import { dialFrom } from './dial-from.js';

/** @import { AddressInfo } from 'node:net' */

const skip = await needs('relay');
const [OURS, OTHERS] = ['127.9.8.1', '127.9.8.2'];

/** @type {string[]} who dialled */
const dialled = [];
const server = createServer((socket) => {
  dialled.push(String(socket.remoteAddress));
  socket.on('error', () => {});
  // A server that is shut down, so that libraries connect again.
  setTimeout(() => socket.destroy(), 20);
});

describe('what is dialled', { skip }, () => {
  let port = 0;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    port = /** @type {AddressInfo} */ (server.address()).port;
  });
  after(() => server.close());

  /** @returns {Promise<string>} who dialled next */
  async function nextDialled() {
    const had = dialled.length;
    while (dialled.length === had) await delay(1);
    return dialled[had];
  }

  /** @param {() => unknown} dial */
  async function whoDials(dial) {
    const next = nextDialled();
    dial();
    return next;
  }

  test('each client dials from its own address, later and in timers, too', async () => {
    const dial = () => connect({ host: '127.0.0.1', port }).on('error', () => {});
    assert.equal(await whoDials(dial), '127.0.0.1');
    assert.equal(await whoDials(() => dialFrom(OURS, dial)), OURS);
    assert.equal(
      await whoDials(() => dialFrom(OTHERS, () => connect(port, '127.0.0.1').on('error', () => {}))),
      OTHERS,
    );
    assert.equal(await whoDials(() => dialFrom(OTHERS, () => void delay(5).then(dial))), OTHERS);
    assert.equal(await whoDials(() => dialFrom(OTHERS, () => setTimeout(dial, 5))), OTHERS);
    assert.equal(await whoDials(() => dialFrom(undefined, dial)), '127.0.0.1');
  });

  test('libraries dial from it, and again when the connection is lost', async () => {
    const ioredis = dialFrom(OURS, () =>
      new Redis({ host: '127.0.0.1', port, retryStrategy: () => 5 }).on('error', () => {}),
    );
    assert.deepEqual([await nextDialled(), await nextDialled(), await nextDialled()], [OURS, OURS, OURS]);
    ioredis.disconnect();
    await delay(50);
    const url = `redis://127.0.0.1:${port}`;
    const nodeRedis = dialFrom(OTHERS, () =>
      createClient({ url, socket: { reconnectStrategy: () => 5 } }).on('error', () => {}),
    );
    dialFrom(OTHERS, () => nodeRedis.connect().catch(() => {}));
    assert.deepEqual([await nextDialled(), await nextDialled(), await nextDialled()], [OTHERS, OTHERS, OTHERS]);
    nodeRedis.destroy();
  });
});
