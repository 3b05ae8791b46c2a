/**
 * The articles whose claims we check, and the table of claims. Each suite keeps its claims as data in one file.
 *
 * @import { BenchmarkResult, IntervalValue, Result } from '../result/schema.js'
 * @import { Block } from './blocks.js'
 *
 * @typedef {Object} Claim
 * @property {string} article its title
 * @property {string} benchmark whose cases check it
 * @property {string} claim in our words
 * @property {string} theirs their figure and their conditions
 * @property {string} differs how our conditions differ from theirs
 * @property {(benchmark: BenchmarkResult, run: Pick<Result, 'storage'>) => Examined | null} examine null: this run has no cases for it
 *
 * @typedef {Object} Examined
 * @property {string} ours our figure with its interval
 * @property {boolean | null} holds null: our figures do not decide it
 * @property {number} rounds behind our figure
 * @property {string[]} evidence ids of cases
 *
 * @typedef {'reproduced' | 'contradicted' | 'undecided' | 'not examined'} Verdict
 */
import { heading, table } from './blocks.js';

export const ARTICLES = Object.freeze({
  synchronous: 'Synchronous Replication in Redis: Theory, Implementation, and Benchmarks',
  replication: 'Replication',
  aof: 'Redis + AOF + Distributed Storage: A Cautionary Benchmark',
  link: 'Having fun with Redis Replication between Amazon and Rackspace',
  copy: 'Architecture and Performance Description',
});

/**
 * @param {Examined | null} examined
 * @returns {Verdict} `undecided` after a single round, whatever it shows
 */
export function verdictOf(examined) {
  if (examined === null) return 'not examined';
  if (examined.holds === null || examined.rounds < 2) return 'undecided';
  return examined.holds ? 'reproduced' : 'contradicted';
}

/**
 * @param {Pick<IntervalValue, 'low' | 'high'>} measured
 * @param {{least?: number, most?: number}} claimed
 * @returns {boolean | null} null: only a part of the interval lies in the claimed range
 */
export function within({ low, high }, { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }) {
  if (low >= least && high <= most) return true;
  return high < least || low > most ? false : null;
}

/**
 * @param {readonly Claim[]} claims of a suite
 * @param {BenchmarkResult} benchmark
 * @param {Pick<Result, 'storage'>} run
 * @returns {Block[]} a heading and a table of the claims that this benchmark checks; empty without claims
 */
export function claimBlocks(claims, benchmark, run) {
  const own = claims.filter((claim) => claim.benchmark === benchmark.name);
  if (own.length === 0) return [];
  const rows = own.map((claim) => {
    const examined = claim.examine(benchmark, run);
    return [
      `${claim.claim} (“${claim.article}”)`,
      claim.theirs,
      examined?.ours ?? '',
      verdictOf(examined),
      claim.differs,
    ];
  });
  return [
    heading(3, 'What the articles say'),
    table(['claim', 'their figure and conditions', 'ours', 'verdict', 'what differs here'], rows),
  ];
}
