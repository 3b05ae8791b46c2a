import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf } from '../table.js';
import { agentBlocks, agentsText } from './agents.js';
import { resultOf } from './fixture.js';

/** @import { RoundResult } from '../result/schema.js' */

/** @param {string} name @param {number} operations @param {'nothing' | 'client'} limitedBy @returns {NonNullable<RoundResult['agents']>[number]} */
const part = (name, operations, limitedBy) => ({
  name,
  cores: 4,
  connections: 1,
  operations,
  seconds: 1,
  outcomes: { acked: operations, underAcked: 0, rejected: 0, unknown: 0 },
  latencyNs: { min: 1, p50: 1, p90: 1, p95: 1, p99: 1, p999: 1, max: 1, mean: 1 },
  histogram: '',
  load: { cpu: 0.5, eventLoopUtilization: 0.5 },
  machineCpu: 0.25,
  limitedBy,
  startSkewMs: 2,
  clock: { offsetMs: -200, boundMs: name === 'a' ? 0.4 : 0.9, roundTripMs: 0.5 },
});

function resultWithAgents() {
  const result = resultOf();
  const [benchmark] = result.benchmarks;
  result.benchmarks = [benchmark];
  for (const { rounds } of benchmark.cases) for (const round of rounds) round.agents = [part('a', 300, 'client')];
  benchmark.cases[0].rounds[0].agents?.push(part('b', 100, 'nothing'));
  result.agents = ['a', 'b', 'c'].map((name) => ({
    name,
    cores: 4,
    memoryBytes: 2 ** 30,
    os: 'Linux',
    node: '20',
    tool: '1',
  }));
  return result;
}

test('a map says who ran where; agents that only have nodes are no load', () => {
  const result = resultWithAgents();
  const [a, b, c] = result.agents ?? [];
  result.agents = [
    { ...a, roles: ['load', 'writers'] },
    { ...b, roles: ['load', 'writers', 'nodes', 'faults'], nodes: ['redis-1', 'sentinel-1'] },
    { ...c, roles: ['faults'], nodes: ['redis-2'] },
  ];
  assert.match(agentsText(result)[0], /^load from 2 agents \(a: 4 cores, b: 4 cores\)/);
  const map = agentBlocks(result).flatMap((block) => (block.kind === 'table' ? [cellsOf(block)] : []))[1];
  assert.deepEqual(map, [
    ['a', 'yes', 'yes', '–', '–'],
    ['b', 'yes', 'yes', 'redis-1, sentinel-1', 'redis-1, sentinel-1'],
    ['c', '–', '–', '–', 'redis-2'],
  ]);
});

test('a result without agents says nothing of them', () => {
  assert.deepEqual(agentsText(resultOf()), []);
  assert.deepEqual(agentBlocks(resultOf()), []);
});
