/** What faults ask of servers. That each notes what undoes it before it acts, and is undone, is in crash.test.js. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsForBlocking } from './blocking-command.js';
import * as faults from './index.js';

/**
 * @import { Stack } from '../stacks/types.js'
 * @import { Journal } from './types.js'
 */

class Refusal extends Error {}

/**
 * A site that writes down what is asked of it.
 * @param {(id: string, command: unknown[]) => void} [answer] throws what a node answers
 */
function siteOf(answer = () => {}) {
  const calls = /** @type {unknown[]} */ ([]);
  const stack = /** @type {Stack} */ (
    /** @type {unknown} */ ({
      access: { masterName: 'mymaster', credentials: {} },
      nodes: [
        { id: 'redis-1', kind: 'redis' },
        { id: 'sentinel-1', kind: 'sentinel' },
        { id: 'sentinel-2', kind: 'sentinel' },
      ],
      database: {
        isReplyError: (/** @type {unknown} */ error) => error instanceof Refusal,
        connect: async (/** @type {{id: string}} */ { id }) => ({
          async call(/** @type {unknown[]} */ ...command) {
            calls.push([id, ...command]);
            answer(id, command);
          },
          lost: () => false,
          close() {},
        }),
      },
    })
  );
  const journal = /** @type {Journal} */ (
    /** @type {unknown} */ ({
      async note(/** @type {object} */ step) {
        calls.push(step);
        return async () => {};
      },
    })
  );
  return { site: { stack, journal }, calls };
}

test('a server that refuses DEBUG is blocked by scripts in one transaction, none of which lasts until others are told that it is busy', async () => {
  const { site, calls } = siteOf((_, [name]) => {
    if (name === 'DEBUG') throw new Refusal('ERR DEBUG command not allowed');
  });
  await faults.blockingCommand(9000).inject(site, 'redis-1');
  const sent = /** @type {unknown[][]} */ (calls.slice(2)).map(([, name, , ...args]) => [name, ...args]);
  assert.deepEqual(sent, [
    ['EVAL', 0, 0],
    ['MULTI'],
    ['EVAL', 0, 4000],
    ['EVAL', 0, 4000],
    ['EVAL', 0, 1000],
    ['EXEC'],
  ]);
});

test('a single script lasts as long as it is to, and the node is asked until it is over', async () => {
  const { site, calls } = siteOf();
  const { name, inject } = faults.blockingCommand(7000, { script: true });
  assert.equal(name, 'slow-script');
  await inject(site, 'redis-1');
  const [noted, [, command, , ...args], ...more] = /** @type {any[]} */ (calls);
  assert.deepEqual(noted, { kind: 'call', id: 'redis-1', command: ['PING'], withinMs: 38_000 });
  assert.deepEqual([command, ...args, more], ['EVAL', 0, 7000, []]);
});

test('only a server that would refuse DEBUG is started with leave to use it', () => {
  const leave = { 'enable-debug-command': 'yes' };
  assert.deepEqual(settingsForBlocking({ name: 'redis', version: '7.0.15' }), leave);
  assert.deepEqual(settingsForBlocking({ name: 'valkey', version: null }), leave);
  for (const version of ['6.2.14', null]) assert.deepEqual(settingsForBlocking({ name: 'redis', version }), {});
});

describe('a planned failover', () => {
  const COMMAND = ['SENTINEL', 'FAILOVER', 'mymaster'];

  test('one Sentinel is asked, and there is nothing to undo', async () => {
    const { site, calls } = siteOf();
    const undo = await faults.failover.inject(site, 'redis-1');
    await undo();
    assert.deepEqual(calls, [['sentinel-1', ...COMMAND]]);
  });

  test('coordinated, and of a Sentinel that was named', async () => {
    const { site, calls } = siteOf();
    await (await faults.coordinatedFailover.inject(site, 'sentinel-2'))();
    assert.deepEqual(calls, [['sentinel-2', ...COMMAND, 'COORDINATED']]);
    assert.deepEqual(faults.coordinatedFailover.needs, ['failover', 'coordinated-failover']);
  });

  test('the next Sentinel is asked if one is down', async () => {
    const { site, calls } = siteOf((id) => {
      if (id === 'sentinel-1') throw new Error('connect ECONNREFUSED');
    });
    await faults.failover.inject(site, 'redis-1');
    assert.deepEqual(calls, [
      ['sentinel-1', ...COMMAND],
      ['sentinel-2', ...COMMAND],
    ]);
  });

  test('a Sentinel that refuses decides for all, because a second failover could begin', async () => {
    const { site, calls } = siteOf(() => {
      throw new Refusal('NOGOODSLAVE No suitable replica to promote');
    });
    await assert.rejects(faults.failover.inject(site, 'redis-1'), {
      name: 'UserError',
      message: /^No Sentinel began a failover \(sentinel-1: NOGOODSLAVE No suitable/,
      remedy: /sentinel-bench recover/,
    });
    assert.equal(calls.length, 1);
  });

  test('every Sentinel is named if none answers', async () => {
    const { site } = siteOf((id) => {
      throw new Error(`${id} is silent`);
    });
    await assert.rejects(faults.failover.inject(site, 'redis-1'), /sentinel-1: .*; sentinel-2: sentinel-2 is silent/);
  });
});
