/**
 * The cost of WAIT by client, pipeline depth and wait mode (pipelined or sequential): findings, and the table and chart of the front page.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Finding, IntervalValue, Result } from '../../src/result/schema.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { TableBlock } from '../../src/report/blocks.js'
 * @import { Pace, Precision, Profile } from '../../src/run/types.js'
 */
import { clientNames, clientTitle } from '../../src/registry/clients.js';
import { rightAligned, table } from '../../src/report/blocks.js';
import { dotChart } from '../../src/report/charts/dots.js';
import { modeStyle } from '../../src/report/charts/styles.js';
import { costOf } from '../../src/report/columns.js';
import { costsText, finding, headlineShare, roundsText } from '../../src/report/findings.js';
import { rate } from '../../src/report/format.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { findCase } from '../../src/run/case.js';
import { costAtDistance } from './distance.js';

export const WAITS = /** @type {const} */ ([1, 2]);
export const WAIT_MODES = /** @type {const} */ (['pipelined', 'sequential']);
/** In sentences, where nothing explains the words of a column. */
const SENT = Object.freeze({ pipelined: 'sent with its write', sequential: 'sent after its answer' });
/** Every client is measured at this depth, and at a depth of 1. */
export const DEEP = 100;
/** A loopback cost says little about a deployment. The table shows the cost with this round trip between nodes beside it. */
export const APART_MS = 1;
const SMALL = 64;

/** Rounds of headline cases are short and many. All cases get the first rounds, as a pilot. */
const HEADLINE_PACE = { rounds: 8, warmUpSeconds: 0.015 };
const LEAST_ROUNDS = 20;
const MOST_ROUNDS = 400;
/** Seconds for all rounds of a benchmark in the larger profiles. */
const BUDGETS = { standard: 600, full: 3600 };

/**
 * @param {Profile} profile
 * @param {number} seconds of a quick round
 * @returns {Pace} of a benchmark with headline costs
 */
export function headlinePace(profile, seconds) {
  return profile.name === 'quick' ? { ...HEADLINE_PACE, seconds } : profile;
}

/**
 * Headline costs are those of 64 B values on one connection, at depth 1 and at depth 100.
 *
 * @param {Profile} profile
 * @param {number} seconds for all quick rounds of the benchmark
 * @returns {Precision} ± 10 points
 */
export function headlinePrecision({ name }, seconds) {
  return {
    headline: ({ params }) =>
      params.payloadBytes === SMALL && params.connections === 1 && [1, DEEP].includes(params.pipeline),
    halfWidth: 0.1,
    least: LEAST_ROUNDS,
    most: MOST_ROUNDS,
    seconds: name === 'quick' ? seconds : BUDGETS[name],
  };
}

/** The columns of the table, and the series of the chart. */
const COSTS = WAITS.flatMap((wait) =>
  WAIT_MODES.map((waitMode) => ({ wait, waitMode, title: `WAIT ${wait} ${waitMode}` })),
);

/**
 * @typedef {Pick<CaseParams, 'client' | 'pipeline'>} Place
 *
 * @param {BenchmarkResult} benchmark
 * @param {Place & Pick<CaseParams, 'wait' | 'waitMode'>} params of 64 B values on one connection
 * @returns {{result: CaseResult, share: IntervalValue} | null} null: not measured
 */
function waitCost(benchmark, params) {
  const result = findCase(benchmark, { payloadBytes: SMALL, connections: 1, ...params });
  const ratio = result?.summary.relativeToBaseline?.throughput;
  return result && ratio ? { result, share: costOf(ratio) } : null;
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} pipeline
 * @returns {Finding[]} through the first client that was measured; the table has the others
 */
export function waitFindings(benchmark, pipeline) {
  const client = clientNames.find((name) => benchmark.cases.some(({ params }) => params.client === name));
  return client ? WAITS.flatMap((wait) => waitFinding(benchmark, { wait, client, pipeline })) : [];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Place & Pick<CaseParams, 'wait'>} params
 * @returns {Finding[]} one with both wait modes; none when neither was measured
 */
function waitFinding(benchmark, { wait, client, pipeline }) {
  const costs = WAIT_MODES.flatMap((waitMode) => {
    const found = waitCost(benchmark, { client, pipeline, wait, waitMode });
    return found ? [{ name: SENT[waitMode], ...found }] : [];
  });
  if (costs.length === 0) return [];
  const rounds = Math.min(...costs.map(({ result }) => result.rounds.length));
  const baselines = costs.flatMap(({ result }) => result.summary.relativeToBaseline?.baseline ?? []);
  const where = `${clientTitle(client)}, pipeline depth ${pipeline}, ${roundsText(rounds)}`;
  const evidence = [...baselines, ...costs.map(({ result }) => result)];
  return [finding(`wait${wait}-depth${pipeline}`, costsText(`WAIT ${wait}`, costs, where), evidence)];
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @returns {{place: Place, title: string, benchmark: BenchmarkResult}[]} depth 1 is from `async-vs-wait`, depth 100 from `pipeline`
 */
function places({ benchmarks }) {
  return [
    { name: 'async-vs-wait', pipeline: 1 },
    { name: 'pipeline', pipeline: DEEP },
  ].flatMap(({ name, pipeline }) => {
    const benchmark = benchmarks.find((each) => each.name === name);
    if (!benchmark) return [];
    return clientNames
      .filter((client) =>
        benchmark.cases.some(({ params }) => params.client === client && params.pipeline === pipeline),
      )
      .map((client) => ({
        place: { client, pipeline },
        title: `${clientTitle(client)}, depth ${pipeline}`,
        benchmark,
      }));
  });
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @returns {TableBlock} a row for each client and pipeline depth
 */
export function waitTable(result) {
  const rows = places(result).flatMap(({ place, title, benchmark }) => {
    const apart = costAtDistance(result, place, APART_MS);
    const async = findCase(benchmark, { payloadBytes: SMALL, connections: 1, wait: 0, ...place });
    const here = [
      title,
      async ? rate(async.summary.throughput.median) : 'not measured',
      ...COSTS.map(({ wait, waitMode }) => {
        const cost = waitCost(benchmark, { ...place, wait, waitMode });
        return cost ? headlineShare(cost.share) : 'not measured';
      }),
    ];
    const [, ...others] = COSTS;
    return apart
      ? [here, [`${title}, ${APART_MS} ms apart`, apart.async, apart.cost, ...others.map(() => NOT_MEASURED)]]
      : [here];
  });
  return table(['client, pipeline depth', ...rightAligned(['async writes', ...COSTS.map(({ title }) => title)])], rows);
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @returns {Chart | null} the table as dots with their intervals; null: too little was measured
 */
export function waitChart(result) {
  const rows = places(result);
  const chart = dotChart({
    id: 'main.wait-cost',
    title: 'Share of throughput that WAIT costs',
    note: '',
    rowName: 'client',
    rows: rows.map(({ title }) => title),
    series: COSTS.map(({ wait, waitMode, title }) => ({
      name: title,
      style: modeStyle({
        wait,
        waitMode,
        client: 'native',
        waitTimeoutMs: 0,
        payloadBytes: SMALL,
        pipeline: 1,
        connections: 1,
      }),
      hollow: waitMode === 'sequential',
    })),
    value: (row, series) => {
      const found = rows.find(({ title }) => title === row);
      const cost = COSTS.find(({ title }) => title === series);
      return (
        (found &&
          cost &&
          waitCost(found.benchmark, { ...found.place, wait: cost.wait, waitMode: cost.waitMode })?.share) ??
        undefined
      );
    },
    axis: 'share of the throughput without WAIT',
    format: 'percent',
    min: -0.2,
  });
  return chart && { ...chart, alt: 'The table below has its figures.', note: undefined };
}
