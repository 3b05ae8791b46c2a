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
