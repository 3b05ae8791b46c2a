import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { variationName } from '../../src/result/variation.js';
import { PROFILES } from '../../src/run/profiles.js';
import { performed, scenarioNamed } from './fixture.js';

const topology = scenarioNamed('topology');

const OPTIONS = { profile: PROFILES.quick, server: { name: 'redis', version: '7.0.15' }, storages: [] };

/**
 * @param {string} name of its variation
 * @param {boolean} promoted a replica was
 */
function performedIn(name, promoted) {
  const theCase = topology.cases(OPTIONS).find(({ params }) => variationName(params) === name);
  return performed(topology, { ...theCase?.params }, { promoted });
}

describe('the benchmark of five nodes', () => {
  test('every mode meets every partition, on stacks of five data nodes', () => {
    const cases = topology.cases(OPTIONS);
    assert.equal(cases.length, 3 * 7);
    assert.ok(cases.every(({ params }) => params.replicas === 4));
    for (const { params } of cases) assert.equal(params.sentinels, params.placement === 'apart' ? 3 : 5);
  });

  test('the primary takes replicas along, and a minority of the Sentinels or their majority', async () => {
    const [, apart] = (await performedIn('apart-with-2', true)).course;
    assert.match(
      apart,
      /: redis-1, sentinel-1, redis-2, redis-3, minority \| redis-4, redis-5, sentinel-2, sentinel-3, majority$/,
    );
    const { course } = await performedIn('colocated-with-2', false);
    assert.match(course[1], /redis-3, sentinel-3, minority \| redis-4, sentinel-4, redis-5, sentinel-5, majority$/);
    assert.deepEqual(course.slice(2), ['write 15', 'undo group-partition', 'write 1']);
    const isDue = async (/** @type {string} */ name) =>
      !(await performedIn(name, false)).marks.includes('no-promotion-due');
    const variants = [
      'apart-with-3',
      'colocated-with-1',
      'colocated-with-2',
      'colocated-with-3',
      'colocated-stale-preferred',
    ];
    assert.deepEqual(await Promise.all(variants.map(isDue)), [true, true, false, false, true]);
  });

  test('a stack that is up is not used', async () => {
    const [theCase] = topology.cases(OPTIONS);
    const stack = /** @type {any} */ ({ about: { backend: 'local', ours: false } });
    assert.match((await topology.whyNotCase?.(theCase, stack)) ?? '', /already up|nft/);
  });
});
