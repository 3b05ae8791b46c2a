/** What may be compared: circumstances of two runs that affect their figures. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../fixture.js';
import { compareResults, otherProgramsCpu } from './compare.js';

/** @import { Result } from '../../result/schema.js' */

/** @param {(result: Result) => void} change */
function changed(change) {
  const result = resultOf();
  change(result);
  return result;
}

/** @param {Result} a @param {Result} b */
function differences(a, b) {
  return compareResults(a, b, { metric: 'throughput', threshold: 0.05 }).differences;
}

/**
 * @param {Record<string, Record<string, string>>} config by node, of a stack of three
 * @param {string} [primary]
 */
function withConfig(config, primary = 'redis-1') {
  return changed(({ stack }) => {
    stack.nodes = ['redis-1', 'redis-2', 'redis-3'].map((id) => ({
      id,
      kind: 'redis',
      role: id === primary ? 'primary' : 'replica',
    }));
    stack.config = config;
  });
}

/**
 * @param {Record<string, unknown>} params of the first case
 * @returns {Result}
 */
function withParams(params) {
  return changed(({ benchmarks }) => Object.assign(benchmarks[0].cases[0].params, params));
}

/**
 * @param {string} version of the library that makes the load
 * @param {string} tool version
 */
function withClient(version, tool = '0.1.0') {
  const result = withParams({ client: 'ioredis' });
  for (const { params } of result.benchmarks[0].cases) params.client = 'ioredis';
  result.environment.clients.ioredis = version;
  result.tool.version = tool;
  return result;
}

/** @type {[(result: Result) => void, string][]} */
const MATTERS = [
  [({ stack }) => Object.assign(stack.server, { name: 'valkey' }), 'server'],
  [({ stack }) => Object.assign(stack.server, { version: '9.9.9' }), 'server'],
  [({ environment }) => Object.assign(environment, { cpuModel: 'another' }), 'CPU model'],
  [({ environment }) => Object.assign(environment, { cores: 64 }), 'cores'],
  [({ environment }) => Object.assign(environment, { usableCpus: 1 }), 'usable cores'],
  [({ environment }) => Object.assign(environment, { cpuQuota: 0.5 }), 'CPU quota'],
  [({ environment }) => Object.assign(environment, { memoryLimitBytes: 2 ** 28 }), 'memory limit'],
  [({ stack }) => Object.assign(stack, { backend: 'docker' }), 'backend'],
  [({ stack }) => Object.assign(stack, { path: 'published port' }), 'path to the nodes'],
  [({ environment }) => Object.assign(environment, { node: '99.0.0' }), 'Node.js'],
  [({ profile }) => Object.assign(profile, { seconds: 77 }), 'profile'],
  [({ profile }) => Object.assign(profile, { rounds: 77 }), 'profile'],
  [({ tool }) => Object.assign(tool, { version: '99.0.0' }), 'client native'],
  [({ benchmarks }) => Object.assign(benchmarks[0].cases[0].params, { rate: 500 }), 'rate of async-vs-wait/none'],
];

test('what matters is named, and nothing else', () => {
  for (const [change, expected] of MATTERS)
    assert.deepEqual(
      differences(resultOf(), changed(change)).map(({ what }) => what),
      [expected],
    );
});

test('the version of the library that makes the load matters, that of this tool does not', () => {
  assert.deepEqual(differences(withClient('5.0.0'), withClient('6.0.0')), [
    { what: 'client ioredis', a: '5.0.0', b: '6.0.0' },
  ]);
  assert.deepEqual(differences(withClient('5.0.0', '0.1.0'), withClient('5.0.0', '0.2.0')), []);
  const unknown = withClient('');
  delete unknown.environment.clients.ioredis;
  assert.deepEqual(differences(unknown, withClient('6.0.0')), [{ what: 'client ioredis', a: 'unknown', b: '6.0.0' }]);
});

test('the settings of a case are compared one by one', () => {
  const a = withParams({ settings: { appendonly: 'yes', appendfsync: 'always', save: '' } });
  const b = withParams({ settings: { appendfsync: 'no', appendonly: 'yes', save: '3600 1' } });
  assert.deepEqual(differences(a, b), [
    { what: 'appendfsync in settings of async-vs-wait/none', a: 'always', b: 'no' },
    { what: 'save in settings of async-vs-wait/none', a: '""', b: '3600 1' },
  ]);
  assert.deepEqual(differences(a, a), []);
});

test('a role that changed its setting is named, even if both roles agree now', () => {
  const a = withConfig({ 'redis-1': { hz: '10' }, 'redis-2': { hz: '50' }, 'redis-3': { hz: '50' } });
  const b = withConfig({ 'redis-1': { hz: '100' }, 'redis-2': { hz: '100' }, 'redis-3': { hz: '100' } });
  assert.deepEqual(differences(a, b), [
    { what: 'hz of the primary', a: '10', b: '100' },
    { what: 'hz of the replicas', a: '50', b: '100' },
  ]);
});

test('a setting that is unknown for a role of one run is left out', () => {
  const [complete, incomplete] = [{ hz: '10', 'io-threads': '4' }, { hz: '10' }];
  const [both, replicas, none] = [
    [complete, complete],
    [incomplete, complete],
    [incomplete, incomplete],
  ].map(([primary, replica]) => withConfig({ 'redis-1': primary, 'redis-2': replica }));
  for (const [a, b] of [
    [both, none],
    [both, replicas],
    [replicas, both],
    [none, both],
  ])
    assert.deepEqual(differences(a, b), []);
});

test('the CPU of other programs: unknown without rounds, without counters and for nodes elsewhere', () => {
  // Of 2 cores at 60%, the load thread takes 0.45, the nodes 0.62.
  assert.equal(otherProgramsCpu(resultOf())?.toFixed(2), '0.13');
  const rounds = (/** @type {Result} */ { benchmarks }) => benchmarks[0].cases.flatMap((one) => one.rounds);
  /** @type {Record<string, (result: Result) => void>} */
  const unknown = {
    'no round': ({ benchmarks }) => {
      benchmarks[0].cases = [];
    },
    'no counter of the load': (result) => {
      for (const { load } of rounds(result)) load.cpu = null;
    },
    'no counter of a node': (result) => {
      for (const { nodes } of rounds(result)) nodes[1].cpu = null;
    },
    'nodes elsewhere': ({ stack }) => {
      stack.backend = 'external';
    },
  };
  for (const [why, change] of Object.entries(unknown)) assert.equal(otherProgramsCpu(changed(change)), null, why);
});
