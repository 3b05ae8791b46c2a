/**
 * Who may do what on the NATS port: strangers, wrong credentials, the credentials of an agent, and TLS. The accounts are those of
 * deploy/nats.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { connectNats } from '../agents/connection.js';
import { clientOf, natsEnvironment, startNats } from '../agents/nats-fixture.js';
import { subjects, VERSION } from '../agents/protocol.js';
import { certificates } from '../clients/conformance/certificates.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { runCli, SERVING_MS, startCli } from './fixture.js';

/** @import { TestContext } from 'node:test' */
/** @import { NatsOptions } from '../agents/connection.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('nats-server');
const skipTls = await needs('nats-server', 'openssl');

const RUN = '0123456789abcdef';
const REQUEST = JSON.stringify({ version: VERSION, run: RUN, body: {} });

/** @type {Awaited<ReturnType<typeof startNats>>} */
let nats;

before(async () => {
  if (!skip) nats = await startNats();
});

after(() => nats?.close());

/** @param {TestContext} t @param {NatsOptions} options */
async function connected(t, options) {
  const connection = await connectNats(options, { reconnect: false });
  t.after(() => connection.close());
  return connection;
}

/** @param {TestContext} t @param {string[]} args @param {NodeJS.ProcessEnv} env */
async function startAgent(t, args, env) {
  const agent = startCli(['agent', '--allow', 'load', ...args], { tmp, env, deadlineMs: SERVING_MS });
  t.after(async () => {
    agent.kill('SIGTERM');
    await agent.ended;
  });
  await agent.says('stderr', /serves load/);
}

describe('a client of NATS', { skip }, () => {
  test('without credentials is cut off before anything it sends counts, and hears nothing', async (t) => {
    const controller = await connected(t, clientOf(nats.url, 'controller'));
    const agent = await connected(t, clientOf(nats.url, 'a'));
    let asked = 0;
    agent.subscribe(subjects.request('a', 'begin'), { callback: () => void asked++ });
    await agent.flush();
    for (const login of ['', 'CONNECT {"verbose":false}\r\n', 'CONNECT {"user":"controller","pass":""}\r\n']) {
      const socket = connect(nats.port, '127.0.0.1');
      let heard = '';
      socket.setEncoding('utf8').on('data', (text) => {
        heard += text;
      });
      const closed = once(socket, 'close');
      const subject = subjects.request('a', 'begin');
      socket.write(`${login}SUB > 1\r\nPUB ${subject} ${REQUEST.length}\r\n${REQUEST}\r\nPING\r\n`);
      controller.publish(subjects.discover, '');
      await closed;
      assert.match(heard, /^INFO .*\r\n-ERR 'Authorization Violation'\r\n$/s, login);
    }
    await controller.flush();
    await agent.flush();
    assert.equal(asked, 0);
    controller.publish(subjects.request('a', 'begin'), REQUEST);
    await eventually('the controller is heard', () => asked === 1);
  });

  test('with the credentials of an agent serves under its name, and may do nothing else', async (t) => {
    const controller = await connected(t, clientOf(nats.url, 'controller'));
    const b = await connected(t, clientOf(nats.url, 'b'));
    /** @type {string[]} */
    const disturbed = [];
    const note = (/** @type {any} */ error, /** @type {any} */ message) =>
      void (error || disturbed.push(message.subject));
    for (const subject of [subjects.discover, subjects.request('b', '*'), subjects.controller('*')])
      b.subscribe(subject, { callback: note });
    controller.subscribe(subjects.heartbeat('b'), { callback: note });
    await Promise.all([b.flush(), controller.flush()]);

    const a = await connected(t, clientOf(nats.url, 'a'));
    /** @type {Set<string>} */
    const refused = new Set();
    void (async () => {
      for await (const status of a.status()) {
        const { error } = /** @type {{error?: {operation?: string, subject?: string}}} */ (status);
        if (error?.operation) refused.add(`${error.operation} ${error.subject}`);
      }
    })();
    const heard = [
      ...['_INBOX_b.>', '>', 'sentinel-bench.>', '_INBOX.>', '$SYS.>', '$JS.>'],
      ...[subjects.heartbeat('*'), subjects.heartbeat('b'), subjects.request('b', '*'), subjects.request('*', 'go')],
    ];
    for (const subject of heard) a.subscribe(subject, { callback: note });
    const said = [
      ...[subjects.discover, subjects.heartbeat('b'), subjects.controller(RUN), '_INBOX.of-somebody'],
      ...['begin', 'prepare', 'go', 'stop', 'end'].map((operation) => subjects.request('b', operation)),
      ...['begin', 'stop'].map((operation) => subjects.request('a', operation)),
      ...['$SYS.REQ.SERVER.PING', '$JS.API.INFO', '$JS.API.STREAM.LIST'],
    ];
    for (const subject of said) a.publish(subject, REQUEST);
    await a.flush();
    const wanted = [
      ...heard.map((subject) => `subscription ${subject}`),
      ...said.map((subject) => `publish ${subject}`),
    ];
    await eventually('each is refused', () => refused.size >= wanted.length);
    assert.deepEqual([...refused].sort(), wanted.sort());
    await Promise.all([b.flush(), controller.flush()]);
    assert.deepEqual(disturbed, []);
    // It serves: what is refused above is not refused to everybody.
    controller.publish(subjects.request('b', 'begin'), REQUEST);
    b.publish(subjects.heartbeat('b'), '');
    await eventually('b is asked and heard', () => disturbed.length === 2);
  });
});

describe('NATS with TLS', { skip: skipTls }, () => {
  test('serves agent and controller that trust its authority, and nobody else', async (t) => {
    const { options, caFile, tls } = await certificates(t, { altName: 'IP:127.0.0.1' });
    const server = await startNats({
      args: ['--tls', '--tlscert', options[1], '--tlskey', options[3]],
      client: (url) => ({ ...clientOf(url, 'controller'), tls: { ca: tls.ca } }),
    });
    t.after(server.close);
    const url = `tls://127.0.0.1:${server.port}`;
    await startAgent(t, ['--name', 'a', '--nats-user', 'a', '--nats-ca', caFile], natsEnvironment(url, 'a'));
    const list = ['agents', 'list', '--nats-user', 'controller'];
    const env = natsEnvironment(url, 'controller');
    const listed = await runCli([...list, '--nats-ca', caFile], { tmp, env });
    assert.equal(listed.status, 0, listed.stderr);
    assert.match(listed.stdout, /^\W*a\b/m);
    for (const [more, why] of /** @type {[string[], RegExp][]} */ ([
      [[], /certificate/],
      [['--nats-ca', (await certificates(t)).caFile], /certificate/],
    ])) {
      const { status, stdout, stderr } = await runCli([...list, ...more], { tmp, env });
      assert.deepEqual([status, stdout], [3, ''], stderr);
      assert.match(stderr, why);
    }
  });
});
