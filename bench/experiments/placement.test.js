import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostsOf } from '../../src/stacks/network/placement.js';
import { partitionWithPrimary } from './placement.js';

const ALONE = [['redis-1'], ['redis-2'], ['redis-3'], ['sentinel-1'], ['sentinel-2'], ['sentinel-3']];

describe('the placement of Sentinels', () => {
  test('a partition takes as many replicas along with the primary as leave Sentinels that can promote another', () => {
    const far = (/** @type {string[][]} */ hosts) => partitionWithPrimary(hosts).far.flat().join(' ');
    const of = (/** @type {'apart' | 'colocated'} */ placement, /** @type {number} */ replicas, sentinels = 3) => {
      const ids = (/** @type {string} */ kind, /** @type {number} */ count, first = 1) =>
        Array.from({ length: count }, (_, i) => `${kind}-${first + i}`);
      const nodes = { primary: 'redis-1', replicas: ids('redis', replicas, 2), sentinels: ids('sentinel', sentinels) };
      return far(hostsOf(placement, nodes));
    };
    assert.equal(of('apart', 2), 'redis-3 sentinel-2 sentinel-3');
    assert.equal(of('apart', 4), 'redis-5 sentinel-2 sentinel-3', 'three replicas are with the primary');
    assert.equal(of('colocated', 4, 5), 'redis-3 sentinel-3 redis-4 sentinel-4 redis-5 sentinel-5');
    assert.equal(of('colocated', 4, 3), 'redis-2 sentinel-2 redis-3 sentinel-3', 'two hosts have no Sentinel');
    assert.equal(of('colocated', 2), 'redis-3 sentinel-3', 'nobody can be promoted');
    assert.equal(of('colocated', 2, 5), 'redis-3 sentinel-3 sentinel-4 sentinel-5');
    assert.equal(far(ALONE), 'redis-3 sentinel-1 sentinel-2 sentinel-3');
    assert.equal(far([['redis-1', 'sentinel-1'], ['redis-2'], ['sentinel-2']]), 'redis-2', 'one of two is no majority');
    assert.deepEqual(partitionWithPrimary(ALONE).near, [['redis-1'], ['redis-2']]);
    assert.equal(
      far([
        ['redis-1', 'redis-2', 'sentinel-1'],
        ['redis-3', 'sentinel-2', 'sentinel-3'],
      ]),
      'redis-3 sentinel-2 sentinel-3',
    );
  });
});
