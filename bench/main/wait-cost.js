/**
 * The cost of WAIT by client, pipeline depth and wait mode (pipelined or sequential).
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Finding, IntervalValue } from '../../src/result/schema.js'
 * @import { Pace, Precision, Profile } from '../../src/run/types.js'
 */
import { clientNames, clientTitle } from '../../src/registry/clients.js';
import { costOf } from '../../src/report/columns.js';
import { costsText, finding, roundsText } from '../../src/report/findings.js';
import { findCase } from '../../src/run/case.js';

export const WAITS = /** @type {const} */ ([1, 2]);
export const WAIT_MODES = /** @type {const} */ (['pipelined', 'sequential']);
/** In sentences, where nothing explains the words of a column. */
const SENT = Object.freeze({ pipelined: 'sent with its write', sequential: 'sent after its answer' });
/** Every client is measured at this depth, and at a depth of 1. */
export const DEEP = 100;
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
 * Headline costs are those of one connection, to depth 100.
 *
 * @param {Profile} profile
 * @param {number} seconds for all quick rounds of the benchmark
 * @returns {Precision} ± 10 points
 */
export function headlinePrecision({ name }, seconds) {
  return {
    headline: ({ params }) => params.connections === 1 && params.pipeline <= DEEP,
    halfWidth: 0.1,
    least: LEAST_ROUNDS,
    most: MOST_ROUNDS,
    seconds: name === 'quick' ? seconds : BUDGETS[name],
  };
}

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
