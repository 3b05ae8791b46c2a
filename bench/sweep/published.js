/**
 * Figures of results/sample/config-sweep, for pages of suites that do not measure what modes cost. A test compares them with that sample.
 */

/** @typedef {{cost?: string, p99?: string}} PublishedFigures cost: of throughput at pipeline depth 1; p99: response time at {@link PUBLISHED_RATE} */

/** What the response times were measured at. */
export const PUBLISHED_RATE = '1.00 k/s';
/** By the title of the mode. @type {Readonly<Record<string, PublishedFigures>>} */
export const PUBLISHED = Object.freeze({
  async: { p99: '2.13 ms' },
  'WAIT 2': { cost: '40% (39–51)' },
  'WAIT 2 + AOF everysec': { cost: '47% (38–55)' },
  'WAIT 2 + min-replicas 2 + AOF always': { cost: '85% (84–87)', p99: '6.67 ms' },
});
