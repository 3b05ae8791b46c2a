/** The healthy half of the configuration sweep: what every mode costs while all is well. */
/** @import { BenchmarkResult, CaseParams, CaseResult, Chart, LoadBenchmark } from '../types.js' */

import { duration, interval, rate } from '../../src/format.js';
import { intervalNote } from '../../src/report/charts/against.js';
import { dotChart } from '../../src/report/charts/dots.js';
import { checkEach, everyWriteAcked } from '../../src/report/checks.js';
import * as column from '../../src/report/columns.js';
import { makeCase } from '../../src/run/case.js';
import { LoadParameters, SizeParameters } from '../../src/run/parameters.js';
import { filled } from '../../src/sentences.js';
import { isSustained } from '../../src/stats/summary.js';
import { caseTitle } from '../experiments/cases.js';
import { MODES, modeTitle, withNote } from '../modes.js';
import { BASELINE, MANY_CONNECTIONS } from './decision.js';
import { sweepModes } from './failures.js';
import { WORDS } from './words.js';

const BATCHES = [1, 100];
/** The deciding table has the costs at this depth. `quick` spends the time for undecided costs on them. */
const DECIDING_DEPTH = 1;
const LEAST_ROUNDS = 12;
const MOST_ROUNDS = 80;
/** Seconds for all rounds; modes whose cost is undecided by then stay so. */
const HEALTHY_SECONDS = { quick: 120, standard: 1200, full: 7200 };
const WAIT_MODES = /** @type {const} */ (['pipelined', 'sequential']);
const ASYNC = Object.freeze({
  mode: BASELINE,
  wait: 0,
  waitLocal: undefined,
  waitMode: /** @type {const} */ ('pipelined'),
  settings: MODES[BASELINE].settings,
});

/** @type {LoadBenchmark} */
export const healthy = {
  name: 'sweep-healthy',
  ...WORDS['sweep-healthy'],
  needs: ['configure'],
  // People decide by these figures, so their intervals must be narrow.
  pace: (profile) =>
    profile.name === 'quick' ? { rounds: LEAST_ROUNDS, seconds: 0.12, warmUpSeconds: 0.03 } : profile,
  precision: ({ name }) => ({
    headline: ({ params: { waitMode, pipeline, connections } }) =>
      waitMode === 'pipelined' && (name !== 'quick' || (pipeline === DECIDING_DEPTH && connections === 1)),
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
      const loads = [
        ...BATCHES.flatMap((pipeline) =>
          WAIT_MODES.slice(0, asks ? WAIT_MODES.length : 1).map((waitMode) => ({ pipeline, waitMode })),
        ),
        { connections: MANY_CONNECTIONS },
      ];
      return loads.map((load) => makeCase({ client, mode, wait, waitLocal, settings, ...load }, ASYNC));
    }),
  table: [
    { title: 'mode', align: 'left', cell: ({ params }) => modeTitle(params) },
    column.waitMode,
    column.connections,
    column.batch,
    ...column.MEASURED.slice(0, -1),
    column.notAcked,
    column.limitedBy,
  ],
  charts: (result) => [costs(result)],
  checks: (result) => [refusedOnlyByMinReplicas(result)],
};

/** Replicas acknowledge once a second, so only min-replicas-max-lag 1 may refuse a write. @param {BenchmarkResult} result */
function refusedOnlyByMinReplicas({ cases }) {
  const isWrong = (/** @type {CaseResult} */ { params, rounds }) =>
    rounds.some(({ outcomes: { rejected, unknown }, errors }) => {
      const isTight = params.settings?.['min-replicas-max-lag'] === '1';
      return unknown > 0 || (rejected > 0 && !(isTight && errors.NOREPLICAS === rejected));
    });
  return checkEach(WORDS.checks.refused, cases, (one) => (isWrong(one) ? one.id : null), {
    well: () => `${cases.length} cases`,
  });
}

/** @param {CaseParams} params */
function nameOf(params) {
  return params.waitMode === 'sequential' ? withNote(caseTitle(params), 'sequential') : caseTitle(params);
}

/** @param {BenchmarkResult} result @returns {Chart | null} the cheapest on top */
function costs({ name, cases }) {
  const compared = cases.flatMap(({ params, summary }) =>
    params.connections < MANY_CONNECTIONS && summary.relativeToBaseline
      ? { params, cost: column.costOf(summary.relativeToBaseline.throughput) }
      : [],
  );
  const atOne = compared.filter(({ params }) => params.pipeline === DECIDING_DEPTH);
  return dotChart({
    id: `${name}.cost`,
    ...WORDS.charts.cost,
    note: filled(WORDS.charts.cost.note, { intervals: intervalNote(cases) }),
    rows: atOne.toSorted((a, b) => a.cost.median - b.cost.median).map(({ params }) => nameOf(params)),
    series: BATCHES.map((batch) => ({
      name: `depth ${batch}`,
      style: { color: '$ink', symbol: 'circle', dash: 'solid' },
      hollow: batch !== DECIDING_DEPTH,
    })),
    value: (row, series) =>
      compared.find(({ params }) => nameOf(params) === row && `depth ${params.pipeline}` === series)?.cost,
  });
}

const TEXTS = WORDS['sweep-response-time'];
const CONNECTIONS = 10;
/** Writes a second: that of each writer in the trials. A disk that takes 5 ms to sync still sustains it with `appendfsync always`. */
const RATE = 1000;
/** A round has to hold a sync of everysec, and enough writes for a p99 of its own. */
const QUICK_PACE = { rounds: 5, seconds: 1.1, warmUpSeconds: 0.1 };

/** @type {LoadBenchmark} */
export const responseTime = {
  name: 'sweep-response-time',
  question: TEXTS.question,
  method: filled(TEXTS.method, { connections: CONNECTIONS, rate: rate(RATE) }),
  needs: ['configure'],
  pace: (profile) => (profile.name === 'quick' ? QUICK_PACE : profile),
  kind: 'load',
  parameters: LoadParameters.extend(SizeParameters.shape),
  cases: ({ client = 'native', ...options }) =>
    sweepModes(options).map(({ name: mode, mode: { wait, waitLocal, settings } }) =>
      makeCase({ client, connections: CONNECTIONS, rate: RATE, mode, wait, waitLocal, settings }),
    ),
  table: [
    { title: 'mode', align: 'left', cell: ({ params }) => modeTitle(params) },
    column.right('offered', ({ params }) => rate(params.rate ?? 0)),
    column.right('response time p50', ({ rounds, summary }) =>
      isSustained(rounds) ? interval(summary.p50Ns, duration) : NOT_SUSTAINED,
    ),
    column.right('p99', p99Cell),
    column.notAcked,
    column.limitedBy,
  ],
  checks: (result) => [everyWriteAcked({ ...result, cases: result.cases.filter(({ rounds }) => isSustained(rounds)) })],
};

const NOT_SUSTAINED = 'rate not sustained';

/** @param {CaseResult} one */
function p99Cell({ rounds, summary }) {
  return isSustained(rounds) ? interval(summary.p99Ns, duration) : NOT_SUSTAINED;
}
