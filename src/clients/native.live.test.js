/**
 * What no real Redis can be made to do on request: replies cut at every place, garbage, a server that hangs up.
 * The behaviour that a real Redis shows is in conformance.test.js.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { afterEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { availableMemory } from '../measure/memory.js';
import { native } from './native.js';
import { buildBatch } from './native-batch.js';
import { Outcome } from './types.js';

/** @import { Shape } from './types.js' */

/** @type {Shape} */
const SHAPE = {
  payloadBytes: 8,
  pipeline: 3,
  waitReplicas: 1,
  waitTimeoutMs: 1000,
  waitMode: 'pipelined',
  keyPrefix: 'k:',
};

/** @type {(() => void)[]} */
const cleanUps = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/**
 * A server that answers the first bytes of each batch with `chunks`, one after the other, then hangs up if told to.
 *
 * @param {string[]} chunks
 * @param {{hangUp?: boolean, shape?: Partial<Shape>}} [options]
 */
async function connectTo(chunks, { hangUp = false, shape = {} } = {}) {
  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', async () => {
      for (const chunk of chunks) {
        await new Promise((resolve) => socket.write(chunk, 'latin1', resolve));
        // Lets the chunk arrive by itself.
        await nextTurn();
        await nextTurn();
      }
      if (hangUp) socket.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  const connection = await native.connect({ host: '127.0.0.1', port }, { ...SHAPE, ...shape });
  /** @type {string[]} */
  const errors = [];
  connection.onError = (text) => errors.push(text);
  cleanUps.push(() => {
    void connection.close();
    server.close();
  });
  const batch = () =>
    new Promise((resolve) => {
      connection.onBatch = () => resolve(undefined);
      connection.write();
    });
  return { connection, errors, batch };
}

test('a batch is understood wherever its replies are cut', async () => {
  const replies = '+OK\r\n-NOREPLICAS Not enough good replicas to write.\r\n+OK\r\n:1\r\n';
  for (let cut = 1; cut < replies.length; cut++) {
    const { connection, errors, batch } = await connectTo([replies.slice(0, cut), replies.slice(cut)]);
    await batch();
    assert.deepEqual([...connection.outcomes], [Outcome.acked, Outcome.rejected, Outcome.acked], `cut at ${cut}`);
    assert.equal(connection.waitCount, 1);
    assert.deepEqual(errors, ['NOREPLICAS Not enough good replicas to write.']);
    await connection.close();
  }
});

for (const [what, replies] of [
  ['longer than announced', '$2\r\n1234567890\r\n'],
  ['without a length', '$two\r\n'],
]) {
  test(`a value ${what} loses the connection`, async () => {
    const { connection, errors } = await connectTo([replies]);
    await new Promise((resolve) => {
      connection.onBatch = () => resolve(undefined);
      connection.fetch();
    });
    assert.deepEqual([...connection.outcomes], [Outcome.unknown, Outcome.unknown, Outcome.unknown]);
    assert.match(errors[0], /^CLOSED the server sent a value/);
  });
}

for (const [what, reply] of [
  ['a byte no reply starts with', 'HTTP/1.1 400 Bad Request\r\n'],
  ['a line without carriage return', '+OK\n'],
  ['an invalid integer', ':one\r\n'],
  ['a bulk string of no length', '$x\r\n'],
  ['the beginning of a value without a request', '$70000\r\n'],
  ['an array of more than two integers', '*3\r\n:1\r\n:1\r\n:1\r\n'],
]) {
  test(`${what} loses the connection and leaves the outcome unknown`, async () => {
    const { connection, errors, batch } = await connectTo([reply]);
    await batch();
    assert.deepEqual([...connection.outcomes], [Outcome.unknown, Outcome.unknown, Outcome.unknown]);
    assert.match(errors[0], /^CLOSED .*the server sent/);
    assert.equal(connection.lost, true);
  });
}

test('a reply without a request loses the connection: it could be taken for one to the next batch', async () => {
  const { connection, errors, batch } = await connectTo(['+OK\r\n+OK\r\n+OK\r\n:1\r\n:1\r\n']);
  await batch();
  assert.equal(connection.lost, true);
  assert.match(errors[0], /^CLOSED .*more replies/);
});

test('a server that hangs up in the middle of a reply leaves the unanswered writes unknown', async () => {
  const { connection, errors, batch } = await connectTo(['+OK\r\n+O'], { hangUp: true });
  await batch();
  assert.deepEqual([...connection.outcomes], [Outcome.underAcked, Outcome.unknown, Outcome.unknown]);
  assert.equal(connection.lost, true);
  assert.equal(errors.length, 1);
  await batch();
  assert.deepEqual([...connection.outcomes], [Outcome.rejected, Outcome.rejected, Outcome.rejected]);
  assert.match(errors[1], /^NOTSENT /);
});

test('the longest value that Redis takes does not fit into a string, and yet into a batch', (t) => {
  const longest = 2 ** 29;
  if (availableMemory() < 4 * longest) return t.skip('there is too little memory');
  const { whole, writes } = buildBatch({ ...SHAPE, waitReplicas: 0, pipeline: 1, payloadBytes: longest });
  const head = `*3\r\n$3\r\nSET\r\n$${SHAPE.keyPrefix.length + 12}\r\n${SHAPE.keyPrefix}000000000000\r\n$${longest}\r\n`;
  assert.equal(whole.toString('latin1', 0, head.length), head);
  assert.equal(whole.length, head.length + longest + 2);
  assert.match(whole.toString('latin1', whole.length - 10), /^[a-z]{8}\r\n$/);
  assert.equal(writes.length, whole.length);
});
