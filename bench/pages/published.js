/**
 * Figures of results/sample/config-sweep, for pages of suites that do not measure what modes cost. A test compares them with that sample.
 */

/** @typedef {{cost?: string, p99?: string}} PublishedFigures cost: of throughput at pipeline depth 1; p99: response time at {@link PUBLISHED_RATE} */

/** What the response times were measured at. */
export const PUBLISHED_RATE = '1.00 k/s';
/** The mode that the sweep recommends. */
export const SAFEST = 'WAIT 2 + min-replicas 2 + AOF always';
/** By the title of the mode. @type {Readonly<Record<string, PublishedFigures>>} */
export const PUBLISHED = Object.freeze({
  async: { p99: '3.38 ms' },
  'WAIT 1': { cost: '19% (12–28)' },
  'WAIT 2': { cost: '26% (19–35)' },
  'WAIT 2 + AOF everysec': { cost: '25 to 54%', p99: '4.19 ms' },
  'WAIT 1 + min-replicas 1 + AOF everysec': { cost: '19 to 45%', p99: '2.31 ms' },
  [SAFEST]: { cost: '82% (79–83)', p99: '6.02 ms' },
});
