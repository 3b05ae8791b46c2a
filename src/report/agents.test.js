import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf } from '../table.js';
import { agentBlocks, agentsText } from './agents.js';
import { resultOf } from './fixture.js';
import { clockBoundMs, longestSplitBrain } from './trials/figures.js';
import { trialOf } from './trials/fixture.js';

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

test('pages say which agent ran which writers, and how well their clocks were known', () => {
  const result = resultWithAgents();
  for (const { rounds } of result.benchmarks[0].cases) for (const round of rounds) delete round.agents;
  const agent = (/** @type {string} */ name, /** @type {number} */ boundMs) => ({
    name,
    writers: [`sticky@${name}`],
    clock: { offsetMs: 3, boundMs, roundTripMs: 1 },
    lateMs: 7,
    load: { cpu: 0.5, eventLoopUtilization: 0.5 },
    machineCpu: 0.25,
  });
  const trial = trialOf('async', { agents: [agent('a', 2), agent('b', 5), agent('c', 4)] });
  result.benchmarks[0].timeline = [trial];
  assert.match(agentsText(result)[0], /^writers on 3 agents .*clocks known within 5\.00 ms$/);
  const tables = agentBlocks(result).flatMap((block) => (block.kind === 'table' ? [cellsOf(block)] : []));
  assert.equal(tables.length, 2);
  assert.deepEqual(tables[0][1].slice(4, 7), ['1.00 ms', '3 ms', '5.00 ms']);
  assert.deepEqual(tables[1][1].slice(1), ['b', 'sticky (b)', '1', '7.00 ms', '50%', '25%']);
  assert.equal(clockBoundMs(trial), 9);
  const split = (/** @type {number} */ splitBrainMs) =>
    longestSplitBrain([{ ...trial, windows: { ...trial.windows, splitBrainMs } }]);
  assert.deepEqual([split(8.9), split(9.1)], [0, 9.1], 'a split brain within the bounds counts as none');
  assert.equal(longestSplitBrain([{ ...trialOf('async'), windows: { ...trial.windows, splitBrainMs: 1 } }]), 1);
});

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

test('pages name each agent, its share of the load, and the largest bound of the clocks', () => {
  const result = resultWithAgents();
  const [line] = agentsText(result);
  assert.equal(line, 'load from 3 agents (a: 4 cores, b: 4 cores, c: 4 cores), clocks known within 900 µs');
  const [machines, shares] = agentBlocks(result).flatMap((block) => (block.kind === 'table' ? [cellsOf(block)] : []));
  assert.deepEqual(
    machines.map(([name]) => name),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(machines[0].slice(4), ['500 µs', '-200 ms', '400 µs', '2.00 ms']);
  assert.deepEqual(machines[2].slice(4), ['–', '–', '–', '–'], 'c took part in no round');
  const rounds = result.benchmarks[0].cases.flatMap((one) => one.rounds).length;
  assert.deepEqual(
    shares.map(([, name, times, operations]) => [name, times, operations]),
    [
      ['a', String(rounds), (300 * rounds).toLocaleString('en-US')],
      ['b', '1', '100'],
    ],
  );
  assert.equal(shares[0].at(-1), `client ${rounds}`);
  assert.equal(shares[1].at(-1), 'never');
});
