/**
 * Claims of an article about replication, which measured MySQL.
 *
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { Claim } from '../../src/report/articles.js'
 * @import { Operation } from '../../src/report/resources.js'
 */
import { ARTICLES } from '../../src/report/articles.js';
import { percent } from '../../src/report/format.js';
import { useOf } from '../../src/report/resources.js';
import { measured } from './report.js';

/** “Quite a bit” of throughput is at least this share. */
const QUITE_A_BIT = 0.1;
/** “Way less” CPU is at most this share. */
const WAY_LESS = 0.5;

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  {
    article: ARTICLES.replication,
    benchmark: 'resources',
    claim: `Asynchronous replication to one replica affects writing quite a bit (taken as at least ${percent(QUITE_A_BIT)})`,
    theirs: 'MySQL through an HTTP application, 50 connections, 5 min: 21% less throughput',
    differs: 'Redis instead of MySQL; all nodes and the load share this machine',
    examine(benchmark) {
      const [alone, replicated] = pairOf(benchmark, 'set');
      const before = alone?.summary.throughput.median;
      if (!before || !replicated) return null;
      const lost = 1 - replicated.summary.throughput.median / before;
      return {
        ours: lost >= 0 ? `${percent(lost)} less throughput` : `${percent(-lost)} more throughput`,
        holds: lost >= QUITE_A_BIT,
        rounds: Math.min(alone.rounds.length, replicated.rounds.length),
        evidence: [alone.id, replicated.id],
      };
    },
  },
  {
    article: ARTICLES.replication,
    benchmark: 'resources',
    claim: `Reads sent to a replica leave the main instance with way less load (taken as at most ${percent(WAY_LESS)} of it)`,
    theirs: 'MySQL through an HTTP application: CPU from 509% to 17%, at 91% of the throughput',
    differs: 'Redis instead of MySQL; all nodes and the load share this machine',
    examine(benchmark) {
      const [alone, routed] = pairOf(benchmark, 'get');
      const [own, spared] = [alone, routed].map((one) => one && useOf(one, 'primary')?.cpu);
      if (!alone || !routed || !own || spared == null) return null;
      const ratio = routed.summary.throughput.median / alone.summary.throughput.median;
      return {
        ours: `CPU from ${percent(own)} to ${percent(spared)}, at ${percent(ratio)} of the throughput`,
        holds: spared <= WAY_LESS * own,
        rounds: Math.min(alone.rounds.length, routed.rounds.length),
        evidence: [alone.id, routed.id],
      };
    },
  },
]);

/**
 * @param {BenchmarkResult} benchmark
 * @param {Operation} operation
 * @returns {(CaseResult | undefined)[]} without replicas, and with one
 */
function pairOf(benchmark, operation) {
  const own = measured(benchmark, operation);
  return [0, 1].map((wanted) => own.find(({ replicas }) => replicas === wanted)?.result);
}
