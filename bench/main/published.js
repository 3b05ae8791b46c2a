/**
 * Figures of results/sample/main, for pages of suites that measure no distance. A test compares them with that sample.
 */

export const WITH_DISTANCE =
  'with nodes 1 ms apart WAIT 1 alone costs one connection 95% (93–96) at pipeline depth 1, and 72% (70–73) at depth 100 (64 B, published run of `main`)';
