/**
 * Figures of results/sample/main, for pages of other suites. A test compares them with that sample.
 */

export const WITH_DISTANCE =
  'with nodes 1 ms apart, through a relay, WAIT 1 alone costs one connection 95% (93–96) at pipeline depth 1, and 72% (70–73) at depth 100 (64 B, published run of `main`)';
/** Of throughput: WAIT 1, sent with its write, native, one connection, pipeline depth 1. */
export const WAIT_COST = '34% (28–39)';
