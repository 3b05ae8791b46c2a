/**
 * Claims of an article about the cost of WAIT.
 *
 * @import { BenchmarkResult, IntervalValue } from '../../src/result/schema.js'
 * @import { Claim } from '../../src/report/articles.js'
 */
import { ARTICLES, within } from '../../src/report/articles.js';
import { costOf } from '../../src/report/columns.js';
import { count, interval, percent } from '../../src/report/format.js';
import { findCase } from '../../src/run/case.js';
import { plateauOf } from './concurrency.js';
import { consistencyOf } from './read-after-write.js';

/**
 * @import { Examined } from '../../src/report/articles.js'
 * @import { CaseParams } from '../../src/result/schema.js'
 */

const article = ARTICLES.synchronous;
const NODES_DIFFER = 'nodes as this run has them (theirs: Docker)';
const DIFFERS = `64 B values (theirs: 256 B); ${NODES_DIFFER}`;
/** A share counts as the same within this many points. */
const NEAR = 0.1;
/** The connections at which their throughput plateaued. */
const PLATEAU = 50;

/** The same claims with the values of the suite, and with the conditions of the article. */
const SITES = [
  { payloadBytes: 64, differs: DIFFERS, single: 'async-vs-wait', pipelined: 'pipeline' },
  { payloadBytes: 256, differs: NODES_DIFFER, single: 'first-article', pipelined: 'first-article' },
];

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  ...SITES.flatMap(({ payloadBytes, differs, single, pipelined }) => {
    const conditions = /** @type {const} */ ({
      client: 'redis',
      wait: 1,
      habit: 'awaited',
      payloadBytes,
      connections: 1,
    });
    return [
      {
        article,
        benchmark: single,
        claim: 'WAIT adds about 50% overhead to individual writes',
        theirs: '35,170 to 16,265 ops/s with WAIT 1, a cost of 54%; node-redis, one write at a time',
        differs,
        examine: (/** @type {BenchmarkResult} */ result) => examineCost(result, 0.54, { ...conditions, pipeline: 1 }),
      },
      {
        article,
        benchmark: pipelined,
        claim: 'With pipelines of 100 writes and one WAIT, writes are only 17% slower',
        theirs: '474,328 to 392,149 ops/s with WAIT 1, a cost of 17%; node-redis, MULTI, then WAIT',
        differs: `${differs}; no MULTI`,
        examine: (/** @type {BenchmarkResult} */ result) => examineCost(result, 0.17, { ...conditions, pipeline: 100 }),
      },
    ];
  }),
  {
    article,
    benchmark: 'first-article',
    claim: 'Throughput plateaus at about 50 connections',
    theirs: '36,098 ops/s with 1 client, 156,508 with 50, 156,204 with 100; node-redis',
    differs: NODES_DIFFER,
    examine(result) {
      const found = plateauOf({ ...result, cases: result.cases.filter(({ params }) => params.pipeline === 1) }, 0);
      if (!found) return null;
      const { best, enough, fewer, more, ratio } = found;
      const [few, many] = [fewer, more].map(({ params }) => count(params.connections));
      const plateaus = within(ratio, { least: 1 - NEAR });
      return {
        ours: `${few} connections reach ${interval(ratio, percent)} of the throughput of ${many}`,
        holds: plateaus === null ? null : plateaus && enough.params.connections === PLATEAU,
        rounds: best.rounds.length,
        evidence: [fewer.id, more.id],
      };
    },
  },
  {
    article,
    benchmark: 'read-after-write',
    claim: 'Reads from replicas see an acknowledged write at once',
    theirs: '100% immediately consistent, local Docker, without WAIT',
    differs: 'read in the same turn of the event loop, alone and under load',
    examine({ cases }) {
      const own = cases.filter(({ params }) => params.wait === 0);
      const sums = own.map(consistencyOf);
      const reads = sums.reduce((sum, one) => sum + one.reads, 0);
      const stale = sums.reduce((sum, one) => sum + one.reads - one.immediate, 0);
      if (reads === 0) return null;
      return {
        ours: `${count(stale)} of ${count(reads)} reads were stale`,
        holds: stale === 0,
        rounds: Math.max(...own.map(({ rounds }) => rounds.length)),
        evidence: own.map(({ id }) => id),
      };
    },
  },
]);

/**
 * @param {BenchmarkResult} result
 * @param {number} theirs their cost
 * @param {Partial<CaseParams>} params
 * @returns {Examined | null}
 */
function examineCost(result, theirs, params) {
  const one = findCase(result, params);
  const ratio = one?.summary.relativeToBaseline;
  if (!one || !ratio) return null;
  /** @type {IntervalValue} */
  const cost = costOf(ratio.throughput);
  return {
    ours: `a cost of ${interval(cost, percent)}`,
    holds: within(cost, { least: theirs - NEAR, most: theirs + NEAR }),
    rounds: one.rounds.length,
    evidence: [ratio.baseline, one.id],
  };
}
