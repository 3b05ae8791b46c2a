/**
 * The machines of a run with agents: which of them sent the load, ran writers, had nodes and injected faults, how much each did, and how well its clock
 * was known.
 */

import { bytes, count, duration, percent, plural } from '../format.js';
import { writerTitle } from '../registry/writers.js';
import { median, sum } from '../stats/statistics.js';
import { left, right } from '../table.js';
import { NS_A_MS } from '../units.js';
import { table } from './blocks.js';

/**
 * @import { TrialResult } from '../result/failure-schema.js'
 * @import { Result, RoundResult } from '../result/schema.js'
 * @import { Column } from '../table.js'
 * @import { TableBlock } from './blocks.js'
 *
 * @typedef {NonNullable<RoundResult['agents']>[number]} RoundPart of a round
 * @typedef {NonNullable<Result['agents']>[number] & {parts: RoundPart[], clocks: RoundPart['clock'][]}} WorkingMachine with what it did in all rounds, and its
 *   clock in all rounds and trials
 * @typedef {{benchmark: string, agent: string, parts: RoundPart[], all: number}} Share all: operations of all agents in the benchmark
 * @typedef {{benchmark: string, agent: string, parts: NonNullable<TrialResult['agents']>[number][]}} WriterShare
 */

/**
 * @param {Pick<Result, 'agents' | 'benchmarks'>} result
 * @returns {string[]} for the line about the environment; empty: this machine sent the load
 */
export function agentsText({ agents = [], benchmarks }) {
  const working = agents.filter(isWorking);
  if (working.length === 0) return [];
  const clocks = [...partsOf(benchmarks), ...trialPartsOf(benchmarks)].map(({ clock }) => clock);
  const bound = clocks.length === 0 ? '' : `, clocks known within ${msOf(Math.max, clocks, boundOf)}`;
  const work = partsOf(benchmarks).length === 0 && trialPartsOf(benchmarks).length > 0 ? 'writers on' : 'load from';
  return [
    `${work} ${plural(working.length, 'agent')} (${working.map(({ name, cores }) => `${name}: ${plural(cores, 'core')}`).join(', ')})${bound}`,
  ];
}

/**
 * @param {Pick<Result, 'agents' | 'benchmarks'>} result
 * @returns {{agents: {sent: boolean, wrote: boolean} | null, tables: Record<string, TableBlock>}} for the end of details.md: which
 *   tables have rows; null: this machine sent the load
 */
export function agentData({ agents = [], benchmarks }) {
  if (agents.length === 0) return { agents: null, tables: {} };
  const isOf = (/** @type {string} */ agent) => (/** @type {{name: string}} */ part) => part.name === agent;
  const machines = agents.map((agent) => {
    const parts = partsOf(benchmarks).filter(isOf(agent.name));
    const trialParts = trialPartsOf(benchmarks).filter(isOf(agent.name));
    return { ...agent, parts, clocks: [...parts, ...trialParts].map(({ clock }) => clock) };
  });
  const each = benchmarks.flatMap((benchmark) => agents.map(({ name }) => ({ benchmark, agent: name })));
  const shares = each.map(({ benchmark, agent }) => {
    const all = partsOf([benchmark]);
    return { benchmark: benchmark.name, agent, parts: all.filter(isOf(agent)), all: operationsOf(all) };
  });
  const writers = each.map(({ benchmark, agent }) => ({
    benchmark: benchmark.name,
    agent,
    parts: trialPartsOf([benchmark]).filter(isOf(agent)),
  }));
  const worked = (/** @type {{parts: readonly unknown[]}} */ { parts }) => parts.length > 0;
  return {
    agents: { sent: shares.some(worked), wrote: writers.some(worked) },
    tables: {
      machines: table(MACHINES, machines),
      shares: table(SHARES, shares.filter(worked)),
      writers: table(WRITER_SHARES, writers.filter(worked)),
    },
  };
}

/** @param {NonNullable<Result['agents']>[number]} agent */
function isWorking({ roles = ['load'] }) {
  return roles.some((role) => role === 'load' || role === 'writers');
}

/** @param {Pick<Result, 'benchmarks'>['benchmarks']} benchmarks */
function partsOf(benchmarks) {
  return benchmarks.flatMap(({ cases }) =>
    cases.flatMap(({ rounds }) => rounds.flatMap((round) => round.agents ?? [])),
  );
}

/** @param {Pick<Result, 'benchmarks'>['benchmarks']} benchmarks */
function trialPartsOf(benchmarks) {
  return benchmarks.flatMap(({ timeline = [] }) => timeline.flatMap(({ agents = [] }) => agents));
}

/** @type {readonly Column<WorkingMachine>[]} */
const MACHINES = [
  left('agent', ({ name }) => name),
  left('does', ({ roles = ['load'] }) => roles.join(', ')),
  left('nodes', ({ nodes = [] }) => nodes.join(', ') || '–'),
  right('cores', ({ cores }) => String(cores)),
  right('memory', ({ memoryBytes }) => bytes(memoryBytes)),
  left('system', ({ os, node }) => `${os}, Node.js ${node}`),
  right('least round trip', ({ clocks }) => msOf(Math.min, clocks, ({ roundTripMs }) => roundTripMs)),
  right('clock off by', ({ clocks }) =>
    clocks.length === 0 ? '–' : `${Math.round(median(clocks.map(({ offsetMs }) => offsetMs)))} ms`,
  ),
  right('error bound', ({ clocks }) => msOf(Math.max, clocks, boundOf)),
  right('started late by, at most', ({ parts }) =>
    msOf(Math.max, parts, ({ startSkewMs }) => Math.max(0, startSkewMs)),
  ),
];

/** @type {readonly Column<Share>[]} */
const SHARES = [
  left('benchmark', ({ benchmark }) => benchmark),
  left('agent', ({ agent }) => agent),
  right('rounds', ({ parts }) => count(parts.length)),
  right('operations', ({ parts }) => count(operationsOf(parts))),
  right('share', ({ parts, all }) => (all === 0 ? '–' : percent(operationsOf(parts) / all))),
  right('load thread CPU', ({ parts }) => cpuOf(parts)),
  right('machine CPU', ({ parts }) => percent(median(parts.map(({ machineCpu }) => machineCpu)))),
  left('limited', ({ parts }) => limitsOf(parts)),
];

/** @type {readonly Column<WriterShare>[]} */
const WRITER_SHARES = [
  left('benchmark', ({ benchmark }) => benchmark),
  left('agent', ({ agent }) => agent),
  left('writers', ({ parts }) => [...new Set(parts.flatMap(({ writers }) => writers))].map(writerTitle).join(', ')),
  right('trials', ({ parts }) => count(parts.length)),
  right('stopped', ({ parts }) => msOf(Math.max, parts, ({ lateMs }) => lateMs)),
  right('thread CPU', ({ parts }) => cpuOf(parts)),
  right('machine CPU', ({ parts }) => percent(median(parts.map(({ machineCpu }) => machineCpu)))),
];

/** @param {readonly RoundPart[]} parts */
function operationsOf(parts) {
  return sum(parts.map(({ operations }) => operations));
}

/** @param {readonly Pick<RoundPart, 'load'>[]} parts */
function cpuOf(parts) {
  const all = parts.flatMap(({ load }) => load.cpu ?? []);
  return all.length === 0 ? 'unknown' : percent(median(all));
}

/** @param {readonly RoundPart[]} parts */
function limitsOf(parts) {
  const names = /** @type {const} */ (['client', 'machine']);
  const lines = names.flatMap((name) => {
    const times = parts.filter(({ limitedBy }) => limitedBy === name).length;
    return times === 0 ? [] : `${name} ${times}`;
  });
  return lines.join(', ') || 'never';
}

/**
 * @template Item
 * @param {(...values: number[]) => number} fold
 * @param {readonly Item[]} items without any: not measured
 * @param {(item: Item) => number} ms
 */
function msOf(fold, items, ms) {
  return items.length === 0 ? '–' : duration(fold(...items.map(ms)) * NS_A_MS);
}

/** @param {RoundPart['clock']} clock */
function boundOf({ boundMs }) {
  return boundMs;
}
