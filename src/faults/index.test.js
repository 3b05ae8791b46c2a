/**
 * What each fault asks of the stack, and in which order: the step that undoes it is in the journal before a node is touched.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UserError } from '../errors.js';
import { settingsForBlocking } from './blocking-command.js';
import * as faults from './index.js';

/**
 * @import { Stack } from '../stacks/types.js'
 * @import { Fault, Journal } from './types.js'
 */

class Refusal extends Error {}

/**
 * A site that writes down what is asked of it.
 * @param {(id: string, command: unknown[]) => void} [answer] throws what a node answers
 */
function siteOf(answer = () => {}) {
  const calls = /** @type {unknown[]} */ ([]);
  const undo = async () => {};
  const stack = /** @type {Stack} */ (
    /** @type {unknown} */ ({
      access: { masterName: 'mymaster', credentials: {} },
      nodes: [
        { id: 'redis-1', kind: 'redis' },
        { id: 'sentinel-1', kind: 'sentinel' },
        { id: 'sentinel-2', kind: 'sentinel' },
      ],
      host: { act: async (/** @type {string} */ id, /** @type {string} */ action) => calls.push([action, id]) },
      network: {
        slow: async (/** @type {object} */ shape, /** @type {string} */ id) => calls.push(['slow', id, shape]),
        groups: null,
      },
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
        return undo;
      },
    })
  );
  return { site: { stack, journal }, calls, undo };
}

/** @type {[fault: Fault, name: string, needs: string[], calls: unknown[]][]} */
const ACTIONS = [
  [faults.kill, 'kill', ['kill'], [{ kind: 'act', id: 'redis-1', action: 'start' }, ['kill', 'redis-1']]],
  [faults.lose, 'lose', ['lose'], [{ kind: 'act', id: 'redis-1', action: 'start' }, ['lose', 'redis-1']]],
  [faults.stop, 'stop', ['stop'], [{ kind: 'act', id: 'redis-1', action: 'start' }, ['stop', 'redis-1']]],
  [faults.pause, 'pause', ['pause'], [{ kind: 'act', id: 'redis-1', action: 'resume' }, ['pause', 'redis-1']]],
  [
    faults.partition,
    'partition',
    ['partition'],
    [{ kind: 'act', id: 'redis-1', action: 'join' }, ['partition', 'redis-1']],
  ],
  [faults.fill, 'fill', ['fill'], [{ kind: 'act', id: 'redis-1', action: 'free' }, ['fill', 'redis-1']]],
  [faults.isolate, 'isolate', ['isolate'], [{ kind: 'act', id: 'redis-1', action: 'join' }, ['isolate', 'redis-1']]],
  [
    faults.restart,
    'restart',
    ['kill'],
    [{ kind: 'act', id: 'redis-1', action: 'start' }, ['kill', 'redis-1'], ['start', 'redis-1']],
  ],
  [
    faults.powerLoss,
    'power-loss',
    ['power-loss'],
    [{ kind: 'act', id: 'redis-1', action: 'start' }, ['power-loss', 'redis-1']],
  ],
  [
    faults.slowLink({ latencyMs: 5 }),
    'slow-link',
    ['slow-link'],
    [{ kind: 'slow', id: 'redis-1' }, ['slow', 'redis-1', { latencyMs: 5 }]],
  ],
  [
    faults.blockingCommand(200),
    'blocking-command',
    ['blocking-command'],
    [
      // It is asked whether the command is over.
      { kind: 'call', id: 'redis-1', command: ['PING'], withinMs: 4000 },
      ['redis-1', 'DEBUG', 'SLEEP', 0],
      ['redis-1', 'DEBUG', 'SLEEP', 0.2],
    ],
  ],
  [
    faults.clientPause(200, 'WRITE'),
    'client-pause',
    [],
    [{ kind: 'call', id: 'redis-1', command: ['CLIENT', 'UNPAUSE'] }, ['redis-1', 'CLIENT', 'PAUSE', 200, 'WRITE']],
  ],
  [
    faults.clientPause(200, 'ALL'),
    'client-pause',
    [],
    [
      // UNPAUSE waits for the end of the pause, too.
      { kind: 'call', id: 'redis-1', command: ['CLIENT', 'UNPAUSE'], withinMs: 3200 },
      ['redis-1', 'CLIENT', 'PAUSE', 200, 'ALL'],
    ],
  ],
];

for (const [fault, name, needs, expected] of ACTIONS) {
  test(`${fault.what}: the journal first, then the node`, async () => {
    assert.deepEqual([fault.name, fault.needs], [name, needs]);
    const { site, calls, undo } = siteOf();
    assert.equal(await fault.inject(site, 'redis-1'), undo);
    assert.deepEqual(calls, expected);
  });
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

test('each fault says in words what happens to the node', () => {
  const words = ACTIONS.map(([{ what }]) => what);
  assert.equal(new Set(words).size, words.length);
  for (const what of words) assert.match(what, /^(is|hangs|has|loses|delays) .*[a-z)]/);
  assert.match(faults.slowLink({ latencyMs: 5 }).what, /\(5 ms a round trip\)$/);
  assert.match(
    faults.slowLink({ latencyMs: 5, jitterMs: 1, bytesPerSecond: 1000 }).what,
    /\(5 ms a round trip, ±1 ms in each direction, 1000 bytes\/s\)$/,
  );
  assert.match(faults.clientPause(200, 'ALL').what, /^delays every command for 200 ms/);
  assert.match(faults.clientPause(200, 'WRITE').what, /^delays writes for 200 ms/);
});

test('all links at once belong to no node', async () => {
  const { site, calls } = siteOf();
  await faults.slowLink({ latencyMs: 5 }).inject(site, faults.ALL_LINKS);
  assert.deepEqual(calls, [{ kind: 'slow' }, ['slow', undefined, { latencyMs: 5 }]]);
});

describe('a planned failover', () => {
  const COMMAND = ['SENTINEL', 'FAILOVER', 'mymaster'];

  test('one Sentinel is asked, and there is nothing to undo', async () => {
    const { site, calls } = siteOf();
    const undo = await faults.failover.inject(site, 'redis-1');
    await undo();
    assert.deepEqual(calls, [['sentinel-1', ...COMMAND]]);
    assert.deepEqual([faults.failover.name, faults.failover.needs], ['failover', ['failover']]);
    assert.match(faults.failover.what, /SENTINEL FAILOVER/);
  });

  test('coordinated: the same with one more argument, where the Sentinels know it', async () => {
    const { site, calls } = siteOf();
    await (await faults.coordinatedFailover.inject(site, 'redis-1'))();
    assert.deepEqual(calls, [['sentinel-1', ...COMMAND, 'COORDINATED']]);
    assert.deepEqual(faults.coordinatedFailover.needs, ['failover', 'coordinated-failover']);
    assert.match(faults.coordinatedFailover.what, /SENTINEL FAILOVER COORDINATED/);
  });

  test('a Sentinel that was named is the one that is asked', async () => {
    const { site, calls } = siteOf();
    await faults.failover.inject(site, 'sentinel-2');
    assert.deepEqual(calls, [['sentinel-2', ...COMMAND]]);
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
    await assert.rejects(faults.failover.inject(site, 'redis-1'), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /^No Sentinel began a failover \(sentinel-1: NOGOODSLAVE No suitable/);
      assert.match(error.remedy, /sentinel-bench recover/);
      return true;
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
