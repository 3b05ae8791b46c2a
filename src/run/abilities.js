/**
 * What benchmarks need a stack to be able to do, and whether it can.
 *
 * @import { Ability, Stack } from '../stacks/types.js'
 * @import { Benchmark, Case } from './types.js'
 */
import { serverText } from '../format.js';
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { linkAbilities } from '../stacks/links.js';

/** Hosts of namespaces have no links that can be slowed. @type {readonly Ability[]} */
export const SLOWED = ['narrow-link', 'slow-link', 'slow-all'];
/** What is done to our own stacks only. @type {readonly Ability[]} */
const ONLY_OWN = ['power-loss', 'blocking-command', 'virtual-address'];

/** Abilities that commands of the user give to an external deployment. @type {readonly string[]} */
const NAMED_BY_COMMANDS = [...DISTURBING_ACTIONS, 'group-partition'];

/**
 * @param {Pick<Benchmark, 'needs'>} benchmark of kind `trial`
 * @param {Partial<Case['params']>} params of a case
 * @returns {Ability[]} what a stack needs to be able to do for it
 */
export function abilitiesFor({ needs = [] }, { linkLatencyMs }) {
  /** @type {Ability[]} */
  const always = linkLatencyMs ? ['configure', 'slow-link'] : ['configure'];
  return [...new Set([...needs, ...always])];
}

/**
 * @param {Benchmark} benchmark
 * @param {Stack} stack of ours
 * @returns {readonly Ability[]} what a stack of its kind can also do when it is started for the benchmark, with links that can be slowed
 */
function withLinks({ kind, stacks }, { about: { ours, backend }, network }) {
  // Docker's own networks serve trials, so only `local` starts theirs with links.
  const linked = stacks?.links || (kind === 'trial' && backend === 'local');
  // Stacks on hosts have a network instead.
  return ours && linked && !network.groups ? linkAbilities(backend) : [];
}

/**
 * @param {Stack} stack of ours
 * @returns {Ability[]} what a stack of its kind can also do when it is started for a trial, if this machine can: some benchmarks find that
 *   out for each of their cases
 */
function abilitiesOfOwn({ about: { ours, backend } }) {
  if (!ours || backend === 'external') return [];
  /** @type {Ability[]} */
  const either = ['power-loss', 'fill', 'group-partition'];
  return backend === 'local' ? [...either, 'virtual-address'] : either;
}

/**
 * @param {Benchmark} benchmark
 * @param {Stack} stack one of ours stands for the stacks that trials will start,
 *   which may have links that can be slowed and partitioned, disks whose power can be cut, and a network of groups
 * @param {Partial<Case['params']>} [trialParams] what the user asks of all cases of failure benchmarks
 * @returns {Ability[]} the abilities that it needs and that no stack here has
 */
export function missingFor(benchmark, stack, trialParams = {}) {
  const isTrial = benchmark.kind === 'trial';
  const wanted = isTrial ? abilitiesFor(benchmark, trialParams) : (benchmark.needs ?? []);
  const ofOwn = isTrial ? abilitiesOfOwn(stack) : [];
  // A local stack has either a relay, which slows links, or a network of groups.
  const ofLinks = wanted.includes('group-partition') ? [] : withLinks(benchmark, stack);
  return wanted.filter((ability) => ![...stack.can, ...ofLinks, ...ofOwn].includes(ability));
}

/** What a stack cannot do, in a sentence; an ability that is not here has its own name. @type {Readonly<Partial<Record<Ability, string>>>} */
const VERBS = Object.freeze({
  'power-loss': 'cut the power of a disk',
  fill: 'fill the disk of a node',
  'virtual-address': 'move a virtual address with the primary',
  'group-partition': 'divide its network into groups',
  'blocking-command': 'block a node by a command',
  partition: 'separate a node from its peers',
  'slow-all': 'slow all links',
  'narrow-link': 'narrow the links of one node',
  'slow-link': 'slow the links of one node',
  failover: 'fail over by request',
  'coordinated-failover': 'hand over to a replica',
});

/**
 * @param {Pick<Stack, 'about'>} stack
 * @param {Ability[]} missing
 * @returns {string} why a benchmark is skipped, and the remedy
 */
export function whySkipped({ about }, missing) {
  const { backend, ours, endsWithRun, server, whyNotConfigure } = about;
  if (missing.every((ability) => ability === 'coordinated-failover')) return whyNotCoordinated(backend, server);
  if (whyNotConfigure && missing.includes('configure')) return `It changes settings. ${whyNotConfigure}`;
  const cannot = (/** @type {string} */ who) =>
    `The ${backend} ${who} cannot ${missing.map((each) => VERBS[each] ?? each).join(', ')} here;`;
  if (endsWithRun) {
    const remedy = missing.some((ability) => SLOWED.includes(ability)) ? 'local without --agents' : 'hosts';
    const queue = missing.includes('slow-link') ? 'netem' : missing.includes('narrow-link') ? 'htb' : null;
    const why = queue === null ? '' : `, which takes root, tc, and ${queue} in their kernels`;
    return `Agents cannot ${missing.map((each) => VERBS[each] ?? each).join(', ')} on their machines${why}; use --backend ${remedy}.`;
  }
  if (missing.some((ability) => ONLY_OWN.includes(ability)) && backend === 'external')
    return `${cannot('deployment')} use --backend local or docker.`;
  if (backend === 'external') {
    const commands = missing.every((ability) => NAMED_BY_COMMANDS.includes(ability));
    const allowed = missing.every((ability) => ability === 'failover');
    const remedy = allowed ? ', or allow it with --allow failover' : '';
    return `${cannot('deployment')} use --backend local or docker${commands ? ', name the commands that do it with --act, or start agents beside the nodes' : remedy}.`;
  }
  if (ours) return `${cannot('backend')} use --backend ${backend === 'local' ? 'docker' : 'local'}.`;
  return `${cannot('stack that is up')} take it down with \`sentinel-bench down\`; a run then starts stacks of its own.`;
}

/** @param {Stack['about']['backend']} backend @param {Stack['about']['server']} server */
function whyNotCoordinated(backend, server) {
  const option = backend === 'docker' ? '--image' : '--server';
  return `The Sentinels of ${serverText(server)} do not know SENTINEL FAILOVER … COORDINATED. It needs Valkey 9.0 or later; name one with ${option}.`;
}
