import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { withDeadline } from './engine.js';

// Long enough for an answer on a busy machine.
const DEADLINE_MS = 800;

/**
 * @param {import('node:test').TestContext} context
 * @param {import('node:http').RequestListener} answer
 */
async function engineThat(context, answer) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return withDeadline({ host: '127.0.0.1', port, protocol: 'http' }, DEADLINE_MS);
}

test('a call that an engine never answers is given up, and the error says so', async (context) => {
  const engine = await engineThat(context, () => {});
  await assert.rejects(engine.listContainers(), {
    name: 'UserError',
    message: 'The Docker engine has not answered for 0.8 s.',
    remedy: /Restart it/,
  });
});

test('an engine that answers, with an error or not, is passed through', async (context) => {
  const engine = await engineThat(context, ({ url }, response) => {
    response.statusCode = url?.includes('networks') ? 500 : 200;
    response.end('[]');
  });
  assert.deepEqual(await engine.listContainers(), []);
  await assert.rejects(engine.listNetworks(), { statusCode: 500 });
});

test('an engine that ends the connection has not hung', async (context) => {
  const engine = await engineThat(context, ({ socket }) => socket.destroy());
  await assert.rejects(engine.listContainers(), { code: 'ECONNRESET' });
});
