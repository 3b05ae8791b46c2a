import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assign, mergeSamples } from './agents-trials.js';
import { fetchLedger } from './collect.js';
import { OpenRequest, ReadRequest, runsOnAgents } from './writers-protocol.js';

test('each place is one agent’s; writers without a place are on the others', () => {
  assert.deepEqual(
    [...assign(['sticky@minority', 'redis@majority', 'ioredis@minority', 'sticky'], ['a', 'b', 'c'])],
    [
      ['a', ['sticky@minority', 'ioredis@minority']],
      ['b', ['redis@majority']],
      ['c', ['sticky']],
    ],
  );
  assert.deepEqual(
    [...assign(['sticky', 'failover-aware', 'redis'], ['a', 'b'])],
    [
      ['a', ['sticky', 'redis']],
      ['b', ['failover-aware']],
    ],
  );
  const placed = ['sticky@minority', 'sticky@majority', 'sticky@everywhere'];
  const four = ['a', 'b', 'c', 'd'];
  assert.deepEqual(
    [...assign(placed, ['e', 'f', ...four], ['b', 'c', 'd'])].map(([agent]) => agent),
    ['e', 'f', 'a'],
    'machines without nodes are enough',
  );
  assert.deepEqual(
    [...assign(placed, four, ['b', 'c', 'd'])].map(([agent]) => agent),
    ['b', 'd', 'a'],
    'beside the first primary, beside the last node, and alone',
  );
  assert.deepEqual(
    [...assign(['sticky', 'failover-aware'], four, ['b', 'c', 'd'])],
    [['a', ['sticky', 'failover-aware']]],
  );
  assert.equal(assign(['sticky'], ['b', 'c'], ['b', 'c']).get('b')?.length, 1, 'nodes are on all machines');
  assert.ok(runsOnAgents('sticky@minority'));
  for (const name of ['haproxy', 'driver.redis-py.best', 'constructor']) assert.equal(runsOnAgents(name), false, name);
});

/** @param {string} name @param {number} beganAt */
const replyOf = (name, beganAt) => ({
  sample: {
    beganAt,
    endedAt: beganAt + 1000,
    writers: [{ name, writes: 10, errors: {}, firstError: null, moves: [] }],
    reads: { reads: 5, stale: 1, failed: 2, longestMs: 3 },
    lateMs: beganAt % 10,
    load: { cpu: 0.1, eventLoopUtilization: 0.2 },
  },
  machineCpu: 0.5,
  ledgers: [],
});

test('samples of agents become one on our clock, in the order of the plan', () => {
  const clocks = /** @type {any} */ (
    new Map([
      ['a', { monotonicMs: 4000 }],
      ['b', { monotonicMs: -500 }],
    ])
  );
  const replies = new Map([
    ['b', replyOf('second', 500)],
    ['a', replyOf('first', 5003)],
  ]);
  const plan = /** @type {any} */ ({ writers: [{ name: 'first' }, { name: 'second' }] });
  const merged = mergeSamples(plan, replies, clocks);
  assert.deepEqual(
    merged.writers.map(({ name }) => name),
    ['first', 'second'],
  );
  assert.deepEqual(merged.reads, { reads: 10, stale: 2, failed: 4, longestMs: 3 });
  assert.deepEqual([merged.beganAt, merged.endedAt, merged.lateMs], [1000, 2003, 3]);
  assert.throws(() => mergeSamples(plan, new Map([['a', replyOf('first', 0)]]), clocks), /no agent told of second/);
});

const WHICH = { benchmark: 'b', case: 'c', round: 1, writer: 'sticky' };

test('a ledger arrives in pieces, and is refused if one is missing', async () => {
  const content = Buffer.from('0123456789');
  const ledger = { ...WHICH, bytes: content.length };
  /** @param {Buffer} held */
  const from = (held) =>
    /** @type {any} */ (
      async (/** @type {string} */ agent, /** @type {string} */ operation, /** @type {any} */ { run, offset }) => {
        assert.deepEqual([agent, operation, run], ['a', 'ledgers-read', 'feed']);
        return { data: held.subarray(offset, offset + 4).toString('base64') };
      }
    );
  assert.deepEqual(await fetchLedger(from(content), 'a', 'feed', ledger), content);
  await assert.rejects(fetchLedger(from(content.subarray(0, 9)), 'a', 'feed', ledger), /not whole/);
});

test('nothing from the network names a module, a program, keys of others, or a file elsewhere', () => {
  const address = { host: '10.0.0.1', port: 6379 };
  const shape = {
    payloadBytes: 64,
    pipeline: 1,
    waitReplicas: 1,
    waitTimeoutMs: 100,
    waitMode: 'pipelined',
    keyPrefix: 'sentinel-bench:1:',
  };
  const writer = { name: 'sticky', appends: false, rate: 100, connections: 1, shape, capacity: 1000 };
  const plan = {
    writers: [writer],
    nodes: [{ id: 'redis-1', address, announced: address }],
    sentinels: [],
    sentinelsAnnounced: [],
    masterName: 'mymaster',
    credentials: {},
    giveUpMs: 1000,
    drainMs: 3000,
    readsPerSecond: 0,
  };
  const which = { benchmark: 'b', case: 'c', round: 1 };
  const accepts = (/** @type {object} */ more, of = which) =>
    OpenRequest.safeParse({ which: of, system: 'redis', waits: true, plan: { ...plan, ...more } }).success;
  assert.ok(accepts({}));
  for (const system of ['mariadb', 'postgres', 'file:///tmp/x.js'])
    assert.equal(OpenRequest.safeParse({ which, system, waits: true, plan }).success, system === 'mariadb', system);
  assert.equal(accepts({ module: 'file:///tmp/x.js' }), false);
  assert.equal(accepts({ writers: [{ ...writer, name: 'haproxy' }] }), false);
  assert.equal(accepts({ writers: [{ ...writer, shape: { ...shape, keyPrefix: 'theirs:' } }] }), false);
  assert.equal(accepts({ writers: [{ ...writer, capacity: 1e12 }] }), false);
  assert.equal(accepts({}, { ...which, case: '../../etc' }), false);
  for (const ledger of [
    { ...WHICH, benchmark: '../x' },
    { ...WHICH, writer: '../x' },
  ])
    assert.equal(ReadRequest.safeParse({ run: 'feedfeed', ledger, offset: 0 }).success, false);
});
