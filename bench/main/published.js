/**
 * Figures of results/sample/main and results/sample/durable-modes, for pages of other suites. A test compares them with those samples.
 */

export const WITH_DISTANCE =
  'with nodes 1 ms apart, through a relay, WAIT 2 + min-replicas 2 + AOF always costs one connection 99% (98–99) of throughput at pipeline depth 1 (420 /s of 33.7 k/s) and 87% (84–89) at depth 100, and 50 connections together 82% (80–85) (11.9 k/s of 70.3 k/s; 64 B, published run of `durable-modes`)';
/** One connection at pipeline depth 1, and p99 at 1,000 writes/s on 10 connections, with nodes 1 ms apart. By the title of the mode. @type {Readonly<Record<string, {cost?: string, p99: string}>>} */
export const APART = Object.freeze({
  async: { p99: '3.38 ms' },
  'WAIT 1 + min-replicas 1 + AOF everysec': { cost: '98% (97–98)', p99: '5.44 ms' },
  'WAIT 2 + AOF everysec': { cost: '98% (98–99)', p99: '5.69 ms' },
  'WAIT 2 + min-replicas 2 + AOF always': { cost: '99% (98–99)', p99: '10.3 ms' },
});
/** Of throughput: WAIT 1, sent with its write, native, one connection, pipeline depth 1. */
export const WAIT_COST = '34% (28–39)';
