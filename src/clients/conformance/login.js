/** Cases: getting in. TLS, users, passwords that must not be repeated, and addresses that lead nowhere. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { needs } from '../../../test/needs.js';
import { shapeOf } from '../fixture.js';
import { Outcome } from '../types.js';
import { certificates } from './certificates.js';
import { startNode } from './nodes.js';
import { open, times, within } from './probe.js';

/**
 * @import { TlsOptions } from '../../stacks/types.js'
 * @import { Client, Target } from '../types.js'
 */

const PASSWORD = 'correct-horse-battery';
const SHAPE = shapeOf({ payloadBytes: 1, waitTimeoutMs: 100 });

const noOpenssl = await needs('openssl');

/** @param {Client} client */
export function logins(client) {
  test('TLS and a user of its own', { skip: noOpenssl }, async (t) => {
    const { tls, options } = await certificates(t);
    const node = await startNode(options, { tls });
    t.after(() => node.close());
    await node.call('ACL', 'SETUSER', 'bench', 'on', `>${PASSWORD}`, '~sentinel-bench:*', '+@all');
    const credentials = { username: 'bench', password: PASSWORD, tls };
    const target = { ...node.address, credentials };

    const probe = await open(t, client, target, { pipeline: 50, payloadBytes: 20_000 });
    assert.deepEqual((await probe.write()).outcomes, times(50, 'acked'));
    assert.equal((await probe.connection.read(49))?.length, 20_000);
    const foreign = await open(t, client, target, { keyPrefix: 'somebody-else:' });
    const refused = { outcomes: times(3, 'rejected'), waitCount: -1, errors: times(3, 'NOPERM') };
    assert.deepEqual(await foreign.write(), refused);

    /** @param {TlsOptions} changed */
    const withTls = (changed) => ({ ...target, credentials: { ...credentials, tls: changed } });
    await assert.rejects(client.connect(withTls({}), SHAPE), /certificate/i, 'an unknown authority');
    await assert.rejects(client.connect(withTls({ ca: tls.ca, serverName: 'other.test' }), SHAPE), /other\.test/);
    await assertNoWay(client, node.address);
    await open(t, client, withTls({ insecure: true }));
  });

  test('a wrong password, and none: no connection that could write, and nothing gives a password away', async (t) => {
    const node = await startNode([], {});
    t.after(() => node.close());
    await node.call('CONFIG', 'SET', 'requirepass', PASSWORD);
    const wrong = await failure(client, { ...node.address, credentials: { password: 'wrong-password-here' } });
    assert.match(wrong.message, /WRONGPASS/);
    assertSilent(wrong, 'wrong-password-here');

    const right = await open(t, client, { ...node.address, credentials: { password: PASSWORD } });
    assert.deepEqual((await right.write()).outcomes, times(3, 'acked'));

    const error = await assertNoWay(client, node.address);
    assert.match(error, /NOAUTH/);
  });

  test('a server that repeats the login in its error does not make us repeat it', async (t) => {
    const node = await startNode(['--rename-command', 'HELLO', '', '--rename-command', 'AUTH', '']);
    t.after(() => node.close());
    assertSilent(await failure(client, { ...node.address, credentials: { password: PASSWORD } }), PASSWORD);
  });

  test('no server listens: refused in one sentence that names the address', async () => {
    // Another process may have taken a port that was free a moment ago; no process takes this one.
    const error = await failure(client, { host: '127.0.0.1', port: 1 });
    assert.match(error.message, /127\.0\.0\.1:1\b/);
    assert.match(error.message, /refused/i);
  });
}

/** Asks all clients at once, because each takes as long as it may. @param {Client[]} clients */
export function silence(clients) {
  test('a server that accepts and then says nothing does not hold up a login for ever', async (t) => {
    /** @type {Set<net.Socket>} */
    const sockets = new Set();
    const silent = net.createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = /** @type {net.AddressInfo} */ (silent.address());
    const target = { host: '127.0.0.1', port, credentials: { password: PASSWORD } };
    const givingUp = clients.map((client) => within(failure(client, target), `${client.name} gives up`, 30_000));
    for (const error of await Promise.all(givingUp)) assertSilent(error, PASSWORD);
  });
}

/**
 * A node that refuses this login: one client finds out when it connects, another when it writes.
 * @param {Client} client
 * @param {Target} target
 * @returns {Promise<string>} what the client was told
 */
async function assertNoWay(client, target) {
  const connection = await client.connect(target, SHAPE).catch((error) => error);
  if (connection instanceof Error) return connection.message;
  let firstError = '';
  connection.onError = (/** @type {string} */ text) => {
    firstError ||= text;
  };
  const answered = new Promise((resolve) => {
    connection.onBatch = resolve;
  });
  connection.write();
  await within(answered, 'the batch is answered');
  assert.notEqual(connection.outcomes[0], Outcome.acked);
  await connection.close();
  return firstError;
}

/** @param {Client} client @param {Target} target @returns {Promise<Error>} why it cannot connect */
async function failure(client, target) {
  const connection = await client.connect(target, SHAPE).catch((error) => error);
  if (connection instanceof Error) return connection;
  await connection.close();
  throw new Error('it connected');
}

/** @param {Error} error @param {string} secret */
function assertSilent(error, secret) {
  assert.ok(!inspect(error, { depth: Infinity, showHidden: true }).includes(secret), 'the password is repeated');
}
