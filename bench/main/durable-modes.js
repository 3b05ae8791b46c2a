/**
 * The benchmark `durable-modes`: what the modes that the failure pages recommend cost with one connection and many, here and at a distance.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Finding, Result } from '../../src/result/schema.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { Benchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 */
import { rightAligned, table, text } from '../../src/report/blocks.js';
import { everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { finding, headlineCost, roundsText } from '../../src/report/findings.js';
import { count, duration, rate } from '../../src/report/format.js';
import { findCase, makeCase } from '../../src/run/case.js';
import { whyNoLatency } from '../../src/stacks/links.js';
import { isSustained } from '../../src/stats/summary.js';
import { MODES, modesFor, modeTitle, SAFEST_MODES } from '../modes.js';
import { isComparable, OFFERED, p99Cell } from './response-time.js';

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
    OFFERED,
    ...column.MEASURED,
  ],
  brief: (result) => [durableTable(result), text(NOTE)],
  findings: (result) => LATENCIES_MS.flatMap((ms) => costFinding(result, ms)),
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(isComparable) })],
};

const NOTE =
  'Cost of throughput against async at the same distance; p99 of response times, with its interval. 0 ms: through the relay, which takes time itself, so without it costs are smaller. A cost of one connection is its speed, and not the capacity of the server: with 50 connections many writes share a sync and a round trip.';

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
    ...[BASELINE.mode, ...modes].map((mode) => {
      const one = caseAt(benchmark, { load: AT_RATE, ms, mode });
      return one ? p99Cell(one) : 'not measured';
    }),
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
  const apart = costsApart({ benchmarks: [benchmark] }, ms);
  if (!apart) return [];
  const { one, deep, many } = apart.safest;
  const where = ms === 0 ? 'behind a relay' : `nodes ${ms} ms apart`;
  const rounds = Math.min(...cases.map((each) => each.rounds.length));
  return [
    finding(
      `cost-${ms}ms`,
      `${titleOf(benchmark, mode)}, ${where}, costs one connection ${one.cost}, ${deep.cost} at depth 100; 50 connections ${many.cost} (${roundsText(rounds)})`,
      cases.flatMap(({ id, summary }) => [
        ...(summary.relativeToBaseline ? [summary.relativeToBaseline.baseline] : []),
        id,
      ]),
    ),
  ];
}

/**
 * @typedef {Object} LoadCost as pages print it
 * @property {string} cost of throughput
 * @property {string} rates acknowledged writes a second, of those of async
 *
 * @typedef {Object} Apart what modes cost at a distance, as pages print it
 * @property {Record<'one' | 'deep' | 'many', LoadCost>} safest one connection, one that sends 100 writes at once, and 50 connections together
 * @property {Record<string, {cost?: string, p99: string}>} modes of one connection, and at the fixed rate, by the title of the mode
 */

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @param {number} ms added to a round trip between nodes
 * @returns {Apart | null} null: not measured
 */
export function costsApart({ benchmarks }, ms) {
  const benchmark = benchmarks.find(({ name }) => name === 'durable-modes');
  if (!benchmark) return null;
  const at = (/** @type {Partial<CaseParams>} */ load, /** @type {string} */ mode) =>
    caseAt(benchmark, { load, ms, mode });
  const [safest] = SAFEST_MODES;
  const costs = LOADS.flatMap((load) => {
    const cost = costText(at(load, safest));
    const rates = [safest, BASELINE.mode].map((mode) => rate(at(load, mode)?.summary.throughput.median ?? 0));
    return cost === null ? [] : [{ cost, rates: rates.join(' of ') }];
  });
  if (costs.length < LOADS.length) return null;
  const [one, deep, many] = costs;
  const modes = [BASELINE.mode, ...modesIn(benchmark)].map((mode) => {
    const cost = costText(at(LOADS[0], mode));
    const paced = at(AT_RATE, mode);
    const p99 =
      paced && isSustained(paced.rounds) ? duration(paced.summary.p99Ns?.median ?? Number.NaN) : 'not sustained';
    return [titleOf(benchmark, mode), { ...(cost !== null && { cost }), p99 }];
  });
  return { safest: { one, deep, many }, modes: Object.fromEntries(modes) };
}

/**
 * @param {Apart['safest']} safest
 * @returns {string} the end of a sentence about that mode
 */
export function safestText({ one, deep, many }) {
  return `costs one connection ${one.cost} of throughput at pipeline depth 1 (${one.rates}) and ${deep.cost} at depth 100, and 50 connections together ${many.cost} (${many.rates})`;
}
