import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNothingLeft, ownState } from '../../src/faults/fixture.js';
import { createJournal } from '../../src/faults/journal.js';
import { ask, eventually, isReady } from '../../src/stacks/redis/conformance-help.js';
import { startLocal } from '../../src/stacks/redis/local/index.js';
import { findServers } from '../../src/stacks/redis/local/server.js';
import { needs } from '../../test/needs.js';
import { changeServer } from './scenarios.js';

const folder = await ownState();
const skip = await needs('redis-server', 'valkey-server');

test('a replica and a Sentinel change their server, and the stack stays well', { skip }, async () => {
  const servers = await findServers(['redis-server', 'valkey-server']);
  const stack = await startLocal({ server: servers[0].path, servers });
  const journal = createJournal(stack);
  try {
    const other = changeServer(servers[1].id);
    for (const id of ['sentinel-1', 'redis-2']) await other.inject({ stack, journal }, id);
    await eventually('the stack is well', () => isReady(stack));
    const versionOf = async (/** @type {string} */ id) => String(await ask(stack, id, 'INFO', 'server'));
    assert.match(await versionOf('redis-2'), RegExp(`valkey_version:${servers[1].version}`));
    assert.match(await versionOf('sentinel-1'), RegExp(`valkey_version:${servers[1].version}`));
    assert.doesNotMatch(await versionOf('redis-3'), /valkey_version/);
    await stack.host.act('redis-2', 'kill');
    await stack.heal();
    assert.match(await versionOf('redis-2'), /valkey_version/, 'healing keeps its server');
    await assert.rejects(changeServer('redis-1.0.0').inject({ stack, journal }, 'redis-2'), /no server of this run/);
  } finally {
    await stack.close();
    await journal.close({ abandon: true });
  }
  assertNothingLeft(folder);
});
