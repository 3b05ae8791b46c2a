/**
 * What benchmarks need a stack to be able to do, and whether one can.
 */
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { CAN_RELAY, LINK_ABILITIES } from '../stacks/redis/relay/relay.js';

/**
 * @import { Ability, Cluster } from '../stacks/types.js'
 * @import { Benchmark, Case } from './types.js'
 */

const SLOW_LINK = /** @type {const} */ ('slow-link');

/** Abilities that commands give to an external cluster. @type {readonly string[]} */
const NAMED_BY_COMMANDS = DISTURBING_ACTIONS;

/**
 * @param {Pick<Benchmark, 'needs'>} benchmark of kind `trial`
 * @param {Partial<Case['params']>} params of a case
 * @returns {Ability[]} what a stack has to be able to do for it
 */
export function abilitiesFor({ needs }, { linkLatencyMs }) {
  return [...new Set([...needs, /** @type {const} */ ('configure'), ...(linkLatencyMs ? [SLOW_LINK] : [])])];
}

/**
 * @param {Cluster} cluster of ours
 * @returns {boolean} whether a stack of its kind can be started with links that are in our hands
 */
function canHaveLinks({ ours, backend }) {
  return ours && backend === 'local' && CAN_RELAY;
}

/**
 * @param {Benchmark} benchmark
 * @param {Cluster} cluster one of ours stands for the stacks that will be started for trials,
 *   and those can be asked for with links
 * @param {Partial<Case['params']>} [trialParams] what the user asks of all cases of failure benchmarks
 * @returns {Ability[]} abilities that it needs and that are not to be had
 */
export function missingFor(benchmark, cluster, trialParams = {}) {
  const isTrial = benchmark.kind === 'trial';
  const wanted = isTrial ? abilitiesFor(benchmark, trialParams) : benchmark.needs;
  const withLinks = isTrial && canHaveLinks(cluster) ? LINK_ABILITIES : [];
  return wanted.filter((ability) => !cluster.can.has(ability) && !withLinks.includes(ability));
}

/**
 * @param {Cluster} cluster
 * @param {Ability[]} missing
 * @returns {string} why a benchmark is skipped, and the remedy
 */
export function whySkipped({ backend, ours }, missing) {
  const cannot = (/** @type {string} */ who) => `The ${backend} ${who} cannot ${missing.join(', ')} here;`;
  if (backend === 'external') {
    const commands = missing.every((ability) => NAMED_BY_COMMANDS.includes(ability));
    return `${cannot('deployment')} use --backend local or docker${commands ? ', or name the commands that do it with --act' : ''}.`;
  }
  if (ours) return `${cannot('backend')} use --backend ${backend === 'local' ? 'docker' : 'local'}.`;
  return `${cannot('stack that is up')} take it down with \`sentinel-bench down\`, and a run starts stacks of its own.`;
}
