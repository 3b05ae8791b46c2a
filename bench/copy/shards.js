/**
 * The benchmark `copy-shards`: one process for all shards of a Redis Cluster, or one for each.
 *
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Benchmark, Column, Profile } from '../../src/run/types.js'
 * @import { CopySize } from './measure.js'
 */

import { barChart } from '../../src/report/charts/bars.js';
import { left, right } from '../../src/report/columns.js';
import { SHARDS } from '../../src/stacks/redis/shards.js';
import { copyChecks } from './checks.js';
import { whyNotCase } from './cores.js';
import { figuresOf, modeTitle, rateOf } from './figures.js';
import { measureCopy } from './measure.js';
import { OVERHEAD_SECONDS, PACES, SIZES, shardCases } from './modes.js';
import { CopyParameters, withCores } from './options.js';
import { COPY_COLUMNS, copyDetails } from './tables.js';

/** Seconds of writing, except in profile `full`: with more, movers on two CPUs need minutes to catch up. */
const SECONDS = 1;

/**
 * @param {Pick<Profile, 'name'>} profile
 * @returns {CopySize} all shards together have as many keys as a pair of the benchmark `copy`
 */
function sizeFor({ name }) {
  const { keys, keysIncremental, ...size } = SIZES[name];
  return {
    ...size,
    keys: Math.ceil(keys / SHARDS.length),
    keysIncremental: Math.ceil(keysIncremental / SHARDS.length),
  };
}

/** @type {Column} */
const PROCESSES = left('movers', ({ params }) => (params.movers === 1 ? 'one for all shards' : 'one for each shard'));

/** A share of the baseline's speed. @type {Column} */
const RATIO = right('to one for each', (result) => {
  const ratio = ratioTo(result);
  return ratio === null ? '' : ratioText(ratio);
});

/** @type {Benchmark} */
export default {
  name: 'copy-shards',
  question: 'Does one process copy a Redis Cluster as fast as one process for each shard?',
  method:
    `Source and copy are Redis Clusters of ${SHARDS.length} primaries with the same hash slots. Either one process copies all shards in ` +
    'cluster mode, or each shard has a process that copies it as a standalone node. Both do it on the same nodes, in turns. ' +
    'The heaviest writers have a thread and 50 connections a shard. Otherwise as in copy.',
  needs: ['configure', 'stats'],
  kind: 'custom',
  stacks: {
    sentinels: false,
    shards: true,
    // A slow subscriber must not lose its messages, as in copy.
    settings: { 'client-output-buffer-limit': 'pubsub 1gb 0 0' },
  },
  pace: ({ name }) => (name === 'full' ? PACES.full : { ...PACES[name], seconds: SECONDS }),
  overheadSeconds: OVERHEAD_SECONDS,
  cases: (how) => withCores(shardCases(how), how.parameters),
  whyNotCase,
  parameters: CopyParameters,
  measure: (site) => measureCopy(site, sizeFor(site.testbed.profile)),
  table: [COPY_COLUMNS[0], PROCESSES, ...COPY_COLUMNS.slice(2), RATIO],
  charts: (result) => [ratesChart(result)],
  details: copyDetails,
  findings: () => [],
  checks: copyChecks,
};

/**
 * @param {CaseResult} result
 * @returns {{median: number, low: number, high: number} | null} its speed divided by the speed of one process for each shard; null: this case is the latter
 */
function ratioTo({ summary: { relativeToBaseline } }) {
  return relativeToBaseline?.throughput ?? null;
}

/**
 * @param {{median: number, low: number, high: number}} ratio
 * @returns {string} with its interval, if it has one
 */
function ratioText({ median, low, high }) {
  const [middle, from, to] = [median, low, high].map((value) => value.toFixed(2));
  return from === to ? middle : `${middle} (${from}–${to})`;
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {{result: CaseResult, each: CaseResult | undefined, ratio: {median: number, low: number, high: number}}[]} one process
 *   for all shards, compared with one process for each shard
 */
function comparisons(cases) {
  return cases.flatMap((result) => {
    const ratio = ratioTo(result);
    if (ratio === null || figuresOf(result).length === 0) return [];
    const each = cases.find(({ id }) => id === result.summary.relativeToBaseline?.baseline);
    return { result, each, ratio };
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Chart | null}
 */
function ratesChart({ name, cases }) {
  return barChart({
    id: `${name}.rates`,
    title: 'Speed of one process for all shards, and of one for each',
    note: 'Keys or writes copied a second, all shards together. Behind each bar: the first as a share of the second.',
    rowName: 'mode',
    rows: comparisons(cases).map(({ result, each, ratio }) => ({
      title: modeTitle(result),
      values: [rateOf(result), each ? rateOf(each) : null],
      more: [ratioText(ratio)],
    })),
    parts: [
      { name: 'one process for all shards', color: '$blue' },
      { name: 'one process for each shard', color: '$grey', striped: true },
    ],
    axis: 'copied a second',
    format: 'rate',
    more: [{ name: 'share' }],
  });
}
