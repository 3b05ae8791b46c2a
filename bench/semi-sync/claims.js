/**
 * Claims of an article about replication of MySQL, checked on MariaDB.
 *
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Claim } from '../../src/report/articles.js'
 */
import { ARTICLES, within } from '../../src/report/articles.js';
import { count, interval, percent } from '../../src/report/format.js';
import { useOf } from '../../src/report/resources.js';
import { costOfMode } from './cost.js';
import { outcomesOf } from './figures.js';
import { resourceCase } from './resources.js';

const ARTICLE_CONNECTIONS = 50;
/** “Quite a bit” of throughput is at least this share. */
const QUITE_A_BIT = 0.1;
/** “Way less” CPU is at most this share. */
const WAY_LESS = 0.5;
const DIFFERS = 'MariaDB 10.11 on one machine, one row a commit, without an HTTP application';

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  {
    article: ARTICLES.replication,
    benchmark: 'semi-sync-cost',
    claim: `Asynchronous replication affects write performance quite a bit (taken as at least ${percent(QUITE_A_BIT)})`,
    theirs: 'MySQL, 50 connections, 5 min, one replica: 403 to 320 requests/s, 21% less',
    differs: `${DIFFERS}, two replicas`,
    examine(benchmark) {
      const [alone, replicated] = ['none', 'async'].map((mode) => costOfMode(benchmark, mode, ARTICLE_CONNECTIONS));
      if (!alone || !replicated) return null;
      const [before, after] = [alone, replicated].map(({ summary }) => summary.throughput);
      // The two were measured on different stacks, so their rounds are no pairs.
      const lost = {
        median: 1 - after.median / before.median,
        low: 1 - after.high / before.low,
        high: 1 - after.low / before.high,
      };
      return {
        ours: `${interval(lost, percent)} less throughput`,
        holds: within(lost, { least: QUITE_A_BIT }),
        rounds: Math.min(alone.rounds.length, replicated.rounds.length),
        evidence: [alone.id, replicated.id],
      };
    },
  },
  {
    article: ARTICLES.replication,
    benchmark: 'semi-sync-resources',
    claim: `Reads sent to a replica leave the main instance with way less load (taken as at most ${percent(WAY_LESS)} of it)`,
    theirs: 'MySQL, 50 connections, 5 min: CPU from 509% to 17%, at 91% of the throughput',
    differs: DIFFERS,
    examine(benchmark) {
      const [alone, routed] = [0, 1].map((replicas) => resourceCase(benchmark, 'get', replicas));
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
  {
    article: ARTICLES.replication,
    benchmark: 'semi-sync-killed',
    claim: 'With semi-sync no successful request is lost when the primary is killed',
    theirs: 'MySQL, 50 connections, one `docker kill`: 0 of 95,233',
    differs: DIFFERS,
    examine: (benchmark) => lossesOf(benchmark, (lost) => lost === 0),
  },
  {
    article: ARTICLES.replication,
    benchmark: 'semi-sync-replicas-frozen',
    claim: 'A successful request must have been saved in at least one replica',
    theirs: 'MySQL, `rpl_semi_sync_master_timeout=1000`, healthy replicas',
    differs: `${DIFFERS}; both replicas frozen for longer than the timeout, which the article did not test`,
    examine: (benchmark) => lossesOf(benchmark, (lost) => lost === 0),
  },
]);

/**
 * @param {BenchmarkResult} benchmark
 * @param {(lost: number) => boolean} holds
 */
function lossesOf(benchmark, holds) {
  const own = outcomesOf(benchmark).filter(({ one }) =>
    ['after-commit', 'after-sync'].includes(one.params.level ?? ''),
  );
  if (own.length === 0) return null;
  const lost = own.reduce((all, { loss }) => all + loss.lost, 0);
  const acked = own.reduce((all, { loss }) => all + loss.acked, 0);
  return {
    ours: `lost ${count(lost)} of ${count(acked)}`,
    holds: holds(lost),
    rounds: own.reduce((all, { loss }) => all + loss.trials, 0),
    evidence: own.map(({ one }) => one.id),
  };
}
