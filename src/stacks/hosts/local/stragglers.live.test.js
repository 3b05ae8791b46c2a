/**
 * Servers that became servers while their stack was being removed: their starter was killed before they had recorded themselves.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs, skipFor } from '../../../../test/needs.js';
import { LOOPBACK } from '../../address.js';
import { eventually, ownTemporaryFolder } from '../../fixture.js';
import { findServer } from '../../redis/local/server.js';
import { nodesOf } from '../../redis/topology.js';
import { daemonsIn, HAS_PROC } from '../processes.js';
import { createStack, nodeFolder, removeStack } from './record.js';

await ownTemporaryFolder();
const skip = (await needs('server')) || skipFor(HAS_PROC ? null : 'there is no /proc');

/** @param {string} cwd @param {boolean} detached */
function sleeper(cwd, detached) {
  return spawn('sleep', ['60'], { cwd, detached, stdio: 'ignore' });
}

test('a server that recorded nothing ends with its stack, and a program beside it stays', { skip }, async (t) => {
  const server = await findServer();
  assert.ok(server);
  const record = createStack({
    detached: false,
    server,
    nodes: nodesOf({}).map(({ id, port }) => ({ id, host: LOOPBACK, port })),
  });
  const beside = join(record.folder, '..', 'beside');
  mkdirSync(beside);
  const [unknown, other, child] = [
    sleeper(nodeFolder(record, 'redis-1'), true),
    sleeper(beside, true),
    // A program of the user's is not the first of its session, or has a terminal.
    sleeper(nodeFolder(record, 'redis-2'), false),
  ];
  t.after(() => {
    for (const each of [unknown, other, child]) each.kill('SIGKILL');
  });
  const ended = once(unknown, 'exit');
  await eventually('it has its own session', () =>
    daemonsIn([nodeFolder(record, 'redis-1')]).includes(Number(unknown.pid)),
  );
  await removeStack(record);
  const [, signal] = await ended;
  assert.equal(signal, 'SIGKILL');
  assert.equal(other.exitCode ?? other.signalCode, null);
  assert.equal(child.exitCode ?? child.signalCode, null);
});
