import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { certificates } from '../../../clients/conformance/certificates.js';
import { startNode } from '../../../clients/conformance/nodes.js';
import { askOnce } from '../../ask.js';
import { ownTemporaryFolder } from '../../fixture.js';
import { freePort } from '../../hosts/ports.js';
import { doubts, wholeSnapshot } from '../conformance-help.js';
import { connectControl } from '../control.js';
import { startLocal } from '../local/index.js';
import { attachExternal, attachNode } from './index.js';

/** @import { Address, Stack, NodeKind } from '../../types.js' */

const HOST = '127.0.0.1';

await ownTemporaryFolder();

const skip = await needs('server');
const noOpenssl = await needs('redis-server', 'openssl');

/** @param {Parameters<typeof attachExternal>[0]} options @param {RegExp} message @param {RegExp} remedy */
const refused = (options, message, remedy) =>
  assert.rejects(attachExternal(options), { name: 'UserError', message, remedy });

describe('somebody else’s deployment', { skip }, () => {
  /** @type {Stack} */
  let below;
  /** @type {Address[]} */
  let sentinels;
  before(async () => {
    below = await startLocal({});
    sentinels = below.nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address);
  });
  after(() => below?.close());

  /**
   * @param {readonly NodeKind[]} kinds
   * @param {string} command
   * @param {...string} args
   */
  async function tellAll(kinds, command, ...args) {
    for (const { address } of below.nodes.filter(({ kind }) => kinds.includes(kind))) {
      const login = isGuarded ? { username: 'admin', password: 'admin' } : {};
      await askOnce(connectControl(address, login), (control) => control.call(command, ...args));
    }
  }
  let isGuarded = false;

  test('it can fail over by request only if the user allows that', async () => {
    const stack = await attachExternal({ sentinels, allow: ['failover'] });
    try {
      assert.ok(stack.can.has('failover'));
      assert.ok(!stack.can.has('kill'));
    } finally {
      await stack.close();
    }
  });

  test('one Sentinel is enough to find all; nothing is disturbed, nothing taken down', async () => {
    const [one] = sentinels;
    /** @type {string[]} */
    const messages = [];
    const gone = { host: HOST, port: await freePort() };
    const stack = await attachExternal({
      sentinels: [one, { host: 'localhost', port: one.port }, gone],
      tell: (line) => messages.push(line),
    });
    try {
      assert.equal(stack.nodes.length, 6);
      assert.deepEqual(await doubts(stack), []);
      assert.deepEqual([...stack.can], ['configure']);
      assert.equal(stack.about.path, 'as announced');
      assert.deepEqual(messages, [`Leaving out the Sentinel ${HOST}:${gone.port}: connection refused.`]);
      await stack.heal();
      await assert.rejects(stack.down(), /cannot take down/);
      await assert.rejects(stack.host.act('redis-1', 'kill'), /cannot kill/);
    } finally {
      await stack.close();
    }
    assert.deepEqual(await doubts(below), []);
  });

  test('no Sentinel answers: which, and why', async () => {
    const port = await freePort();
    await refused({ sentinels: [{ host: HOST, port }] }, RegExp(`${HOST}:${port} \\(connection refused\\)`), /address/);
    await refused(
      { sentinels: [{ host: 'no.such.host.invalid', port }] },
      /its host name cannot be resolved/,
      /spelling/,
    );
  });

  test('an unknown name: the message lists the names that the Sentinel knows', () =>
    refused(
      { sentinels, masterName: 'yourmaster' },
      /not know a primary called yourmaster; it knows mymaster/,
      /--master-name/,
    ));

  test('separate passwords for Sentinels and nodes', async () => {
    await tellAll(['redis', 'sentinel'], 'ACL', 'SETUSER', 'admin', 'on', '>admin', '~*', '&*', '+@all');
    isGuarded = true;
    await tellAll(['sentinel'], 'ACL', 'SETUSER', 'default', 'resetpass', '>guard');
    await tellAll(['redis'], 'ACL', 'SETUSER', 'bench', 'on', '>open', '~*', '&*', '+@all', '-config');
    await tellAll(['redis'], 'ACL', 'SETUSER', 'default', 'off');
    try {
      await refused({ sentinels }, /it wants a password/, /password/);
      await refused({ sentinels, credentials: { sentinelPassword: 'wrong' } }, /user or password refused/, /password/);
      await refused(
        { sentinels, credentials: { sentinelPassword: 'guard' } },
        /the primary .* it wants a password/,
        /password/,
      );
      const wrong = { sentinelPassword: 'guard', username: 'bench', password: 'hidden-word' };
      await assert.rejects(attachExternal({ sentinels, credentials: wrong }), (error) => {
        assert.match(String(error), /the primary .* user or password refused/);
        assert.doesNotMatch(`${error} ${JSON.stringify(error)}`, /hidden-word/);
        return true;
      });
      const credentials = { sentinelPassword: 'guard', username: 'bench', password: 'open' };
      const stack = await attachExternal({ sentinels: sentinels.slice(0, 1), credentials });
      try {
        assert.deepEqual([...stack.can], [], 'without CONFIG nothing can be configured');
        assert.equal((await stack.database.primary()).kind, 'redis');
        await wholeSnapshot(stack);
      } finally {
        await stack.close();
      }
    } finally {
      await tellAll(['redis'], 'ACL', 'SETUSER', 'default', 'on');
      await tellAll(['sentinel'], 'ACL', 'SETUSER', 'default', 'nopass');
    }
  });
});

test('a node that speaks TLS: without it, without its certificate, and with it', { skip: noOpenssl }, async (t) => {
  const { tls, options } = await certificates(t);
  const node = await startNode(options, { tls });
  t.after(() => node.close());
  for (const [given, what] of /** @type {const} */ ([
    [undefined, /: it closed the connection\.$/],
    [{}, /: its certificate is not trusted\.$/],
  ]))
    await assert.rejects(attachNode(node.address, { tls: given }), { message: what });
  const { stack, control } = await attachNode(node.address, { tls });
  control.close();
  await stack.close();
});
