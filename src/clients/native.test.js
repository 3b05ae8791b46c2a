/** The native client against a scripted server: what it sends, and what it makes of each reply. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { shapeOf } from './fixture.js';
import { NativeConnection } from './native.js';
import { NOT_SENT } from './outcome.js';
import { Outcome } from './types.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Shape } from './types.js'
 */

const { acked, underAcked, rejected, unknown } = Outcome;

const SHAPE = shapeOf({ payloadBytes: 4, pipeline: 2, waitTimeoutMs: 500, keyPrefix: 'p:' });
const KEY = 'p:000000000007';
const OKS = '+OK\r\n+OK\r\n';

/** @param {string[]} words */
const command = (...words) => `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

/** @param {Partial<Shape>} [shape] */
function connected(shape) {
  const sent = /** @type {string[]} */ ([]);
  const socket = Object.assign(new EventEmitter(), {
    isOpen: true,
    write: (/** @type {Buffer} */ bytes) => sent.push(bytes.toString()) > 0,
    destroy() {
      socket.isOpen = false;
    },
  });
  const connection = new NativeConnection(/** @type {Socket} */ (/** @type {unknown} */ (socket)), {
    ...SHAPE,
    ...shape,
  });
  connection.keys.fill(7);
  const errors = /** @type {string[]} */ ([]);
  const ends = /** @type {number[][]} */ ([]);
  connection.onError = (text) => errors.push(text);
  connection.onBatch = () => ends.push([...connection.outcomes]);
  /** @param {string} text */
  const reply = (text) => connection.receive(Buffer.from(text, 'latin1'), Buffer.byteLength(text, 'latin1'));
  return { connection, socket, sent, errors, ends, reply };
}

describe('a batch of writes', () => {
  test('is sent in one piece, with its keys, values and WAIT', () => {
    const { connection, sent } = connected({ waitReplicas: 1 });
    connection.setValue('abcd');
    connection.keys.set([7, 234_567_890]);
    connection.write();
    assert.deepEqual(sent, [
      command('SET', KEY, 'abcd') + command('SET', 'p:000234567890', 'abcd') + command('WAIT', '1', '500'),
    ]);
    assert.throws(() => connection.setValue('abcde'), RangeError);
  });

  /** @type {[what: string, shape: Partial<Shape>, replies: string, outcomes: number[], errors: RegExp[], counts?: [number, number]][]} */
  const ANSWERS = [
    ['OK without WAIT', {}, OKS, [acked, acked], [], [-1, -1]],
    ['a WAIT that counts enough', { waitReplicas: 1 }, `${OKS}:1\r\n`, [acked, acked], [], [-1, 1]],
    ['a WAIT that counts too few', { waitReplicas: 2 }, `${OKS}:1\r\n`, [underAcked, underAcked], [], [-1, 1]],
    [
      'a WAIT that is answered with an error',
      { waitReplicas: 1 },
      `${OKS}-UNBLOCKED force unblock\r\n`,
      [underAcked, underAcked],
      [/^UNBLOCKED force unblock$/],
      [-1, -1],
    ],
    [
      'a WAIT that is answered with a word',
      { waitReplicas: 1 },
      `${OKS}+OK\r\n`,
      [underAcked, underAcked],
      [/^PROTOCOL status OK does not answer WAIT$/],
    ],
    [
      'a refusal beside an OK',
      { waitReplicas: 1 },
      '-NOREPLICAS Not enough\r\n+OK\r\n:1\r\n',
      [rejected, acked],
      [/^NOREPLICAS Not enough$/],
    ],
    [
      'a refusal beside an OK that too few replicas confirmed',
      { waitReplicas: 1 },
      '+OK\r\n-ERR odd\r\n:0\r\n',
      [underAcked, unknown],
      [/^ERR odd$/],
    ],
    [
      'a reply that answers no write',
      {},
      '+QUEUED\r\n:5\r\n',
      [unknown, unknown],
      [/^PROTOCOL status QUEUED does not answer/, /^PROTOCOL integer 5 does not answer/],
    ],
    [
      'WAITAOF: local and replicas',
      { waitLocal: 1, waitReplicas: 1 },
      `${OKS}*2\r\n:1\r\n:2\r\n`,
      [acked, acked],
      [],
      [1, 2],
    ],
    [
      'WAITAOF without the local sync',
      { waitLocal: 1 },
      `${OKS}*2\r\n:0\r\n:2\r\n`,
      [underAcked, underAcked],
      [],
      [0, 2],
    ],
  ];
  for (const [what, shape, replies, outcomes, errors, counts] of ANSWERS) {
    test(`${what}, wherever the reply is split`, () => {
      for (let split = 0; split < replies.length; split++) {
        const { connection, sent, ends, errors: seen, reply } = connected(shape);
        connection.write();
        reply(replies.slice(0, split));
        assert.deepEqual(ends, [], 'not before the last byte');
        reply(replies.slice(split));
        assert.deepEqual(ends, [outcomes], `split at ${split}`);
        assert.equal(seen.length, errors.length);
        for (const [i, error] of errors.entries()) assert.match(seen[i], error);
        if (counts) assert.deepEqual([connection.waitLocalCount, connection.waitCount], counts);
        assert.deepEqual([connection.lost, connection.fetched, sent.length], [false, false, 1]);
      }
    });
  }
});

test('a sequential WAIT is sent once every write was answered', () => {
  const { connection, sent, ends, reply } = connected({ waitReplicas: 1, waitMode: 'sequential' });
  connection.write();
  assert.ok(!sent[0].includes('WAIT'));
  reply('+OK\r\n');
  assert.equal(sent.length, 1);
  reply('-READONLY no\r\n');
  assert.deepEqual(sent.slice(1), [command('WAIT', '1', '500')]);
  assert.deepEqual(ends, []);
  reply(':1\r\n');
  assert.deepEqual(ends, [[acked, rejected]]);
});

describe('reads and PINGs', () => {
  test('a read is answered with or without a value, and no WAIT belongs to it', () => {
    const { connection, sent, ends, reply } = connected({ waitReplicas: 1 });
    connection.keys.set([7, 8]);
    connection.fetch();
    assert.deepEqual(sent, [command('GET', KEY) + command('GET', 'p:000000000008')]);
    reply('$4\r\nab\r\n');
    reply('\r\n$-1\r\n');
    assert.deepEqual([ends, connection.misses, connection.fetched], [[[acked, acked]], 1, true]);
    connection.fetch();
    assert.equal(connection.misses, 0);
    reply('$-1\r\n$-1\r\n');
    assert.equal(connection.misses, 2);
    connection.fetch();
    reply('-LOADING soon\r\n:1\r\n');
    assert.deepEqual(ends[2], [rejected, unknown]);
  });

  test('only PONG answers a PING', () => {
    const { connection, sent, ends, errors, reply } = connected({ waitReplicas: 1, pipeline: 3 });
    connection.ping();
    assert.deepEqual(sent, [command('PING').repeat(3)]);
    reply('+PONG\r\n+PONGS\r\n+PING\r\n');
    assert.deepEqual(ends, [[acked, unknown, unknown]]);
    assert.equal(errors.length, 2);
    for (const wrong of ['+XONG', '+PXNG', '+POXG', '+PONX', '$4\r\nPONG']) {
      connection.ping();
      reply(`${wrong}\r\n+PONG\r\n+PONG\r\n`);
      assert.deepEqual(ends.at(-1), [unknown, acked, acked], wrong);
    }
  });
});

describe('a lost connection', () => {
  test('leaves unanswered writes unknown, and later ones are not sent', async () => {
    const { connection, socket, sent, ends, errors, reply } = connected();
    connection.write();
    reply('+OK\r\n');
    connection.disconnected(null);
    assert.deepEqual([ends, errors], [[[acked, unknown]], ['CLOSED closed by the server']]);
    assert.equal(socket.isOpen, false);
    connection.write();
    assert.equal(ends.length, 1, 'onBatch is never called within write');
    await new Promise(setImmediate);
    assert.deepEqual([ends[1], errors[1], sent.length], [[rejected, rejected], NOT_SENT, 1]);
    await assert.rejects(connection.read(1), { message: NOT_SENT });
    await connection.close();
    assert.equal(ends.length, 2);
  });

  test('before WAIT was answered: applied, and not confirmed', () => {
    const { connection, ends, errors, reply } = connected({ waitReplicas: 1 });
    connection.write();
    reply(OKS);
    connection.disconnected(new Error('read ECONNRESET'));
    assert.deepEqual([ends, errors], [[[underAcked, underAcked]], ['CLOSED read ECONNRESET']]);
  });

  /** @type {[what: string, shape: Partial<Shape>, replies: string, why: RegExp][]} */
  const BROKEN = [
    ['more replies than commands', {}, `${OKS}+OK\r\n`, /more replies than there were commands/],
    ['more replies than commands after a refusal', {}, '+OK\r\n-ERR x\r\n+OK\r\n', /more replies than there were/],
    ['bytes that are no reply', {}, 'HTTP/1.1 400\r\n', /^CLOSED the server sent /],
    ['an array for a write', {}, '*2\r\n:1\r\n:2\r\n', /an array that is not two integers/],
    ['three integers for WAITAOF', { waitLocal: 1 }, `${OKS}*3\r\n:1\r\n:2\r\n:3\r\n`, /not two integers/],
    ['two words for WAITAOF', { waitLocal: 1 }, `${OKS}*2\r\n+a\r\n+b\r\n`, /not two integers/],
    ['an array in an array', { waitLocal: 1 }, `${OKS}*2\r\n*2\r\n:1\r\n:1\r\n`, /not two integers/],
  ];
  for (const [what, shape, replies, why] of BROKEN) {
    test(`${what}: the connection is of no use any more`, () => {
      const { connection, socket, ends, errors, reply } = connected(shape);
      connection.write();
      reply(replies);
      assert.deepEqual([connection.lost, socket.isOpen, ends.length], [true, false, 1]);
      assert.match(String(errors.at(-1)), why);
    });
  }

  test('a reply without a request', () => {
    const { connection, errors, ends, reply } = connected();
    reply('+OK\r\n');
    assert.deepEqual([connection.lost, errors, ends], [true, [], []]);
  });
});

test('single commands: a value, no value, a count, and an error', async () => {
  const { connection, sent, reply } = connected();
  const answer = (/** @type {Promise<unknown>} */ promise, /** @type {string} */ text) => {
    reply(text);
    return promise;
  };
  assert.equal(await answer(connection.read(7), '$2\r\nab\r\n'), 'ab');
  assert.equal(await answer(connection.read(7), '$-1\r\n'), null);
  assert.equal(await answer(connection.wait(2, 30), ':1\r\n'), 1);
  assert.equal(await answer(connection.request(['WAITAOF', '1', '1', '9']), '*2\r\n:1\r\n:0\r\n'), '1 0');
  await assert.rejects(answer(connection.read(7), '-LOADING soon\r\n'), { message: 'LOADING soon' });
  assert.deepEqual(sent.slice(1, 4), [
    command('GET', KEY),
    command('WAIT', '2', '30'),
    command('WAITAOF', '1', '1', '9'),
  ]);
});
