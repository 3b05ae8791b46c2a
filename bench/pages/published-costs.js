/**
 * Figures of results/sample/main and results/sample/durable-modes, for pages of other suites. A test compares them with those samples.
 */

/**
 * @typedef {{cost: string, rates: string}} LoadCost
 *
 * What modes cost with nodes 1 ms apart.
 *
 * @type {{safest: Record<'one' | 'deep' | 'many', LoadCost>, modes: Record<string, {cost?: string, p99: string}>}}
 */
export const APART = Object.freeze({
  safest: {
    one: { cost: '99% (98–99)', rates: '420 /s of 33.7 k/s' },
    deep: { cost: '87% (84–89)', rates: '29.6 k/s of 210 k/s' },
    many: { cost: '82% (80–85)', rates: '11.9 k/s of 70.3 k/s' },
  },
  modes: {
    async: { p99: '3.38 ms' },
    'WAIT 1 + min-replicas 1 + AOF everysec': { cost: '98% (97–98)', p99: '5.44 ms' },
    'WAIT 2 + AOF everysec': { cost: '98% (98–99)', p99: '5.69 ms' },
    'WAIT 2 + min-replicas 2 + AOF always': { cost: '99% (98–99)', p99: '10.3 ms' },
  },
});
export const WITH_DISTANCE = `with nodes 1 ms apart, through a relay, WAIT 2 + min-replicas 2 + AOF always ${safestText(APART.safest)} (64 B, published run of \`durable-modes\`)`;

/**
 * @param {typeof APART.safest} safest
 * @returns {string} the end of a sentence about that mode
 */
function safestText({ one, deep, many }) {
  return `costs one connection ${one.cost} of throughput at pipeline depth 1 (${one.rates}) and ${deep.cost} at depth 100, and 50 connections together ${many.cost} (${many.rates})`;
}
