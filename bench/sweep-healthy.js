import { costOf, intervalNote } from '../src/report/charts/against.js';
import { dotChart } from '../src/report/charts/dots.js';
import * as column from '../src/report/columns.js';
import { levelTitle } from '../src/report/failure-words.js';
import { sweepFindings } from '../src/report/sweep-findings.js';
import { makeCase } from '../src/run/case.js';
import { isPossible, LEVELS } from '../src/run/levels.js';

/** @typedef {import('../src/run/levels.js').LevelName} LevelName */

const BATCHES = [1, 100];
const BASELINE = 'async';
const HABITS = /** @type {const} */ (['one-flush', 'awaited']);

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'sweep-healthy',
  suite: 'config-sweep',
  question: 'What does each configuration cost while all is well?',
  method:
    'One connection writes 64 B values, one at a time and in batches of 100; WAIT and WAITAOF follow each write, or each ' +
    'batch. Before each round the settings are made on every node with CONFIG SET and read back, and then put back. AOF ' +
    'everysec syncs once a second, in the background: of rounds shorter than that most hold no sync, and a median of them ' +
    'tells what its writes cost; the suite `persistence` measures longer ones.',
  needs: ['configure'],
  // What people decide by deserves narrower intervals.
  pace: (profile) => (profile.name === 'quick' ? { rounds: 20, seconds: 0.2, warmUpSeconds: 0.05 } : profile),
  generator: 'writes',
  cases: ({ client = 'native', server }) =>
    /** @type {LevelName[]} */ (Object.keys(LEVELS))
      .filter((level) => isPossible(level, server))
      .flatMap((level) => {
        const { wait, waitLocal, settings } = LEVELS[level];
        const asks = wait > 0 || waitLocal !== undefined;
        return BATCHES.flatMap((pipeline) =>
          HABITS.slice(0, asks ? HABITS.length : 1).map((habit) =>
            makeCase(
              { client, pipeline, level, wait, waitLocal, habit, settings },
              {
                level: BASELINE,
                wait: 0,
                waitLocal: undefined,
                habit: 'one-flush',
                settings: LEVELS[BASELINE].settings,
              },
            ),
          ),
        );
      }),
  table: [
    { title: 'configuration', align: 'left', cell: ({ params }) => levelTitle(params) },
    column.habit,
    column.batch,
    ...column.MEASURED.slice(0, -1),
    column.notAcked,
    column.limitedBy,
  ],
  charts: (result) => [costs(result)],
  findings: sweepFindings,
  checks: (result) => [refusedOnlyByMinReplicas(result)],
};

/**
 * While all is well only a minimum of replicas with so little lag that the replicas' own second between two
 * acknowledgements can exceed it may refuse a write, and only a WAIT's timeout may cut its count short.
 *
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/run/types.js').Check}
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
    name: 'no write fails while all is well, but for what min-replicas-max-lag 1 refuses',
    ok: wrong.length === 0,
    detail: wrong.length === 0 ? `${cases.length} cases` : wrong.map(({ id }) => id).join(', '),
  };
}

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/report/charts/types.js').Chart | null} the cheapest on top
 */
function costs({ name, cases }) {
  const rowOf = (/** @type {import('../src/run/types.js').CaseParams} */ params) =>
    `${levelTitle(params)}${params.habit === 'awaited' ? ', awaited' : ''}`;
  const compared = cases.flatMap(({ params, summary }) =>
    summary.relativeToBaseline ? { params, cost: costOf(summary.relativeToBaseline.throughput) } : [],
  );
  const [alone] = BATCHES;
  const atOne = compared.filter(({ params }) => params.pipeline === alone);
  return dotChart({
    id: `${name}.cost`,
    title: 'Cost of each configuration, by batch',
    note:
      `${intervalNote(cases)} Compared round by round with asynchronous writes (dashed line); left of it there was more ` +
      'throughput. The cheapest for single writes on top.',
    rowName: 'configuration',
    rows: atOne.toSorted((a, b) => a.cost.median - b.cost.median).map(({ params }) => rowOf(params)),
    series: BATCHES.map((batch) => ({
      name: `batch ${batch}`,
      style: { color: '$ink', symbol: 'circle', dash: 'solid' },
      hollow: batch !== alone,
    })),
    value: (row, series) =>
      compared.find(({ params }) => rowOf(params) === row && `batch ${params.pipeline}` === series)?.cost,
    axis: 'throughput lost',
    format: 'percent',
    min: -1,
    max: 1,
    reference: 0,
  });
}
