import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { UserError } from '../errors.js';
import { ownTemporaryFolder } from './fixture.js';
import { attachStack, openStack } from './index.js';
import { doubts } from './redis/conformance-help.js';

const folder = await ownTemporaryFolder();

// Tests must not touch a stack that stays on this machine.
process.env.COMPOSE_PROJECT_NAME = `sentinel-bench-test-${process.pid}`;

const skip = await needs('server');

/** @param {string} tmp */
const stacksIn = (tmp) => readdirSync(tmp).filter((name) => name !== 'state');

describe('opening a stack', { skip }, () => {
  test('the stack that is up is healed and used, and stays up', async () => {
    const up = await openStack({ backend: 'local', detached: true });
    try {
      await up.host.act('redis-2', 'pause');
      await up.host.act('redis-3', 'kill');
      await up.close();

      /** @type {string[]} */
      const messages = [];
      const used = await openStack({ backend: 'local', tell: (line) => messages.push(line) });
      assert.deepEqual(messages, ['Using the local stack that is already up.']);
      assert.equal(used.about.ours, false);
      assert.deepEqual(await doubts(used), []);
      await used.close();

      const again = await attachStack({ backend: 'auto' });
      assert.equal(again?.about.backend, 'local');
      await again?.close();
    } finally {
      await up.down();
    }
    assert.deepEqual(stacksIn(folder), []);
  });

  test('without Docker it is local, and says why', async (t) => {
    const { DOCKER_HOST } = process.env;
    t.after(() => {
      if (DOCKER_HOST === undefined) delete process.env.DOCKER_HOST;
      else process.env.DOCKER_HOST = DOCKER_HOST;
    });
    process.env.DOCKER_HOST = 'tcp://127.0.0.1:1';
    const stack = await openStack({ backend: 'auto' });
    assert.equal(stack.about.backend, 'local');
    assert.match(stack.about.why, /^Docker cannot be used: .*\.$/);
    await stack.close();
  });
});

test('without Docker and a server the message says how to get one', async () => {
  const { PATH, SENTINEL_BENCH_SERVER } = process.env;
  process.env.PATH = folder;
  delete process.env.SENTINEL_BENCH_SERVER;
  try {
    await assert.rejects(openStack({ backend: 'auto' }), (error) => {
      assert.ok(error instanceof UserError);
      assert.equal(error.exitStatus, 3);
      for (const word of ['Debian', 'Fedora', 'Alpine', 'macOS', 'Docker'])
        assert.ok(error.remedy.includes(word), word);
      return true;
    });
    await assert.rejects(openStack({ backend: 'local' }), /Neither redis-server nor valkey-server is on PATH/);
  } finally {
    process.env.PATH = PATH;
    if (SENTINEL_BENCH_SERVER !== undefined) process.env.SENTINEL_BENCH_SERVER = SENTINEL_BENCH_SERVER;
  }
});
