/** The account of a batch of a library, whose promises this test settles. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { shapeOf } from './fixture.js';
import { LibraryConnection } from './library.js';
import { NOT_SENT } from './outcome.js';
import { nodeNumber } from './sentinel-client.js';
import { Outcome } from './types.js';

/** @import { Shape } from './types.js' */

const { acked, underAcked, rejected, unknown } = Outcome;

const SHAPE = shapeOf({ payloadBytes: 4, pipeline: 2, waitTimeoutMs: 500, keyPrefix: 'p:' });

class LibraryError extends Error {}

/**
 * @param {Partial<Shape>} [shape]
 * @param {{count?: unknown, get?: () => Promise<string | null>}} [answers] count: of a WAIT that is sent by itself
 */
function connected(shape, { count = 1, get = async () => 'value' } = {}) {
  const calls = /** @type {unknown[]} */ ([]);
  const library = {
    ErrorReply: LibraryError,
    isWritable: true,
    writable: () => library.isWritable,
    send: (/** @type {LibraryConnection} */ { fetched, pings, waitsAtOnce }) =>
      calls.push({ fetched, pings, waitsAtOnce }),
    async call(/** @type {string[]} */ words) {
      calls.push(words);
      if (count instanceof Error) throw count;
      return count;
    },
    get: async (/** @type {string} */ key) => {
      calls.push(['GET', key]);
      return get();
    },
    drop: () => void calls.push('drop'),
  };
  const connection = new LibraryConnection({ ...SHAPE, ...shape }, library);
  const errors = /** @type {string[]} */ ([]);
  const ends = /** @type {number[][]} */ ([]);
  connection.onError = (text) => errors.push(text);
  connection.onBatch = () => ends.push([...connection.outcomes]);
  return { connection, library, calls, errors, ends };
}

const OK = ['OK', 'OK'];
const settled = () => new Promise(setImmediate);

describe('a batch of writes', () => {
  /** @type {[what: string, shape: Partial<Shape>, replies: unknown[], count: unknown, outcomes: number[], errors: string[]][]} */
  const ANSWERS = [
    ['OK without WAIT', {}, OK, undefined, [acked, acked], []],
    ['a WAIT that counts enough', { waitReplicas: 1 }, OK, 1, [acked, acked], []],
    ['a WAIT that counts too few', { waitReplicas: 2 }, OK, 1, [underAcked, underAcked], []],
    ['WAITAOF: local and replicas', { waitLocal: 1, waitReplicas: 1 }, OK, [1, 1], [acked, acked], []],
    ['WAITAOF without the local sync', { waitLocal: 1 }, OK, [0, 2], [underAcked, underAcked], []],
    [
      'a WAIT that is answered with a word',
      { waitReplicas: 1 },
      OK,
      'QUEUED',
      [underAcked, underAcked],
      ['PROTOCOL WAIT was answered with QUEUED'],
    ],
    [
      'a WAIT that is answered with an error',
      { waitReplicas: 1 },
      OK,
      new LibraryError('UNBLOCKED by force'),
      [underAcked, underAcked],
      ['UNBLOCKED by force'],
    ],
    [
      'a refusal beside an OK',
      { waitReplicas: 1 },
      [new LibraryError('NOREPLICAS Not enough'), 'OK'],
      1,
      [rejected, acked],
      ['NOREPLICAS Not enough'],
    ],
    [
      'a reply that is not OK',
      {},
      ['QUEUED', 'OK'],
      undefined,
      [unknown, acked],
      ['PROTOCOL SET was answered with QUEUED'],
    ],
    [
      'a lost connection',
      {},
      ['OK', new Error('socket closed')],
      undefined,
      [acked, unknown],
      ['CLOSED socket closed'],
    ],
  ];
  for (const [what, shape, replies, count, outcomes, errors] of ANSWERS) {
    for (const waitMode of /** @type {const} */ (['pipelined', 'sequential'])) {
      test(`${what}, ${waitMode}`, async () => {
        const { connection, calls, ends, errors: seen } = connected({ ...shape, waitMode }, { count });
        const waitsAtOnce = waitMode === 'pipelined' && count !== undefined;
        connection.write();
        assert.deepEqual(calls.splice(0), [{ fetched: false, pings: false, waitsAtOnce }]);
        replies.forEach((reply, i) => {
          assert.deepEqual([calls, ends], [[], []], 'no WAIT before the last answer');
          if (reply instanceof Error) connection.onFailure[i](reply);
          else connection.onReply[i](reply);
        });
        if (waitsAtOnce) {
          assert.deepEqual(ends, [], 'WAIT is not answered yet');
          if (count instanceof Error) connection.onWaitFailure(count);
          else connection.onWaitReply(count);
        }
        await settled();
        assert.deepEqual([ends, seen], [[outcomes], errors]);
        const aof = ['WAITAOF', '1', String(shape.waitReplicas ?? 0), '500'];
        const wait = shape.waitLocal === undefined ? ['WAIT', String(shape.waitReplicas), '500'] : aof;
        assert.deepEqual(calls, waitsAtOnce || count === undefined ? [] : [wait]);
      });
    }
  }
});

describe('reads and PINGs', () => {
  test('a read is answered with or without a value', () => {
    const { connection, calls, ends } = connected({ waitReplicas: 1 });
    connection.fetch();
    assert.deepEqual(calls, [{ fetched: true, pings: false, waitsAtOnce: false }]);
    for (const reply of connection.onReply) reply(null);
    assert.deepEqual([ends, connection.misses], [[[acked, acked]], 2]);
    connection.fetch();
    assert.equal(connection.misses, 0);
    for (const reply of connection.onReply) reply('value');
    assert.equal(connection.misses, 0);
  });

  test('only PONG answers a PING, and a write afterwards is a write', () => {
    const { connection, calls, ends, errors } = connected();
    connection.ping();
    connection.onReply[0]('PONG');
    connection.onReply[1]('OK');
    assert.deepEqual([ends, errors], [[[acked, unknown]], ['PROTOCOL PING was answered with OK']]);
    connection.write();
    for (const reply of connection.onReply) reply('OK');
    assert.deepEqual(ends[1], [acked, acked]);
    connection.ping();
    for (const reply of connection.onReply) reply('PONG');
    connection.fetch();
    for (const reply of connection.onReply) reply('value');
    assert.deepEqual(ends[3], [acked, acked]);
    assert.deepEqual(
      calls.map((call) => /** @type {{pings: boolean}} */ (call).pings),
      [true, false, true, false],
    );
  });
});

describe('a connection that is gone', () => {
  test('nothing is sent: the writes are rejected, later than within write', async () => {
    const { connection, library, calls, ends, errors } = connected();
    library.isWritable = false;
    connection.write();
    assert.deepEqual([ends, errors], [[], ['CLOSED before a batch']]);
    await settled();
    assert.deepEqual([ends, errors[1], calls], [[[rejected, rejected]], NOT_SENT, []]);
    library.isWritable = true;
    connection.write();
    await settled();
    assert.deepEqual([ends.length, calls], [2, []]);
    await assert.rejects(connection.read(1), { message: NOT_SENT });
  });

  test('closing settles the batch under way, and happens once', async () => {
    const { connection, calls, ends, errors } = connected();
    connection.write();
    connection.onReply[0]('OK');
    const closed = connection.close();
    assert.equal(connection.close(), closed);
    let isClosed = false;
    closed.then(() => {
      isClosed = true;
    });
    await settled();
    assert.equal(isClosed, false, 'the second write has no outcome yet');
    connection.onFailure[1](new Error('closed'));
    await closed;
    assert.deepEqual([ends, errors], [[[acked, unknown]], ['CLOSED by this side']]);
    assert.equal(calls.filter((call) => call === 'drop').length, 1);
  });
});

test('single commands: an error reply rejects, and the connection stays; anything else ends it', async () => {
  const failures = [new LibraryError('LOADING soon'), new Error('gone')];
  const { connection, errors } = connected({}, { get: () => Promise.reject(failures.shift()) });
  await assert.rejects(connection.read(1), { message: 'LOADING soon' });
  assert.equal(connection.lost, false);
  await assert.rejects(connection.read(1), { message: 'CLOSED gone' });
  assert.deepEqual([connection.lost, errors], [true, ['CLOSED gone']]);
});

test('a socket belongs to the node whose name it dialled, also if others have its port', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const nodes = ['redis-1.example', 'localhost', 'redis-3.example'].map((host) => ({ address: { host, port } }));
  const socket = connect({ host: 'localhost', port });
  await once(socket, 'connect');
  assert.equal(nodeNumber(nodes, socket), 2);
  socket.destroy();
  server.close();
});

test('a socket belongs to the node of its address, or of its port if only one node has it', () => {
  const nodes = [
    { address: { host: '10.0.0.1', port: 6379 } },
    { address: { host: '10.0.0.2', port: 6379 } },
    { address: { host: 'redis-3', port: 6380 } },
  ];
  const at = (/** @type {string} */ remoteAddress, /** @type {number} */ remotePort) =>
    nodeNumber(nodes, { remoteAddress, remotePort });
  assert.deepEqual(
    [at('10.0.0.1', 6379), at('10.0.0.2', 6379), at('10.0.0.9', 6380), at('10.0.0.9', 6379), at('10.0.0.1', 1)],
    [1, 2, 3, 0, 0],
  );
});
