import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf } from '../../src/report/trials/fixture.js';
import { variationName } from '../../src/result/variation.js';
import { PROFILES } from '../../src/run/profiles.js';
import { nodesOf } from '../../src/stacks/redis/topology.js';
import { scenarioNamed } from './fixture.js';

const topology = scenarioNamed('topology');

const OPTIONS = { profile: PROFILES.quick, server: { name: 'redis', version: '7.0.15' }, storages: [] };

/**
 * @param {string} name of its variation
 * @param {boolean} switched a replica was promoted
 * @returns {Promise<string[]>} what the script does
 */
async function courseOf(name, switched) {
  const theCase = topology.cases(OPTIONS).find(({ params }) => variationName(params) === name);
  assert.ok(theCase);
  const { replicas, sentinels: sentinelCount } = theCase.params;
  const nodes = nodesOf({ replicas, sentinelCount });
  /** @type {string[]} */
  const course = [];
  const inject = async (/** @type {any} */ fault, /** @type {string} */ id) => {
    course.push(`${id} ${fault.what}`);
    return async () => void course.push(`undo ${fault.name}`);
  };
  const scene = {
    profile: { healthySeconds: 1 },
    primary: nodes[0],
    replicas: nodes.filter(({ id, kind }) => kind === 'redis' && id !== 'redis-1'),
    sentinels: nodes.filter(({ kind }) => kind === 'sentinel'),
    downAfterMs: 2000,
    inject,
    prepare: inject,
    write: async (/** @type {number} */ seconds) => void course.push(`write ${seconds}`),
    until: async (/** @type {() => Promise<boolean>} */ holds) => holds(),
    switched: () => switched,
    demoted: async () => true,
    readFormer: async () => {},
    mark: (/** @type {string} */ what) => void course.push(what),
  };
  await topology.script(/** @type {any} */ (scene), theCase);
  return course;
}

describe('the benchmark of five nodes', () => {
  test('every mode meets every partition, on stacks of five data nodes', () => {
    const cases = topology.cases(OPTIONS);
    assert.equal(cases.length, 3 * 7);
    assert.ok(cases.every(({ params }) => params.replicas === 4));
    for (const { params } of cases) assert.equal(params.sentinels, params.placement === 'apart' ? 3 : 5);
  });

  test('the primary takes replicas along, and a minority of the Sentinels or their majority', async () => {
    const [, apart] = await courseOf('apart-with-2', true);
    assert.match(
      apart,
      /: redis-1, sentinel-1, redis-2, redis-3, minority \| redis-4, redis-5, sentinel-2, sentinel-3, majority$/,
    );
    const course = (await courseOf('colocated-with-2', false)).filter((step) => step !== 'no-promotion-due');
    assert.match(course[1], /redis-3, sentinel-3, minority \| redis-4, sentinel-4, redis-5, sentinel-5, majority$/);
    assert.deepEqual(course.slice(2), ['write 15', 'undo group-partition', 'write 1']);
    const isDue = async (/** @type {string} */ name) => !(await courseOf(name, false)).includes('no-promotion-due');
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

  test('a finding for each mode names its worst partition, the largest loss first', () => {
    const params = (/** @type {number} */ wait, /** @type {string} */ setting) => ({
      wait,
      placement: 'apart',
      setting,
      replicas: 4,
      rate: 1000,
      mode: `wait${wait}-aof`,
      settings: { 'min-replicas-to-write': '0', appendonly: 'yes', appendfsync: 'everysec' },
    });
    const result = failureBenchmarkOf('topology', [
      { id: 'a', mode: 'wait3-aof', audits: [auditOf('a', { acked: 1000 })] },
      { id: 'b', mode: 'wait3-aof', audits: [auditOf('b', { acked: 9000, ackedLost: 8000 })] },
      { id: 'c', mode: 'wait4-aof', audits: [auditOf('c', { acked: 1000 })] },
    ]);
    result.cases.forEach((one, index) => {
      const [wait, setting] = /** @type {[number, string][]} */ ([
        [3, 'with-2'],
        [3, 'with-3'],
        [4, 'with-3'],
      ])[index];
      Object.assign(one.params, params(wait, setting));
    });
    const texts = topology.findings(result, {}).map(({ text }) => text);
    assert.match(
      texts[0],
      /^WAIT 3 \+ AOF everysec lost up to 8,000 .* in primary \+ 3 replicas away, Sentinels apart; some in 1 of 2 faults \(1 trial each\)$/,
    );
    assert.equal(texts[1], 'WAIT 4 + AOF everysec lost none in 1 fault (1 trial each)');
    assert.ok(texts.every((text) => text.length <= 160));
  });
});
