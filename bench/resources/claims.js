/**
 * Examines the claims about resources of an article that measured MySQL. This suite measures Redis, so it only stands in.
 *
 * @import { BenchmarkResult, CaseResult, IntervalValue, NodeUse, RoundResult } from '../../src/result/schema.js'
 * @import { Claim, Examined, Range } from '../../src/report/articles.js'
 * @import { Operation } from '../../src/report/resources.js'
 * @import { ClaimId } from '../claims/index.js'
 */
import { judge, nearFactor, nearShare, spanRatio } from '../../src/report/articles.js';
import { costOf } from '../../src/report/columns.js';
import { interval, percent, times } from '../../src/report/format.js';
import { bootstrapInterval, sum } from '../../src/stats/statistics.js';
import { examination } from '../claims/index.js';
import { measured } from './report.js';

/** “Way less” load is at most this share. */
const WAY_LESS = 0.5;
/** An idle node uses less than this share of a core. */
const IDLE_CPU = 0.01;
const DIFFERS = 'Redis instead of MySQL; all nodes and the load share this machine';
/** The same result always has the same interval. */
const SEED = 1;

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  claimOf('replication.async-cost', 'set', ([alone, replicated]) =>
    judge(throughputRatio(replicated, alone), nearShare(320 / 403), {
      text: (ratio) => `a cost of ${interval(costOf(ratio), percent)}`,
      cases: [alone, replicated],
    }),
  ),
  claimOf('replication.write-cpu', 'set', ([, replicated]) => {
    const ratios = replicated.rounds.flatMap((round) => {
      const [primary, replica] = [cpuOf(round, 'primary'), cpuOf(round, 'replica')];
      return primary && replica !== null ? [replica / primary] : [];
    });
    return judge(intervalOf(ratios), nearFactor(56.59 / 111.96), {
      text: (ratio) => `the replica uses ${interval(ratio, percent)} of the CPU of the primary`,
      cases: [replicated],
    });
  }),
  claimOf('replication.read-throughput', 'get', ([alone, routed]) =>
    judge(throughputRatio(routed, alone), nearShare(248.71 / 271.98), {
      text: (ratio) => `${interval(ratio, percent)} of the throughput`,
      cases: [alone, routed],
    }),
  ),
  claimOf('replication.read-relief', 'get', ([alone, routed]) => {
    const [own, spared] = [alone, routed].map((one) => cpuInterval(one, 'primary'));
    return judge(
      spanRatio(spared, own),
      { most: WAY_LESS },
      {
        text: () =>
          `CPU of the primary from ${own && interval(own, percent)} to ${spared && interval(spared, percent)}`,
        cases: [alone, routed],
      },
    );
  }),
  claimOf('replication.read-latency', 'get', ([alone, routed]) =>
    judge(spanRatio(routed.summary.p50Ns, alone.summary.p50Ns), nearFactor(185.97 / 158.11), {
      text: (ratio) => `${interval(ratio, times)} in the median`,
      cases: [alone, routed],
    }),
  ),
  claimOf('replication.idle', 'idle', ([alone]) =>
    judge(
      cpuInterval(alone, 'primary'),
      { most: IDLE_CPU },
      {
        text: (cpu) => `the primary uses ${interval(cpu, percent)} of a core`,
        cases: [alone],
      },
    ),
  ),
]);

/**
 * @param {ClaimId} id
 * @param {Operation} operation
 * @param {(pair: [CaseResult, CaseResult]) => Examined | null} examine pair: without replicas, and with one
 */
function claimOf(id, operation, examine) {
  return examination(id, {
    benchmark: 'resources',
    differs: DIFFERS,
    standIn: true,
    examine(benchmark) {
      const [alone, replicated] = pairOf(benchmark, operation);
      return alone && replicated ? examine([alone, replicated]) : null;
    },
  });
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {Operation} operation
 * @returns {(CaseResult | undefined)[]} without replicas, and with one
 */
function pairOf(benchmark, operation) {
  const own = measured(benchmark, operation);
  return [0, 1].map((wanted) => own.find(({ replicas }) => replicas === wanted)?.result);
}

/**
 * @param {CaseResult} one
 * @param {CaseResult} base on a stack of its own
 */
function throughputRatio(one, base) {
  return spanRatio(one.summary.throughput, base.summary.throughput);
}

/**
 * @param {RoundResult} round
 * @param {NodeUse['role']} role
 * @returns {number | null} cores, all nodes of the role together; null: not known
 */
function cpuOf({ nodes }, role) {
  const shares = nodes.filter((node) => node.role === role).map(({ cpu }) => cpu);
  return shares.length === 0 || shares.includes(null) ? null : sum(shares.map(Number));
}

/**
 * @param {CaseResult} one
 * @param {NodeUse['role']} role
 */
function cpuInterval({ rounds }, role) {
  return intervalOf(rounds.flatMap((round) => cpuOf(round, role) ?? []));
}

/**
 * @param {readonly number[]} values one a round
 * @returns {IntervalValue | null} null: none
 */
function intervalOf(values) {
  return values.length === 0 ? null : bootstrapInterval(values, { seed: SEED });
}
