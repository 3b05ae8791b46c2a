/**
 * Claims of the article about replication over a link that is too slow.
 *
 * @import { ArticleClaim, Conditions } from '../../src/report/articles.js'
 */

export const title = 'Having fun with Redis Replication between Amazon and Rackspace';

/** Redis of 2012, before 2.6. @type {Conditions} */
const PRODUCTION = { tool: 'production traffic, 62% writes', storage: 'EC2 to Rackspace', version: 'Redis before 2.6' };
/** @type {Conditions} */
const TUNNEL = { ...PRODUCTION, tool: 'ssh -C, production traffic' };
/** @type {Conditions} */
const SLOW = { ...PRODUCTION, fault: 'the link is slower than replication' };

/** @satisfies {Record<string, ArticleClaim>} */
export const claims = {
  'link.demand': {
    claim: 'Replication of 30,000 requests/s takes 23 Mbit/s (taken as within 35%)',
    figure: '23 Mbit/s on a network interface, headers and other traffic included',
    conditions: PRODUCTION,
  },
  'link.month': {
    claim: 'Replication of 30,000 requests/s takes about 7 TB a month (taken as 23 Mbit/s within 35%)',
    figure: '~7 TB, from 23 Mbit/s',
    conditions: PRODUCTION,
  },
  'link.plain-text': {
    claim: 'The stream is basically the plain text of the write commands',
    figure: '',
    conditions: PRODUCTION,
  },
  'link.lua': {
    claim: 'With Lua only the call has to be sent to the replica',
    figure: 'a hope, not measured',
    conditions: { version: 'Redis 2.6; servers before Redis 5 replicated scripts verbatim' },
  },
  'link.throughput': {
    claim: 'One Redis process serves 25,000 to 30,000 requests/s without effort (taken as half a core at most)',
    figure: '25,000 to 30,000 requests/s on one core',
    conditions: PRODUCTION,
  },
  'link.shortfall': {
    claim: 'A link with 75% of demand leaves about 2 GB an hour behind',
    figure: '~2 GB an hour, at a demand of 23 Mbit/s',
    conditions: SLOW,
  },
  'link.memory': {
    claim: 'The sender keeps in its memory what the link cannot carry',
    figure: 'up to twice the usual memory',
    conditions: SLOW,
  },
  'link.out-of-memory': {
    claim: 'A link that is too slow can end in a sender without memory',
    figure: 'a couple of crashes',
    conditions: SLOW,
  },
  'link.chain': {
    claim: 'A replica that feeds another replica piles up writes as well',
    figure: 'seen in production',
    conditions: { ...SLOW, fault: 'the link from a replica to its own replica is too slow' },
  },
  'link.promotion': {
    claim: 'Promoting a replica that is behind can lose writes',
    figure: 'a warning, not measured',
    conditions: SLOW,
  },
  'link.resync': {
    claim: 'A lost connection leads to a full resync',
    figure: '',
    conditions: { ...PRODUCTION, fault: 'the connection is lost', version: 'Redis before 2.8, without partial resync' },
  },
  'link.compression': {
    claim: 'ssh -C compresses replication about tenfold',
    figure: '23.7 to 1.94 Mbit/s, 12.2:1',
    conditions: TUNNEL,
  },
  'link.compression-file': {
    claim: 'A file of write commands compresses about tenfold',
    figure: '10 GB to a bit less than 1 GB',
    conditions: { tool: 'a compressor that is not named' },
  },
  'link.compression-cpu': {
    claim: 'Compression costs a negligible amount of CPU (taken as at most 0.25 of a core at 23.7 Mbit/s)',
    figure: 'negligible, marginal',
    conditions: TUNNEL,
  },
  'link.compression-lag': {
    claim: 'With ssh -C the replica does not fall behind (taken as caught up within a second after the load)',
    figure: 'replication lag zero',
    conditions: TUNNEL,
  },
  'link.compression-level': {
    claim: 'CompressionLevel of ssh trades bandwidth for CPU',
    figure: 'level 5',
    conditions: TUNNEL,
  },
  'link.bill': {
    claim: 'Compression cuts hundreds of dollars of traffic a month to about a tenth',
    figure: '$0.05 to $0.12 a GB',
    conditions: TUNNEL,
  },
  'link.tunnel-breaks': {
    claim: 'If the ssh tunnel breaks, replication breaks',
    figure: '',
    conditions: { ...TUNNEL, fault: 'the tunnel ends' },
  },
  'link.supervisor': {
    claim: 'A supervisor that restarts the tunnel brings replication back',
    figure: 'no issue seen in production, but “something that we are keeping a close eye on”',
    conditions: { ...TUNNEL, tool: 'autossh and Monit', fault: 'the tunnel ends' },
  },
  'link.fluctuation': {
    claim: 'Demand varies between half and one and a half of its mean within a minute',
    figure: '12.5 to 35.9 Mbit/s around 23.7',
    conditions: PRODUCTION,
    unexamined: 'It needs production traffic. `sentinel-bench link observe` shows mean and peak of yours.',
  },
  'link.predictable': {
    claim: 'Latency of Redis is predictable, that of MySQL and Cassandra is not',
    figure: '“10 ms is always 10 ms”',
    conditions: PRODUCTION,
    unexamined: 'It needs the same load on all three databases.',
  },
  'link.provider-speed': {
    claim: 'Within one provider 100 to 150 Mbit/s are safe, between two providers 23 Mbit/s are not',
    figure: '750 Mbit/s within a zone of EC2; about 23 Mbit/s to Rackspace',
    conditions: PRODUCTION,
    unexamined: 'It needs machines at two providers.',
  },
  'link.flows': {
    claim: 'Several flows could double the bandwidth between two providers',
    figure: 'an estimate',
    conditions: PRODUCTION,
    unexamined: 'It needs a network that limits each flow.',
  },
  'link.output-list': {
    claim: 'client_longest_output_list of INFO shows what replicas have not taken',
    figure: '',
    conditions: PRODUCTION,
  },
};
