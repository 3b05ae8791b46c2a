import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startMariadb } from '../stacks/mariadb/local/index.js';
import { shapeOf } from './fixture.js';
import { client as mysql2 } from './mysql.js';
import { Outcome } from './types.js';

/**
 * @import { Stack } from '../stacks/types.js'
 * @import { LoadConnection, Target } from './types.js'
 */

await ownTemporaryFolder();

const skip = await needs('mariadb');

/** @param {LoadConnection} connection @param {'write' | 'fetch' | 'ping'} what */
function batch(connection, what) {
  return new Promise((resolve) => {
    connection.onBatch = () => resolve(undefined);
    connection[what]();
  });
}

describe('the client mysql2', { skip }, () => {
  /** @type {Stack} */
  let stack;
  /** @type {Target[]} */
  let targets;
  before(async () => {
    stack = await startMariadb({});
    targets = stack.nodes.map(({ address }) => ({ ...address, credentials: stack.access.credentials }));
  });
  after(() => stack?.close());

  /** @param {Target} target @param {number} [pipeline] */
  function connect(target, pipeline = 1) {
    return mysql2.connect(target, shapeOf({ pipeline }));
  }

  test('a batch is written as one, read back, and may be written again', async () => {
    const connection = await connect(targets[0], 3);
    connection.keys.set([1, 2, 3]);
    for (let time = 0; time < 2; time++) {
      await batch(connection, 'write');
      assert.deepEqual([...connection.outcomes], Array(3).fill(Outcome.acked));
    }
    connection.keys.set([1, 2, 99]);
    await batch(connection, 'fetch');
    assert.deepEqual([...connection.outcomes], Array(3).fill(Outcome.acked));
    assert.equal(connection.misses, 1);
    assert.equal((await connection.read(1))?.length, 64);
    assert.equal(await connection.read(99), null);
    await batch(connection, 'ping');
    assert.deepEqual([...connection.outcomes], Array(3).fill(Outcome.acked));
    await connection.close();
  });

  test('a killed server leaves the write unknown, and nothing is sent after that', async () => {
    const [, , { id }] = stack.nodes;
    const connection = await connect(targets[2]);
    /** @type {string[]} */
    const errors = [];
    connection.onError = (text) => errors.push(text);
    await stack.host.act(id, 'pause');
    const ended = batch(connection, 'write');
    await stack.host.act(id, 'kill');
    await ended;
    assert.deepEqual([...connection.outcomes], [Outcome.unknown]);
    assert.match(errors[0], /^CLOSED /);
    await batch(connection, 'write');
    assert.deepEqual([...connection.outcomes], [Outcome.rejected]);
    assert.match(errors[errors.length - 1], /^NOTSENT /);
    await connection.close();
    await stack.heal();
  });
});
