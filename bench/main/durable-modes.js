/**
 * The benchmark `durable-modes`: what the modes that the failure pages recommend cost with one connection and many, here and at a distance.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Finding, Result } from '../../src/result/schema.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { Benchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../failure/modes.js'
 */
import { rightAligned, table, text } from '../../src/report/blocks.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding, headlineCost, roundsText } from '../../src/report/findings.js';
import { count, duration, interval, rate } from '../../src/report/format.js';
import { findCase, makeCase } from '../../src/run/case.js';
import { whyNoLatency } from '../../src/stacks/links.js';
import { isSustained } from '../../src/stats/summary.js';
import { MODES, modesFor, modeTitle, SAFEST_MODES } from '../failure/modes.js';

/** Added to a round trip between nodes: none, and another zone. */
const LATENCIES_MS = /** @type {const} */ ([0, 1]);
/** @type {readonly ModeName[]} */
const COMPARED = ['wait1-min1-aof', 'wait2-aof', ...SAFEST_MODES];
/** One connection, one that sends many writes at once, and many connections. */
const LOADS = Object.freeze([
  { connections: 1, pipeline: 1 },
  { connections: 1, pipeline: 100 },
  { connections: 50, pipeline: 1 },
]);
/** The rate at which the sweep compares p99. */
const AT_RATE = Object.freeze({ connections: 10, pipeline: 1, rate: 1000 });
const BASELINE = { wait: 0, mode: 'async', settings: MODES.async.settings };

/** @type {Benchmark} */
export default {
  name: 'durable-modes',
  question: 'What do the modes that `failure` recommends cost, with one connection and many, and with the nodes apart?',
  method:
    'The settings of each mode are made on every node before each of its rounds, and put back afterwards. WAIT is sent with its write, or once for each pipeline. ' +
    'A relay (on Docker: Toxiproxy) delays everything between the nodes; the client stays close to the primary. At 0 ms the relay is there as well. Costs are of ' +
    'throughput in closed loop; p99 is response time at a fixed rate (Poisson), from the scheduled send.',
  profiles: ['standard', 'full'],
  needs: ['slow-all', 'configure'],
  whyNotCase: ({ params: { linkLatencyMs = 0 } }, stack) => whyNoLatency(stack, linkLatencyMs),
  stacks: { links: true },
  kind: 'load',
  cases: ({ client = 'native', server }) =>
    [...LOADS, AT_RATE].flatMap((load) =>
      LATENCIES_MS.flatMap((linkLatencyMs) => [
        makeCase({ client, ...load, linkLatencyMs, ...BASELINE }),
        ...modesFor(COMPARED, { server }).map(({ name, mode: { wait, settings } }) =>
          makeCase({ client, ...load, linkLatencyMs, wait, mode: name, settings }, BASELINE),
        ),
      ]),
    ),
  table: [
    { title: 'mode', align: 'left', cell: ({ params }) => modeTitle(params) },
    column.connections,
    column.batch,
    column.right('round trip longer by', ({ params }) => addedText(params.linkLatencyMs ?? 0)),
    column.right('offered', ({ params }) => (params.rate === undefined ? 'closed loop' : rate(params.rate))),
    ...column.MEASURED,
  ],
  brief: (result) => [durableTable(result), text(NOTE)],
  findings: (result) => [0, 1].flatMap((ms) => costFinding(result, ms)),
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(isComparable) })],
};

const NOTE =
  'Cost of throughput against async at the same distance; p99 of response times, with its interval. 0 ms: through the relay, which takes time itself, so without it costs are smaller. A cost of one connection is its speed, and not the capacity of the server: with 50 connections many writes share a sync and a round trip.';

/** @param {CaseResult} one of closed loop, or of a rate that it sustained */
function isComparable({ params, rounds }) {
  return params.rate === undefined || isSustained(rounds);
}

/** @param {number} ms */
const addedText = (ms) => (ms === 0 ? '0 ms (relay only)' : `${ms} ms`);

/** @param {Pick<CaseParams, 'connections' | 'pipeline' | 'rate'>} load */
function loadText({ connections, pipeline, rate: offered }) {
  const who = connections === 1 ? '1 connection' : `${count(connections)} connections`;
  return offered === undefined ? `${who}, depth ${pipeline}` : `p99 at ${rate(offered)}, ${who}`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {{load: Partial<CaseParams>, ms: number, mode: string}} wanted
 * @returns {CaseResult | undefined} with rounds
 */
function caseAt(benchmark, { load, ms, mode }) {
  const one = findCase(benchmark, { rate: undefined, ...load, linkLatencyMs: ms, mode });
  return one && one.rounds.length > 0 ? one : undefined;
}

/** @param {CaseResult | undefined} one @returns {string | null} null: it was not measured, or is the baseline */
function costText(one) {
  const ratio = one?.summary.relativeToBaseline?.throughput;
  return ratio ? headlineCost(column.costOf(ratio)) : null;
}

/** @param {CaseResult | undefined} one @returns {string} of a fixed rate */
function p99Text(one) {
  if (!one) return 'not measured';
  return isSustained(one.rounds) ? interval(one.summary.p99Ns, duration) : 'rate not sustained';
}

/** @param {BenchmarkResult} benchmark @returns {string[]} its modes, beside async */
function modesIn({ cases }) {
  return [...new Set(cases.flatMap(({ params: { mode } }) => (mode && mode !== BASELINE.mode ? mode : [])))];
}

/** @param {BenchmarkResult} benchmark @param {string} mode */
function titleOf({ cases }, mode) {
  const found = cases.find(({ params }) => params.mode === mode);
  return found ? modeTitle(found.params) : mode;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {TableBlock} a row for each load and distance, a column for each mode
 */
function durableTable(benchmark) {
  const modes = modesIn(benchmark);
  const rows = LOADS.flatMap((load) =>
    LATENCIES_MS.map((ms) => {
      const async = caseAt(benchmark, { load, ms, mode: BASELINE.mode });
      return [
        loadText(load),
        addedText(ms),
        async ? rate(async.summary.throughput.median) : 'not measured',
        ...modes.map((mode) => costText(caseAt(benchmark, { load, ms, mode })) ?? 'not measured'),
      ];
    }),
  );
  const p99s = LATENCIES_MS.map((ms) => [
    loadText(AT_RATE),
    addedText(ms),
    ...[BASELINE.mode, ...modes].map((mode) => p99Text(caseAt(benchmark, { load: AT_RATE, ms, mode }))),
  ]);
  return table(
    ['load', ...rightAligned(['network adds', 'async', ...modes.map((mode) => titleOf(benchmark, mode))])],
    [...rows, ...p99s],
  );
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} ms
 * @returns {Finding[]} what the safest mode costs at this distance; empty: not measured
 */
function costFinding(benchmark, ms) {
  const [mode] = SAFEST_MODES;
  const cases = LOADS.flatMap((load) => caseAt(benchmark, { load, ms, mode }) ?? []);
  const [one, deep, many] = LOADS.map((load) => costText(caseAt(benchmark, { load, ms, mode })));
  if (one === null || deep === null || many === null) return [];
  const where = ms === 0 ? 'behind a relay' : `nodes ${ms} ms apart`;
  const rounds = Math.min(...cases.map((each) => each.rounds.length));
  return [
    finding(
      `cost-${ms}ms`,
      `${titleOf(benchmark, mode)}, ${where}, costs one connection ${one}, ${deep} at depth 100; 50 connections ${many} (${roundsText(rounds)})`,
      cases.flatMap(({ id, summary }) => [
        ...(summary.relativeToBaseline ? [summary.relativeToBaseline.baseline] : []),
        id,
      ]),
    ),
  ];
}

/**
 * @typedef {Object} Safest what the safest mode costs and leaves at a distance, as pages print it
 * @property {string} one cost of throughput of one connection
 * @property {string} oneRate acknowledged writes a second, and those of async
 * @property {string} deep cost of one connection that sends 100 writes at once
 * @property {string} many cost of 50 connections together
 * @property {string} manyRate
 * @property {string} p99 at the fixed rate
 * @property {string} asyncP99
 */

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @param {number} ms added to a round trip between nodes
 * @returns {Safest | null} null: not measured
 */
export function safestAt({ benchmarks }, ms) {
  const benchmark = benchmarks.find(({ name }) => name === 'durable-modes');
  const [mode] = SAFEST_MODES;
  if (!benchmark) return null;
  const cases = LOADS.map((load) => caseAt(benchmark, { load, ms, mode }));
  const [one, deep, many] = cases.map(costText);
  const [oneRate, , manyRate] = cases.map((each, i) => {
    const async = caseAt(benchmark, { load: LOADS[i], ms, mode: BASELINE.mode });
    return [each, async].map((some) => (some ? rate(some.summary.throughput.median) : '')).join(' of ');
  });
  if (one === null || deep === null || many === null) return null;
  const [p99, asyncP99] = [mode, BASELINE.mode].map((name) => {
    const found = caseAt(benchmark, { load: AT_RATE, ms, mode: name });
    return found && isSustained(found.rounds) ? duration(found.summary.p99Ns?.median ?? null) : 'not sustained';
  });
  return { one, oneRate, deep, many, manyRate, p99, asyncP99 };
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} ms
 * @returns {Record<string, {cost?: string, p99: string}>} of one connection at pipeline depth 1, and of the fixed rate, by the title of the mode
 */
export function modesAt(benchmark, ms) {
  const [load] = LOADS;
  return Object.fromEntries(
    [BASELINE.mode, ...modesIn(benchmark)].map((mode) => {
      const cost = costText(caseAt(benchmark, { load, ms, mode }));
      const p99 = duration(caseAt(benchmark, { load: AT_RATE, ms, mode })?.summary.p99Ns?.median ?? Number.NaN);
      return [titleOf(benchmark, mode), { ...(cost !== null && { cost }), p99 }];
    }),
  );
}

/**
 * @param {Safest} safest
 * @returns {string} the end of a sentence about that mode, with its costs
 */
export function costsOfSafest({ one, oneRate, deep, many, manyRate }) {
  return `costs one connection ${one} of throughput at pipeline depth 1 (${oneRate}) and ${deep} at depth 100, and 50 connections together ${many} (${manyRate})`;
}
