/**
 * Claims of an article about replication over a slow link.
 *
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Claim, Examined } from '../../src/report/articles.js'
 */
import { ARTICLES, within } from '../../src/report/articles.js';
import { bitRate, count, interval, percent } from '../../src/report/format.js';
import { bootstrapInterval } from '../../src/stats/statistics.js';
import { measuredOf, toOne } from './compression.js';
import { ARTICLE, atArticlesRate, exactBytes, measuredOf as measuredDemands, replicatedAs } from './demand.js';
import { gigabytes, isPlain, linksOf, SECONDS_AN_HOUR } from './shortfall-figures.js';

/** @import { CaseResult } from '../../src/result/schema.js' */

const article = ARTICLES.link;
/** Figures count as the same within this share. */
const NEAR = 0.35;
/** The article's check by hand: 10 GB became about 1 GB. */
const TENFOLD = 10;
const SHARE = 0.75;
const GIGABYTES_AN_HOUR = 2e9;

/** @type {readonly Claim[]} */
export const claims = Object.freeze([
  {
    article,
    benchmark: 'link-demand',
    claim: 'Replication of 30,000 requests/s takes 23 Mbit/s',
    theirs: '23 Mbit/s on a network interface, headers and other traffic included',
    differs: 'stream without headers, another mix of commands and keys',
    examine(result) {
      const found = atArticlesRate(measuredDemands(result.cases));
      if (!found?.measured) return null;
      const { here, measured } = found;
      return {
        ours: `${bitRate(here)}, ${percent(here / ARTICLE.bytesPerSecond)} of theirs`,
        holds: Math.abs(here / ARTICLE.bytesPerSecond - 1) <= NEAR,
        rounds: measured.result.rounds.length,
        evidence: [measured.result.id],
      };
    },
  },
  {
    article,
    benchmark: 'link-demand',
    claim: 'With Lua only the call has to be sent to the replica',
    theirs: 'a hope, not measured; servers before Redis 5 replicated scripts verbatim',
    differs: 'a newer server, which replicates effects',
    examine(result) {
      const own = measuredDemands(result.cases).find(({ result: { params } }) => params.grouping === 'script');
      if (!own) return null;
      const { calls, effects, as } = replicatedAs(own);
      return {
        ours: `${count(effects)} SETs and ${count(calls)} calls on the replica, ${exactBytes(own.demand.perWrite)} a write`,
        holds: as === 'calls',
        rounds: own.result.rounds.length,
        evidence: [own.result.id],
      };
    },
  },
  {
    article,
    benchmark: 'link-shortfall',
    claim: 'A link with 75% of demand leaves about 2 GB an hour behind',
    theirs: 'a demand of 23 Mbit/s',
    differs: 'another demand, scaled to theirs',
    examine(result) {
      const own = result.cases.find((one) => one.params.linkShare === SHARE && isPlain(one));
      const values = (own ? linksOf(own) : []).flatMap(({ growthBytesPerSecond, demandBytesPerSecond }) =>
        growthBytesPerSecond == null
          ? []
          : [(growthBytesPerSecond / demandBytesPerSecond) * ARTICLE.bytesPerSecond * SECONDS_AN_HOUR],
      );
      if (!own || values.length === 0) return null;
      return examined(own, values, {
        format: gigabytes,
        range: { least: (1 - NEAR) * GIGABYTES_AN_HOUR, most: (1 + NEAR) * GIGABYTES_AN_HOUR },
      });
    },
  },
  {
    article,
    benchmark: 'link-compression',
    claim: 'ssh -C compresses replication about tenfold',
    theirs: '23.7 Mbit/s became 1.94 Mbit/s (12.2:1)',
    differs: 'another mix; pipelines of 10 requests',
    examine(result) {
      const fewest = Math.min(...result.cases.map(({ params }) => params.pipeline));
      const own = measuredOf(result.cases).find(
        ({ result: { params }, figures }) =>
          params.tunnel === 'ssh-C' && params.pattern === 'regular' && params.pipeline === fewest && figures.whole,
      );
      if (!own) return null;
      const values = own.result.rounds.flatMap(({ link }) =>
        link?.wire && link.wire.toReplicaBytes > 0 ? link.streamBytes / link.wire.toReplicaBytes : [],
      );
      return examined(own.result, values, { format: toOne, range: { least: TENFOLD } });
    },
  },
]);

/**
 * @param {CaseResult} result
 * @param {readonly number[]} values one a round
 * @param {{format: (value: number) => string, range: {least?: number, most?: number}}} claimed
 * @returns {Examined}
 */
function examined(result, values, { format, range }) {
  const value = bootstrapInterval(values, { seed: 1 });
  return {
    ours: interval(value, format),
    holds: within(value, range),
    rounds: values.length,
    evidence: [result.id],
  };
}
