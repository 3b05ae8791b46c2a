/** @import { BenchmarkResult, CaseParams, CaseResult, Finding, Result } from '../../src/result/schema.js' */
import { rightAligned, table, text } from '../../src/report/blocks.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding, headlineShare, oneFinding, roundsText } from '../../src/report/findings.js';
import { duration, interval, plural, rate } from '../../src/report/format.js';
import { findCase, makeCase } from '../../src/run/case.js';
import { whyNoLatency } from '../../src/stacks/links.js';
import { median } from '../../src/stats/statistics.js';
import { NS_A_SECOND } from '../../src/units.js';

/** @import { Benchmark } from '../../src/run/types.js' */

/** Added to a round trip between nodes: none, the same rack, another zone, another region nearby. */
const LATENCIES_MS = [0, 0.5, 1, 5];
const WAIT = 1;
const DEEP = 100;

/** Those that the finding names: nodes beside each other, in another zone, and in another region. */
const NAMED_MS = [0, 1, 5];

const RELAY_TEXT =
  'The delay is that of a relay between the nodes. It costs time at 0 ms, too, so costs without a relay are smaller (every cost on this page that names no distance).';

/** @type {Benchmark} */
export default {
  name: 'distance',
  question: 'What does WAIT cost when the nodes are further apart?',
  method:
    'A relay (on Docker: Toxiproxy) delays everything between the nodes, so that a round trip takes longer by the time of the row. The client stays close to the ' +
    'primary. One connection writes one value at a time, each write with a pipelined WAIT. Larger profiles also write at pipeline depth 100. ' +
    'At 0 ms the relay is there as well, and everything runs on one machine.',
  needs: ['slow-all'],
  whyNotCase: ({ params: { linkLatencyMs = 0 } }, stack) => whyNoLatency(stack, linkLatencyMs),
  stacks: { links: true },
  kind: 'load',
  turns: true,
  pace: (profile) => (profile.name === 'quick' ? { rounds: 7, seconds: 0.09, warmUpSeconds: 0.015 } : profile),
  cases: ({ client, profile }) =>
    (profile.name === 'quick' ? [1] : [1, DEEP]).flatMap((pipeline) =>
      LATENCIES_MS.flatMap((linkLatencyMs) =>
        [0, WAIT].map((wait) => makeCase({ client, pipeline, wait, linkLatencyMs }, { wait: 0 })),
      ),
    ),
  table: [column.right('round trip longer by', addedTime), column.batch, column.wait, ...column.MEASURED],
  brief: (result, run) => [
    distanceTable(result),
    text([RELAY_TEXT, ...fasterText(result, run.environment.cores)].join(' ')),
  ],
  findings: (result) => costsByDistance(result),
  checks: (result) => [everyWriteAcked(result)],
};

/** @param {CaseResult} one */
function addedTime({ params }) {
  return `${params.linkLatencyMs ?? 0} ms`;
}

/**
 * @param {BenchmarkResult} result
 * @returns {{one: CaseResult, async: CaseResult | undefined}[]} the cases with WAIT, nearest first
 */
function rowsOf(result) {
  return result.cases
    .filter(({ params }) => params.wait === WAIT && params.pipeline === 1)
    .toSorted((a, b) => (a.params.linkLatencyMs ?? 0) - (b.params.linkLatencyMs ?? 0))
    .map((one) => ({ one, async: findCase(result, { ...one.params, wait: 0 }) }));
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} one with every distance; none if nothing was measured
 */
function costsByDistance(result) {
  const rows = rowsOf(result).filter(({ one }) => one.summary.relativeToBaseline);
  if (rows.length === 0) return [];
  const named = rows.filter(({ one }) => NAMED_MS.includes(one.params.linkLatencyMs ?? 0));
  const costs = (named.length > 0 ? named : rows).map(({ one }) => `${costCell(one)} at ${addedTime(one)}`);
  const rounds = Math.min(...rows.map(({ one }) => one.rounds.length));
  const text = oneFinding(
    `Cost of WAIT ${WAIT} through a relay, by what it adds to a round trip: `,
    costs.length > 0 ? costs : rows.map(({ one }) => `${costCell(one)} at ${addedTime(one)}`),
    {
      end: ` (${roundsText(rounds)})`,
    },
  );
  return [
    finding(
      'cost',
      text,
      rows.flatMap(({ one, async }) => (async ? [async, one] : [one])),
    ),
  ];
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @param {Pick<CaseParams, 'client' | 'pipeline'>} place
 * @param {number} ms added to a round trip between nodes
 * @returns {{async: string, cost: string} | null} writes a second without WAIT, and what pipelined WAIT 1 costs; null: not measured
 */
export function costAtDistance({ benchmarks }, place, ms) {
  const measured = benchmarks.find(({ name }) => name === 'distance');
  const [async, one] = [0, WAIT].map(
    (wait) => measured && findCase(measured, { ...place, wait, linkLatencyMs: ms, waitMode: 'pipelined' }),
  );
  return async && one ? { async: rate(async.summary.throughput.median), cost: costCell(one) } : null;
}

/** @param {CaseResult} one */
function costCell({ summary }) {
  const ratio = summary.relativeToBaseline?.throughput;
  return ratio ? headlineShare(column.costOf(ratio)) : 'not measured';
}

/**
 * @param {BenchmarkResult} result
 * @param {number} cores of the machine
 * @returns {string[]} why writes without WAIT were faster at the greatest distance; empty: they were not, or the CPU does not explain it
 */
function fasterText(result, cores) {
  const asyncs = rowsOf(result).flatMap(({ async }) => async ?? []);
  const [near, far] = [asyncs[0], asyncs[asyncs.length - 1]];
  if (!near || far === near || far.summary.throughput.median <= near.summary.throughput.median) return [];
  const [before, after] = [near, far].map(({ rounds }) =>
    median(rounds.map(({ machineCpu, throughput }) => ((machineCpu ?? Number.NaN) * cores * NS_A_SECOND) / throughput)),
  );
  if (!(after < before)) return [];
  return [
    `Async writes are faster at ${addedTime(far)} because everything shares ${plural(cores, 'core')}: the relay passes on more of them at once, and the whole machine spends ${duration(after)} of CPU on a write instead of ${duration(before)}. A network does not do that.`,
  ];
}

/** @param {BenchmarkResult} result */
function distanceTable(result) {
  const rows = rowsOf(result).map(({ one, async }) => [
    `${addedTime(one)}${one.params.linkLatencyMs === 0 ? ' (relay only)' : ''}`,
    async ? interval(async.summary.throughput, rate) : 'not measured',
    interval(one.summary.throughput, rate),
    costCell(one),
    interval(one.summary.p50Ns, duration),
  ]);
  const titles = [
    'async writes',
    `writes with WAIT ${WAIT}`,
    'cost at this distance',
    `WAIT ${WAIT}: service time p50`,
  ];
  return table(['network adds', ...rightAligned(titles)], rows);
}
