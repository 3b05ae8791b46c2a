import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostsOf } from '../../src/stacks/network/hosts.js';
import { dangerousSide, partitionWithPrimary, placementText } from './placement.js';

const COLOCATED = [
  ['redis-1', 'sentinel-1'],
  ['redis-2', 'sentinel-2'],
  ['redis-3', 'sentinel-3'],
];
const TWO_BESIDE_ONE = [['redis-1', 'sentinel-1'], ['redis-2'], ['redis-3', 'sentinel-2', 'sentinel-3']];
const ALONE = [['redis-1'], ['redis-2'], ['redis-3'], ['sentinel-1'], ['sentinel-2'], ['sentinel-3']];

/**
 * @param {string[][] | undefined} hosts
 * @param {{backend?: string, placement?: string}} [more]
 */
function textOf(hosts, { backend = 'external', placement } = {}) {
  return textAbout([benchmarkOf('primary-killed', { placement })], { backend, hosts });
}

/**
 * @param {string} name
 * @param {{placement?: string}} params of its case
 */
function benchmarkOf(name, params) {
  return { name, cases: [{ params }] };
}

/**
 * @param {ReturnType<typeof benchmarkOf>[]} benchmarks
 * @param {{backend?: string, hosts?: string[][]}} [stack]
 */
function textAbout(benchmarks, stack = { backend: 'local' }) {
  return placementText(/** @type {any} */ ({ stack, benchmarks }));
}

describe('the placement of Sentinels', () => {
  test('the side with most Sentinels and the fewest nodes is found', () => {
    assert.equal(dangerousSide(COLOCATED), null);
    assert.deepEqual(dangerousSide(TWO_BESIDE_ONE), ['redis-3']);
    assert.deepEqual(dangerousSide(ALONE), ['redis-1']);
    const five = [1, 2, 3, 4, 5].map((n) => (n > 3 ? [`redis-${n}`] : [`redis-${n}`, `sentinel-${n}`]));
    assert.deepEqual(
      dangerousSide(five),
      ['redis-1', 'redis-2'],
      'three Sentinels do not vouch for three of five nodes',
    );
  });

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
    assert.deepEqual(partitionWithPrimary(ALONE).near, [['redis-1'], ['redis-2']]);
    assert.equal(
      far([
        ['redis-1', 'redis-2', 'sentinel-1'],
        ['redis-3', 'sentinel-2', 'sentinel-3'],
      ]),
      'redis-3 sentinel-2 sentinel-3',
    );
  });

  test('an existing deployment is named host by host, with a recommendation where a partition can harm', () => {
    assert.match(
      textOf(COLOCATED),
      /^Placement, read from the addresses: redis-1 \+ sentinel-1; redis-2 \+ sentinel-2; /,
    );
    assert.doesNotMatch(textOf(COLOCATED), /Put one Sentinel/);
    assert.match(textOf(TWO_BESIDE_ONE), /with redis-3 alone, which they promote .* Put one Sentinel beside each node/);
  });
});
