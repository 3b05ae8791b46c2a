import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../errors.js';
import { blocksOf, describePartition, openNetwork } from './network.js';
import { hostsOf } from './placement.js';

/** @import { DropRule } from './firewall.js' */

const ROLES = {
  primary: 'redis-2',
  replicas: ['redis-1', 'redis-3'],
  sentinels: ['sentinel-1', 'sentinel-2', 'sentinel-3'],
};

/** A network whose rules are only kept. */
function newNetwork() {
  /** @type {(readonly DropRule[])[]} */
  const kept = [];
  const network = openNetwork('127.40.50', {
    by: 'nothing',
    nodes: new Map([
      ['redis-1', ['127.40.50.1']],
      ['redis-2', ['127.40.50.2', '127.40.50.12']],
      ['redis-3', ['127.40.50.3']],
    ]),
    firstClient: 101,
    firewall: {
      async set(blocks) {
        kept.push(blocks);
      },
      async remove() {
        kept.push([]);
      },
    },
  });
  return { network, kept };
}

test('members of different groups are blocked in both directions; who is in no group is not', async () => {
  const { network, kept } = newNetwork();
  assert.equal(network.clientAddress('minority'), '127.40.50.101');
  await network.divide({ groups: [['redis-1', 'minority'], ['redis-2']] });
  await network.join();
  assert.deepEqual(kept, [
    [
      { from: ['127.40.50.1', '127.40.50.101'], to: ['127.40.50.2', '127.40.50.12'] },
      { from: ['127.40.50.2', '127.40.50.12'], to: ['127.40.50.1', '127.40.50.101'] },
    ],
    [],
  ]);
});

test('one way: only what the first group sends is lost', () => {
  const groups = [['a'], ['b'], ['c']];
  assert.deepEqual(
    blocksOf({ groups, oneWay: true }, (id) => [id]),
    [{ from: ['a'], to: ['b', 'c'] }],
  );
  assert.equal(blocksOf({ groups }, (id) => [id]).length, 3);
  assert.equal(describePartition({ groups }), 'a | b | c');
  assert.equal(describePartition({ groups: [['a', 'b'], ['c']], oneWay: true }), 'a, b → c');
});

test('a client keeps its address; there are addresses for eight', () => {
  const { network } = newNetwork();
  const names = Array.from({ length: 8 }, (_, index) => `client-${index + 1}`);
  const addresses = names.map(network.clientAddress);
  assert.equal(new Set(addresses).size, 8);
  assert.deepEqual(names.map(network.clientAddress), addresses);
  assert.throws(() => network.clientAddress('client-9'), UserError);
  assert.throws(() => network.clientAddress('redis-1'), RangeError);
});

test('an impossible partition is refused before any rule is set', async () => {
  const { network, kept } = newNetwork();
  for (const groups of [
    [['redis-1']],
    [['redis-1'], []],
    [['redis-1'], ['redis-1', 'redis-2']],
    [['redis-1'], ['nobody']],
  ]) {
    await assert.rejects(network.divide({ groups }), RangeError);
  }
  assert.deepEqual(kept, []);
});

test('colocated: one Sentinel beside each node; apart: two of them beside the third', () => {
  assert.deepEqual(hostsOf('colocated', ROLES), [
    ['redis-2', 'sentinel-1'],
    ['redis-1', 'sentinel-2'],
    ['redis-3', 'sentinel-3'],
  ]);
  const sentinels = [...ROLES.sentinels, 'sentinel-4', 'sentinel-5'];
  const last = hostsOf('colocated', { ...ROLES, sentinels })[2];
  assert.deepEqual(last, ['redis-3', 'sentinel-3', 'sentinel-4', 'sentinel-5'], 'further ones are on the last host');
  assert.deepEqual(hostsOf('apart', ROLES), [
    ['redis-2', 'sentinel-1'],
    ['redis-1'],
    ['redis-3', 'sentinel-2', 'sentinel-3'],
  ]);
});
