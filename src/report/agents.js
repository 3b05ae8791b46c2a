/**
 * The machines of a run with agents: which of them sent the load, ran writers, had nodes and injected faults, and how much each did.
 * @import { TrialResult } from '../result/failure-schema.js' @import { BenchmarkResult, Result, RoundResult } from '../result/schema.js'
 * @import { Column } from '../table.js' @import { TableBlock } from './blocks.js'
 * @typedef {NonNullable<RoundResult['agents']>[number]} RoundPart of a round
 */

import { bytes, count, duration, percent, plural } from '../format.js';
import { writerTitle } from '../registry/writers.js';
import { median, sum } from '../stats/statistics.js';
import { left, right } from '../table.js';
import { NS_A_MS } from '../units.js';
import { table } from './blocks.js';

/** @param {Pick<Result, 'agents' | 'benchmarks'>} result @returns {string[]} for the line about the environment; empty: this machine sent the load */
export function agentsText({ agents = [], benchmarks }) {
  const working = agents.filter(({ roles = ['load'] }) => roles.includes('load') || roles.includes('writers'));
  if (working.length === 0) return [];
  const [parts, trialParts] = [benchmarks.flatMap(partsOf), benchmarks.flatMap(trialPartsOf)];
  const clocks = [...parts, ...trialParts].map(({ clock }) => clock);
  const bound = clocks.length === 0 ? '' : `, clocks known within ${msOf(Math.max, clocks, ({ boundMs }) => boundMs)}`;
  const work = parts.length === 0 && trialParts.length > 0 ? 'writers on' : 'load from';
  const machines = working.map(({ name, cores }) => `${name}: ${plural(cores, 'core')}`).join(', ');
  return [`${work} ${plural(working.length, 'agent')} (${machines})${bound}`];
}

/**
 * @param {Pick<Result, 'agents' | 'benchmarks'>} result
 * @returns {{agents: {sent: boolean, wrote: boolean} | null, tables: Record<string, TableBlock>}} for the end of details.md: which
 *   tables have rows; null: this machine sent the load
 */
export function agentData({ agents = [], benchmarks }) {
  if (agents.length === 0) return { agents: null, tables: {} };
  /** @template {{name: string}} Part @param {(benchmark: BenchmarkResult) => Part[]} of */
  const sharesOf = (of) =>
    benchmarks.flatMap((benchmark) =>
      agents.flatMap(({ name: agent }) => {
        const parts = of(benchmark).filter(({ name }) => name === agent);
        return parts.length === 0 ? [] : { benchmark, agent, parts };
      }),
    );
  const [shares, writers] = [sharesOf(partsOf), sharesOf(trialPartsOf)];
  const machines = agents.map((agent) => {
    const own = [...shares, ...writers].filter((share) => share.agent === agent.name);
    const parts = shares.filter((share) => own.includes(share)).flatMap((share) => share.parts);
    return { ...agent, parts, clocks: own.flatMap((share) => share.parts.map(({ clock }) => clock)) };
  });
  return {
    agents: { sent: shares.length > 0, wrote: writers.length > 0 },
    tables: {
      machines: table(MACHINES, machines),
      shares: table(SHARES, shares),
      writers: table(WRITER_SHARES, writers),
    },
  };
}

/** @param {BenchmarkResult} benchmark */
function partsOf({ cases }) {
  return cases.flatMap(({ rounds }) => rounds.flatMap((round) => round.agents ?? []));
}

/** @param {BenchmarkResult} benchmark */
function trialPartsOf({ timeline = [] }) {
  return timeline.flatMap(({ agents = [] }) => agents);
}

/** @type {readonly Column<NonNullable<Result['agents']>[number] & {parts: RoundPart[], clocks: RoundPart['clock'][]}>[]} */
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
  right('error bound', ({ clocks }) => msOf(Math.max, clocks, ({ boundMs }) => boundMs)),
  right('started late by, at most', ({ parts }) => msOf(Math.max, parts, ({ startSkewMs: ms }) => Math.max(0, ms))),
];

/** @typedef {Pick<RoundPart, 'load' | 'machineCpu'>[]} Parts @type {(title: string) => Column<{parts: Parts}>[]} */
const cpuColumns = (title) => [
  right(title, ({ parts }) => {
    const all = parts.flatMap(({ load }) => load.cpu ?? []);
    return all.length === 0 ? 'unknown' : percent(median(all));
  }),
  right('machine CPU', ({ parts }) => percent(median(parts.map(({ machineCpu }) => machineCpu)))),
];

/** @type {readonly Column<{benchmark: BenchmarkResult, agent: string, parts: RoundPart[]}>[]} */
const SHARES = [
  left('benchmark', ({ benchmark }) => benchmark.name),
  left('agent', ({ agent }) => agent),
  right('rounds', ({ parts }) => count(parts.length)),
  right('operations', ({ parts }) => count(operationsOf(parts))),
  right('share', ({ parts, benchmark }) => {
    const all = operationsOf(partsOf(benchmark));
    return all === 0 ? '–' : percent(operationsOf(parts) / all);
  }),
  ...cpuColumns('load thread CPU'),
  left('limited', ({ parts }) => limitsOf(parts)),
];

/** @type {readonly Column<{benchmark: BenchmarkResult, agent: string, parts: NonNullable<TrialResult['agents']>}>[]} */
const WRITER_SHARES = [
  left('benchmark', ({ benchmark }) => benchmark.name),
  left('agent', ({ agent }) => agent),
  left('writers', ({ parts }) => [...new Set(parts.flatMap(({ writers }) => writers))].map(writerTitle).join(', ')),
  right('trials', ({ parts }) => count(parts.length)),
  right('stopped', ({ parts }) => msOf(Math.max, parts, ({ lateMs }) => lateMs)),
  ...cpuColumns('thread CPU'),
];

/** @param {readonly RoundPart[]} parts */
function operationsOf(parts) {
  return sum(parts.map(({ operations }) => operations));
}

/** @param {readonly RoundPart[]} parts */
function limitsOf(parts) {
  const lines = ['client', 'machine'].flatMap((name) => {
    const times = parts.filter(({ limitedBy }) => limitedBy === name).length;
    return times === 0 ? [] : `${name} ${times}`;
  });
  return lines.join(', ') || 'never';
}

/** @template Item @param {(...values: number[]) => number} fold @param {readonly Item[]} items @param {(item: Item) => number} ms */
function msOf(fold, items, ms) {
  return items.length === 0 ? '–' : duration(fold(...items.map(ms)) * NS_A_MS);
}
