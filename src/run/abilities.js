/**
 * @import { Ability, Stack } from '../stacks/types.js'
 * @import { Benchmark, Case } from './types.js'
 */
import { serverText } from '../format.js';
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { linkAbilities } from '../stacks/network/links.js';
import { readYaml } from '../yaml.js';
import { SENTENCES } from './sentences.js';

/** Hosts of namespaces have no links that can be slowed. @type {readonly Ability[]} */
export const SLOWED = ['narrow-link', 'slow-link', 'slow-all'];
/** What is done to our own stacks only. @type {readonly Ability[]} */
const ONLY_OWN = ['power-loss', 'blocking-command', 'virtual-address'];

/** Abilities that commands of the user give to an external deployment. @type {readonly string[]} */
const NAMED_BY_COMMANDS = [...DISTURBING_ACTIONS, 'group-partition'];

/** @param {Pick<Benchmark, 'needs'>} benchmark of kind `trial` @param {Partial<Case['params']>} params of a case */
export function abilitiesFor({ needs = [] }, { linkLatencyMs }) {
  /** @type {Ability[]} */
  const always = linkLatencyMs ? ['configure', 'slow-link'] : ['configure'];
  return [...new Set([...needs, ...always])];
}

/**
 * @param {Benchmark} benchmark @param {Stack} stack one of ours stands for those that trials will start, which may have more abilities
 * @param {Partial<Case['params']>} [trialParams] what the user asks of trials
 * @returns {Ability[]} the abilities that it needs and that no stack here has
 */
export function missingFor(benchmark, { about: { ours, backend }, network, can }, trialParams = {}) {
  const isTrial = benchmark.kind === 'trial';
  const wanted = isTrial ? abilitiesFor(benchmark, trialParams) : (benchmark.needs ?? []);
  /** @type {Ability[]} */
  const has = [...can];
  // If this machine can: some benchmarks find that out for each of their cases.
  if (ours && isTrial && backend !== 'external') has.push('power-loss', 'fill', 'group-partition');
  if (ours && isTrial && backend === 'local') has.push('virtual-address');
  // Docker's own networks serve trials, so only `local` starts theirs with links. Stacks on hosts have a network instead, and a local stack has
  // either a relay, which slows links, or a network of groups.
  const linked = benchmark.stacks?.links || (isTrial && backend === 'local' && !wanted.includes('group-partition'));
  if (ours && linked && !network.groups) has.push(...linkAbilities(backend));
  return wanted.filter((ability) => !has.includes(ability));
}

/** What a stack cannot do, in words. @type {Readonly<Partial<Record<Ability, string>>>} */
const VERBS = readYaml(new URL('abilities.yaml', import.meta.url));

/** @param {Pick<Stack, 'about'>} stack @param {Ability[]} missing @returns {string} why a benchmark is skipped, and the remedy */
export function whySkipped({ about }, missing) {
  const { backend, ours, endsWithRun, server, whyNotConfigure } = about;
  const verbs = missing.map((each) => VERBS[each] ?? each).join(', ');
  const every = (/** @type {readonly string[]} */ of) => missing.every((ability) => of.includes(ability));
  const some = (/** @type {readonly string[]} */ of) => missing.some((ability) => of.includes(ability));
  if (every(['coordinated-failover'])) {
    const option = backend === 'docker' ? '--image' : '--server';
    return SENTENCES.text('no-coordinated', { server: serverText(server), option });
  }
  if (whyNotConfigure && missing.includes('configure'))
    return SENTENCES.text('changes-settings', { why: whyNotConfigure });
  if (endsWithRun) {
    const queue = some(['slow-link']) ? 'netem' : some(['narrow-link']) ? 'htb' : null;
    const other = some(SLOWED) ? 'local without --agents' : 'hosts';
    return SENTENCES.text(queue === null ? 'agents-cannot' : 'agents-cannot-slow', { verbs, queue, other });
  }
  const values = { backend, verbs, other: backend === 'local' ? 'docker' : 'local' };
  if (backend !== 'external') return SENTENCES.text(ours ? 'cannot-here' : 'cannot-while-up', values);
  if (some(ONLY_OWN)) return SENTENCES.text('cannot-external', values);
  if (every(NAMED_BY_COMMANDS)) return SENTENCES.text('cannot-without-commands', values);
  return SENTENCES.text(every(['failover']) ? 'cannot-without-leave' : 'cannot-external', values);
}
