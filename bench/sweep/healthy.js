/**
 * The healthy half of the configuration sweep: what every mode costs while all is well.
 *
 * @import { BenchmarkResult, CaseParams, CaseResult, Check, Finding } from '../../src/result/schema.js'
 * @import { LoadBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from '../modes.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 */

import { interval, percent } from '../../src/format.js';
import { costOf, intervalNote } from '../../src/report/charts/against.js';
import { dotChart } from '../../src/report/charts/dots.js';
import * as column from '../../src/report/columns.js';
import { finding, intervalName, isDecided, oneFinding } from '../../src/report/findings.js';
import { makeCase } from '../../src/run/case.js';
import { LoadParameters, SizeParameters } from '../../src/run/parameters.js';
import { caseTitle } from '../experiments/cases.js';
import { MODES, modeTitle, withNote } from '../modes.js';
import { sweepModes } from './failures.js';

const BATCHES = [1, 100];
/** The deciding table has the costs at this depth. `quick` spends the time for undecided costs on them. */
const DECIDING_DEPTH = 1;
const LEAST_ROUNDS = 12;
const MOST_ROUNDS = 80;
/** Seconds for all rounds; modes whose cost is undecided by then stay so. */
const HEALTHY_SECONDS = { quick: 120, standard: 1200, full: 7200 };
const BASELINE = 'async';
/** @type {readonly ModeName[]} */
const CHOSEN = ['wait1', 'wait2-aof'];
/** The most costs in a finding, if none of those was measured. */
const MOST_NAMED = 2;
const WAIT_MODES = /** @type {const} */ (['pipelined', 'sequential']);

/** @type {LoadBenchmark} */
export default {
  name: 'sweep-healthy',
  question:
    'What does each mode cost while all is well, with WAIT pipelined or sequential (sent after the answer to the write)?',
  method:
    'One connection writes 64 B values at pipeline depths 1 and 100; WAIT and WAITAOF follow each write, or each pipeline. Before ' +
    'each round the settings are made on every node with CONFIG SET, read back, and put back afterwards. AOF everysec syncs in the ' +
    'background once a second, so short rounds rarely hold a sync; the suite `persistence` measures longer ones.',
  needs: ['configure'],
  // People decide by these figures, so their intervals must be narrow.
  pace: (profile) =>
    profile.name === 'quick' ? { rounds: LEAST_ROUNDS, seconds: 0.12, warmUpSeconds: 0.03 } : profile,
  precision: ({ name }) => ({
    headline: ({ params: { waitMode, pipeline } }) =>
      waitMode === 'pipelined' && (name !== 'quick' || pipeline === DECIDING_DEPTH),
    halfWidth: 0.1,
    least: LEAST_ROUNDS,
    most: MOST_ROUNDS,
    seconds: HEALTHY_SECONDS[name],
  }),
  kind: 'load',
  parameters: LoadParameters.extend(SizeParameters.shape),
  cases: ({ client = 'native', ...options }) =>
    sweepModes(options).flatMap(({ name: mode, mode: { wait, waitLocal, settings } }) => {
      const asks = wait > 0 || waitLocal !== undefined;
      return BATCHES.flatMap((pipeline) =>
        WAIT_MODES.slice(0, asks ? WAIT_MODES.length : 1).map((waitMode) =>
          makeCase(
            { client, pipeline, mode, wait, waitLocal, waitMode, settings },
            {
              mode: BASELINE,
              wait: 0,
              waitLocal: undefined,
              waitMode: 'pipelined',
              settings: MODES[BASELINE].settings,
            },
          ),
        ),
      );
    }),
  table: [
    { title: 'mode', align: 'left', cell: ({ params }) => modeTitle(params) },
    column.waitMode,
    column.batch,
    ...column.MEASURED.slice(0, -1),
    column.notAcked,
    column.limitedBy,
  ],
  charts: (result) => [costs(result)],
  findings: costFindings,
  checks: (result) => [refusedOnlyByMinReplicas(result)],
};

/**
 * A healthy stack may refuse a write only when min-replicas-max-lag is 1, because replicas acknowledge once a second.
 *
 * @param {BenchmarkResult} result
 * @returns {Check}
 */
function refusedOnlyByMinReplicas({ cases }) {
  const wrong = cases.filter(({ params, rounds }) => {
    const tight = params.settings?.['min-replicas-max-lag'] === '1';
    return rounds.some(({ outcomes: { rejected, unknown }, errors }) => {
      const refused = errors.NOREPLICAS ?? 0;
      return unknown > 0 || (rejected > 0 && !(tight && refused === rejected));
    });
  });
  return {
    name: 'while all is well, only min-replicas-max-lag 1 refuses writes',
    ok: wrong.length === 0,
    detail: wrong.length === 0 ? `${cases.length} cases` : wrong.map(({ id }) => id).join(', '),
  };
}

/**
 * One finding for each pipeline depth: the modes with a measurable cost, most expensive first.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} empty: no case has a ratio to its baseline
 */
export function costFindings({ cases }) {
  const depths = [...new Set(cases.map(({ params }) => params.pipeline))];
  return depths.flatMap((depth) => costFinding(depth, cases));
}

/**
 * @param {number} depth
 * @param {readonly CaseResult[]} cases
 * @returns {Finding[]} empty, or one
 */
function costFinding(depth, cases) {
  const depthCases = cases.filter(({ params }) => params.pipeline === depth);
  const measured = depthCases.flatMap(({ id, params, rounds, summary }) => {
    const { throughput: ratio, baseline } = summary.relativeToBaseline ?? {};
    return ratio && rounds.length > 1
      ? {
          id,
          baseline: String(baseline),
          name: nameOf(params),
          cost: costOf(ratio),
          rounds: rounds.length,
          chosen: isChosen(params),
        }
      : [];
  });
  if (measured.length === 0) return [];
  const decided = measured.filter(({ cost }) => isDecided(cost));
  const changed = decided.filter(({ cost }) => cost.low > 0 || cost.high < 0);
  const unchanged = decided.length - changed.length;
  const undecided = measured.length - decided.length;
  const evidence = [...new Set(measured.flatMap(({ id, baseline }) => [baseline, id]))];
  const limited = depthCases.filter(
    ({ id, summary }) => evidence.includes(id) && summary.limitedBy === 'client',
  ).length;
  const named = changed.filter(({ chosen }) => chosen);
  const parts = (named.length > 0 ? named : changed.slice(0, MOST_NAMED))
    .toSorted((a, b) => b.cost.median - a.cost.median)
    .map(({ name, cost }) => `${name} ${interval(cost, percent)}`);
  const end = [
    ...(unchanged > 0 ? [`; no measurable cost: ${unchanged} of ${measured.length}`] : []),
    ...(undecided > 0 ? [`; undecided: ${undecided} of ${measured.length}`] : []),
    ...(limited > 0 ? [`; limited by the client: ${limited}`] : []),
    ` (${intervalName(measured[0].rounds)})`,
  ].join('');
  return [
    finding(`cost-depth${depth}`, oneFinding(`Throughput cost at pipeline depth ${depth}: `, parts, { end }), evidence),
  ];
}

/**
 * @param {CaseParams} params
 * @returns {boolean} a mode that people choose; the table has the others
 */
function isChosen({ mode, waitMode }) {
  return waitMode === 'pipelined' && CHOSEN.includes(/** @type {ModeName} */ (mode));
}

/** @param {CaseParams} params */
function nameOf(params) {
  return params.waitMode === 'sequential' ? withNote(caseTitle(params), 'sequential') : caseTitle(params);
}

/**
 * @param {BenchmarkResult} result
 * @returns {Chart | null} the cheapest on top
 */
function costs({ name, cases }) {
  const compared = cases.flatMap(({ params, summary }) =>
    summary.relativeToBaseline ? { params, cost: costOf(summary.relativeToBaseline.throughput) } : [],
  );
  const atOne = compared.filter(({ params }) => params.pipeline === DECIDING_DEPTH);
  return dotChart({
    id: `${name}.cost`,
    title: 'Throughput cost of each mode, by pipeline depth',
    note:
      `${intervalNote(cases)} Compared round by round with async (dashed line); left of it throughput was higher. ` +
      'Sorted by the cost at depth 1.',
    rowName: 'mode',
    rows: atOne.toSorted((a, b) => a.cost.median - b.cost.median).map(({ params }) => nameOf(params)),
    series: BATCHES.map((batch) => ({
      name: `depth ${batch}`,
      style: { color: '$ink', symbol: 'circle', dash: 'solid' },
      hollow: batch !== DECIDING_DEPTH,
    })),
    value: (row, series) =>
      compared.find(({ params }) => nameOf(params) === row && `depth ${params.pipeline}` === series)?.cost,
    axis: 'throughput lost',
    format: 'percent',
    min: -1,
    max: 1,
    reference: 0,
  });
}
