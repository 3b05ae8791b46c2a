/** What faults ask of servers. That each notes what undoes it before it acts, and is undone, is in crash.test.js. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as faults from './index.js';
import { settingsForBlocking } from './settings.js';

/**
 * @import { LinkShape, Stack } from '../stacks/types.js'
 * @import { Fault, Journal } from './types.js'
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
      host: { act: async (/** @type {string} */ id, /** @type {string} */ action) => calls.push([action, id]) },
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

/** @type {[fault: Fault, name: string, need: string, actions: string[], undo: string][]} */
const LISTED = [
  [faults.pause, 'pause', 'pause', ['pause'], 'resume'],
  [faults.restart, 'restart', 'kill', ['kill', 'start'], 'start'],
  [faults.powerLoss, 'power-loss', 'power-loss', ['power-loss'], 'start'],
];
test('what undoes an action is noted before it', async () => {
  for (const [fault, name, need, actions, undo] of LISTED) {
    assert.deepEqual([fault.name, fault.needs], [name, [need]]);
    const { site, calls } = siteOf();
    await fault.inject(site, 'redis-1');
    const acted = actions.map((action) => [action, 'redis-1']);
    assert.deepEqual(calls, [{ kind: 'act', id: 'redis-1', action: undo }, ...acted]);
  }
});

/** @type {[shape: LinkShape, needs: string, what: string][]} */
const SHAPES = [
  [{ latencyMs: 10 }, 'slow-link', '10 ms a round trip'],
  [{ latencyMs: 0, jitterMs: 5 }, 'slow-link', '0 ms a round trip, ±5 ms in each direction'],
  [{ latencyMs: 0, jitterMs: 0, bytesPerSecond: 1000 }, 'narrow-link', '0 ms a round trip, 1000 bytes/s'],
];
test('a link that gets slower is described; only one that delays nothing needs less', () => {
  for (const [shape, need, what] of SHAPES) {
    const { name, needs, what: said } = faults.slowLink(shape);
    assert.deepEqual([name, needs, said], ['slow-link', [need], `has slow links with its peers (${what})`]);
  }
});

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
    const { name, needs, planned } = faults.failover;
    assert.deepEqual([name, needs, planned], ['failover', ['failover'], true]);
  });

  test('coordinated, and of a Sentinel that was named', async () => {
    const { site, calls } = siteOf();
    await (await faults.coordinatedFailover.inject(site, 'sentinel-2'))();
    assert.deepEqual(calls, [['sentinel-2', ...COMMAND, 'COORDINATED']]);
    const { name, needs, planned } = faults.coordinatedFailover;
    assert.deepEqual([name, needs, planned], ['coordinated-failover', ['failover', 'coordinated-failover'], true]);
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
