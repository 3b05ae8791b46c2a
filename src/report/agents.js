/**
 * The machines that sent the load, when agents did: where each agent ran, how much it did, and how well its clock was known.
 */
import { median, sum } from '../stats/statistics.js';
import { NS_A_MS } from '../units.js';
import { heading, table, text } from './blocks.js';
import { left, right } from './columns.js';
import { bytes, count, duration, percent, plural } from './format.js';

/**
 * @import { Result, RoundResult } from '../result/schema.js'
 * @import { Block } from './blocks.js'
 *
 * @typedef {NonNullable<RoundResult['agents']>[number]} Part of a round
 * @typedef {NonNullable<Result['agents']>[number] & {parts: Part[]}} Machine with what it did in all rounds
 * @typedef {{benchmark: string, agent: string, parts: Part[], all: number}} Share all: operations of all agents in the benchmark
 */

/**
 * @param {Pick<Result, 'agents' | 'benchmarks'>} result
 * @returns {string[]} for the line about the environment; empty: this machine sent the load
 */
export function agentsText({ agents = [], benchmarks }) {
  if (agents.length === 0) return [];
  const parts = partsOf(benchmarks);
  const bound = parts.length === 0 ? '' : `, clocks known within ${milliseconds(largestBound(parts))}`;
  return [
    `load from ${plural(agents.length, 'agent')} (${agents.map(({ name, cores }) => `${name}: ${plural(cores, 'core')}`).join(', ')})${bound}`,
  ];
}

/**
 * @param {Pick<Result, 'agents' | 'benchmarks'>} result
 * @returns {Block[]} empty: this machine sent the load
 */
export function agentBlocks({ agents = [], benchmarks }) {
  if (agents.length === 0) return [];
  const machines = agents.map((agent) => ({
    ...agent,
    parts: partsOf(benchmarks).filter(({ name }) => name === agent.name),
  }));
  const shares = benchmarks.flatMap((benchmark) => {
    const parts = partsOf([benchmark]);
    const all = sum(parts.map(({ operations }) => operations));
    return agents
      .map(({ name }) => ({
        benchmark: benchmark.name,
        agent: name,
        parts: parts.filter((part) => part.name === name),
        all,
      }))
      .filter((share) => share.parts.length > 0);
  });
  return [
    heading(2, 'Agents'),
    text(
      'These machines sent the load. Their histograms are added, so percentiles are those of all operations together. Each clock was ' +
        'read 50 times before and after a round; the error bound is half of the least round trip, and the drift during the round.',
    ),
    table(MACHINES, machines),
    text(
      'Load by agent. An agent takes part in a round if there is a connection for it. “Limited” counts the rounds that its load thread ' +
        '(client) or its cores (machine) limited.',
    ),
    table(SHARES, shares),
  ];
}

/** @param {Pick<Result, 'benchmarks'>['benchmarks']} benchmarks */
function partsOf(benchmarks) {
  return benchmarks.flatMap(({ cases }) =>
    cases.flatMap(({ rounds }) => rounds.flatMap((round) => round.agents ?? [])),
  );
}

const MACHINES = [
  left('agent', (/** @type {Machine} */ { name }) => name),
  right('cores', (/** @type {Machine} */ { cores }) => String(cores)),
  right('memory', (/** @type {Machine} */ { memoryBytes }) => bytes(memoryBytes)),
  left('system', (/** @type {Machine} */ { os, node }) => `${os}, Node.js ${node}`),
  right('least round trip', (/** @type {Machine} */ { parts }) =>
    ifMeasured(parts, () => milliseconds(Math.min(...parts.map(({ clock }) => clock.roundTripMs)))),
  ),
  right('clock off by', (/** @type {Machine} */ { parts }) =>
    ifMeasured(parts, () => `${Math.round(median(parts.map(({ clock }) => clock.offsetMs)))} ms`),
  ),
  right('error bound', (/** @type {Machine} */ { parts }) =>
    ifMeasured(parts, () => milliseconds(largestBound(parts))),
  ),
  right('started late by, at most', (/** @type {Machine} */ { parts }) =>
    ifMeasured(parts, () => milliseconds(Math.max(0, ...parts.map(({ startSkewMs }) => startSkewMs)))),
  ),
];

const SHARES = [
  left('benchmark', (/** @type {Share} */ { benchmark }) => benchmark),
  left('agent', (/** @type {Share} */ { agent }) => agent),
  right('rounds', (/** @type {Share} */ { parts }) => count(parts.length)),
  right('operations', (/** @type {Share} */ { parts }) => count(operationsOf(parts))),
  right('share', (/** @type {Share} */ { parts, all }) => (all === 0 ? '–' : percent(operationsOf(parts) / all))),
  right('load thread CPU', (/** @type {Share} */ { parts }) => cpuOf(parts)),
  right('machine CPU', (/** @type {Share} */ { parts }) => percent(median(parts.map(({ machineCpu }) => machineCpu)))),
  left('limited', (/** @type {Share} */ { parts }) => limitsOf(parts)),
];

/** @param {readonly Part[]} parts */
function operationsOf(parts) {
  return sum(parts.map(({ operations }) => operations));
}

/** @param {readonly Part[]} parts */
function cpuOf(parts) {
  const all = parts.flatMap(({ load }) => load.cpu ?? []);
  return all.length === 0 ? 'unknown' : percent(median(all));
}

/** @param {readonly Part[]} parts */
function limitsOf(parts) {
  const names = /** @type {const} */ (['client', 'machine']);
  const lines = names.flatMap((name) => {
    const times = parts.filter(({ limitedBy }) => limitedBy === name).length;
    return times === 0 ? [] : `${name} ${times}`;
  });
  return lines.join(', ') || 'never';
}

/** @param {readonly Part[]} parts at least one */
function largestBound(parts) {
  return Math.max(...parts.map(({ clock }) => clock.boundMs));
}

/** @param {readonly Part[]} parts @param {() => string} show */
function ifMeasured(parts, show) {
  return parts.length === 0 ? '–' : show();
}

/** @param {number} ms */
function milliseconds(ms) {
  return duration(ms * NS_A_MS);
}
