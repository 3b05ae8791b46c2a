import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { shapeOf } from '../../clients/fixture.js';
import { Outcome } from '../../clients/types.js';
import { confirmingClient } from './example-writer.js';
import { watchCommands } from './sent-commands.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Example, ExampleAnswer } from './example-writer.js'
 */

const SHAPE = shapeOf({ payloadBytes: 40, waitReplicas: 1 });

/** Two connections to a node that reads and never answers. @param {TestContext} t */
async function twoSockets(t) {
  const server = net.createServer((socket) => socket.resume().on('error', () => {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  const sockets = [net.connect(port, '127.0.0.1'), net.connect(port, '127.0.0.1')];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = { host: '127.0.0.1', port };
  return { sockets, nodes: [{ id: 'redis-1', address, announced: address }] };
}

/** @param {...string} words */
function command(...words) {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

test('the commands of a thread are read from its sockets, however they are cut; then the sockets are as before', async (t) => {
  const { sockets } = await twoSockets(t);
  /** @type {string[][]} */
  const seen = [];
  const end = watchCommands((words) => seen.push(words));
  const bytes = Buffer.from(command('SET', 'k', 'v') + command('WAIT', '1', '1000'));
  sockets[0].write(bytes.subarray(0, 9));
  sockets[1].write(command('PING'));
  sockets[0].write(bytes.subarray(9));
  sockets[1].write('no command\r\n');
  sockets[1].write(command('PING'));
  end();
  end();
  sockets[0].write(command('PING'));
  assert.deepEqual(seen, [['PING'], ['SET', 'k', 'v'], ['WAIT', '1', '1000']]);
  assert.ok(!Object.hasOwn(net.Socket.prototype, 'write'));
});

/**
 * A write of an example that sends SET on the first connection, and WAIT as `wait` says.
 * @param {TestContext} t
 * @param {ExampleAnswer} answer
 * @param {(sockets: net.Socket[], timeout: string) => void} wait
 */
async function writeThrough(t, answer, wait) {
  const { sockets, nodes } = await twoSockets(t);
  /** @type {string[]} */
  const errors = [];
  /** @type {number[]} */
  const moves = [];
  /** @type {Example} */
  const example = {
    async confirmedSet(key, value, { timeoutMs }) {
      sockets[0].write(command('set', key, value));
      wait(sockets, String(timeoutMs));
      return answer;
    },
    close() {},
  };
  const report = {
    error: (/** @type {string} */ text) => errors.push(text),
    appliedTwice() {},
    moved: moves.push.bind(moves),
  };
  const client = confirmingClient(example, SHAPE, { nodes, report });
  t.after(() => client.close());
  return { ...(await client.write(7)), errors, moves };
}

test('an acknowledgement is false unless the WAIT of this write followed it on its connection', async (t) => {
  /** @type {ExampleAnswer} */
  const acked = { outcome: 'acked', replicas: 2 };
  const entry = await writeThrough(t, acked, ([first], timeout) => first.write(command('WAIT', '1', timeout)));
  assert.deepEqual(entry, { outcome: Outcome.acked, waitCount: 2, falseAck: false, node: 1, errors: [], moves: [1] });
  for (const wait of [
    (/** @type {net.Socket[]} */ [, second], /** @type {string} */ timeout) =>
      second.write(command('WAIT', '1', timeout)),
    (/** @type {net.Socket[]} */ [first]) => first.write(command('WAIT', '1', '1')),
    () => {},
  ]) {
    assert.equal((await writeThrough(t, acked, wait)).falseAck, true);
  }
  const unknown = await writeThrough(t, { outcome: 'unknown', replicas: 0 }, () => {});
  assert.deepEqual([unknown.outcome, unknown.waitCount, unknown.falseAck], [Outcome.unknown, -1, false]);
});

test('errors keep their kind: a reply, a lost connection, nothing sent', async (t) => {
  /** @type {[ExampleAnswer['outcome'], string, string][]} */
  const cases = [
    ['rejected', 'NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS Not enough good replicas to write.'],
    ['rejected', 'not connected', 'NOTSENT not connected'],
    ['unknown', 'Socket closed unexpectedly', 'CLOSED Socket closed unexpectedly'],
  ];
  for (const [outcome, message, text] of cases) {
    const { errors } = await writeThrough(t, { outcome, replicas: 0, error: new Error(message) }, () => {});
    assert.deepEqual(errors, [text]);
  }
});
