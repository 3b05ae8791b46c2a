/**
 * What a run will measure, what it will leave out, and why. Decided before anything is loaded.
 */
import { badInput } from '../errors.js';
import { plural, serverText } from '../format.js';
import { availableMemory, checkMemory, checkStorage } from '../measure/storage.js';
import { findClient } from '../registry/clients.js';
import { DISTURBING_ACTIONS } from '../stacks/actions.js';
import { linkAbilities } from '../stacks/links.js';
import { newKeys } from './keys.js';
import { stagesOf } from './own-stacks.js';
import { parametersOf } from './parameters.js';
import { whyEvicts } from './removals.js';
import { paceOf } from './rounds.js';
import { LONGEST_SECONDS } from './trial.js';

/**
 * @import { AgentsTrials } from '../agents/agents-trials.js'
 * @import { Ability, Stack, Control } from '../stacks/types.js'
 * @import { Testbed } from './rounds.js'
 * @import { RunOptions } from './suite.js'
 * @import { Benchmark, Case, Profile, StorageClass } from './types.js'
 */

/**
 * @typedef {Object} Planned
 * @property {Benchmark} benchmark
 * @property {Case[]} cases
 * @property {string | null} whyNot why it is not measured at all, and the remedy; null: it is measured
 * @property {string[]} leftOut durability modes of which no case is measured here
 * @property {{id: string, reason: string}[]} notMeasured cases that cannot be measured on this machine, and the remedy
 */

/** The largest values of data sets that are loaded first. A profile's number of keys is scaled by it. */
const LARGE_VALUE_BYTES = 180_000;

/**
 * @param {Testbed} testbed
 * @param {Pick<RunOptions, 'benchmarks' | 'client' | 'trialParams' | 'parameters' | 'stack'>} options
 * @param {readonly StorageClass[]} storages
 * @returns {Promise<Planned[]>}
 * @throws {import('../errors.js').UserError} a data set does not fit, or a node refuses a setting; nothing is changed then
 */
export async function planBenchmarks(
  testbed,
  { benchmarks, client, trialParams, parameters = {}, stack: how },
  storages,
) {
  const { stack, profile: chosenProfile } = testbed;
  const memoryBytes = availableMemory();
  const preloadKeys = preloadKeysFor(chosenProfile, { payloadBytes: LARGE_VALUE_BYTES, memoryBytes });
  const profile = { ...chosenProfile, preloadKeys };
  const isAllowed = await mayMeasure(stack, testbed.controls.values());
  const whyNoRoom = await roomOn(testbed);
  const replicas = stack.nodes.filter(({ kind }) => kind !== 'sentinel').length - 1;
  // Our own stacks were started with them.
  const everywhere = stack.ours ? undefined : how.settings;
  if (everywhere && !isAllowed({ params: { settings: everywhere } })) {
    throw badInput(
      'A node of this deployment has its append-only file off; switching it on would overwrite an older one.',
      'Leave out `--set appendonly=yes`, or use --backend local or docker.',
    );
  }
  if (everywhere) await tryOut(testbed, everywhere);

  const plan = await inOrder(benchmarks, async (benchmark) => {
    const cases = benchmark
      .cases({ profile, client, server: stack.server, servers: how.servers, replicas, storages, parameters })
      .filter(({ params }) => benchmark.kind !== 'custom' || client === undefined || params.client === client)
      .map((theCase) => withAsked(theCase, benchmark.kind === 'trial' ? trialParams : undefined, everywhere));
    const notMeasured = await whyNotCases(benchmark, cases, testbed, whyNoRoom);
    const allowed = cases.filter((each) => isAllowed(each) && !notMeasured.some(({ id }) => id === each.id));
    const missing = missingFor(benchmark, stack, trialParams);
    const whyNot =
      missing.length > 0
        ? whySkipped(stack, missing)
        : benchmark.stacks && !stack.ours
          ? whyNotOwn(stack)
          : cases.length === 0
            ? `It has no case for the client ${client}; leave out --client.`
            : (testbed.agentsLoad || testbed.agentsTrials) && !parametersOf(benchmark).includes('agents')
              ? 'Agents send plain rounds of load and run writers of trials, and it has neither; run it without --agents.'
              : null;
    // A benchmark that is not measured at all has its own reason.
    const leftOut =
      whyNot === null ? cases.filter((each) => !isAllowed(each)).map(({ params, id }) => params.mode ?? id) : [];
    const nothingLeft = whyNot === null && notMeasured.length > 0 && allowed.length === 0;
    const reason = nothingLeft ? notMeasured[0].reason : whyNot;
    return {
      benchmark,
      cases: allowed,
      whyNot: reason,
      leftOut: [...new Set(leftOut)],
      notMeasured: whyNot === null ? notMeasured.filter((each) => each.reason !== reason) : [],
    };
  });
  await checkRoom(
    plan.filter(({ whyNot }) => whyNot === null),
    { storages, profile },
  );
  return plan;
}

/**
 * @template T, R
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
async function inOrder(items, work) {
  const results = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/**
 * @param {Benchmark} benchmark
 * @param {readonly Case[]} cases
 * @param {Pick<Testbed, 'stack' | 'agentsLoad' | 'agentsTrials' | 'whyNotOnAgents'>} testbed
 * @param {Awaited<ReturnType<typeof roomOn>>} whyNoRoom
 */
async function whyNotCases(benchmark, cases, { stack, agentsLoad, agentsTrials, whyNotOnAgents }, whyNoRoom) {
  const { kind, whyNotCase } = benchmark;
  const byAgents =
    kind === 'trial' ? whyNotTrial(benchmark, agentsTrials, whyNotOnAgents) : agentsLoad && whyNotByAgents;
  const reasons = await inOrder(cases, async (theCase) => ({
    id: theCase.id,
    reason: (await whyNotCase?.(theCase, stack)) ?? byAgents?.(theCase) ?? whyNoRoom(theCase),
  }));
  return reasons.flatMap(({ id, reason }) => (reason === null ? [] : [{ id, reason }]));
}

/**
 * Keys of a benchmark must not push out those of an application.
 *
 * @param {Pick<Testbed, 'stack' | 'controls'>} testbed
 * @returns {Promise<(theCase: Case) => string | null>} why an existing deployment would evict keys to make room, and the remedy
 */
async function roomOn({ stack: { backend, endsWithRun, system }, controls }) {
  const { room } = system.samples;
  const rooms =
    backend !== 'external' || endsWithRun || !room ? [] : await Promise.all([...controls.values()].map(room));
  return ({ params }) => {
    const { writers = [], rate = 0, payloadBytes } = params;
    const keys = writers.length > 0 ? writers.length * rate * LONGEST_SECONDS : newKeys([{ id: '', params }]).count;
    return whyEvicts(rooms, { keys, payloadBytes });
  };
}

/**
 * @param {Benchmark} benchmark
 * @param {AgentsTrials | undefined} agents
 * @param {Testbed['whyNotOnAgents']} whyNotOnAgents
 * @returns {(theCase: Case) => string | null}
 */
function whyNotTrial(benchmark, agents, whyNotOnAgents) {
  return ({ params: { writers = [], replicas, sentinels, ...params } }) => {
    const size = { replicas, sentinelCount: sentinels };
    const apart = abilitiesFor(benchmark, params).some((ability) => SLOWED.includes(ability));
    return whyNotOnAgents?.(size) ?? agents?.whyNot(writers, size, { apart }) ?? null;
  };
}

/** @param {Case} theCase */
function whyNotByAgents({ params: { client } }) {
  if (findClient(client)?.connect !== undefined) return null;
  return `Agents run no programs and no drivers, such as ${client}; measure it without --agents.`;
}

/**
 * @param {Case} theCase
 * @param {Partial<Case['params']> | undefined} askedParams by the user
 * @param {Record<string, string> | undefined} settings that the user asks for
 * @returns {Case} its own parameters take precedence
 */
function withAsked(theCase, askedParams, settings) {
  const params = { ...askedParams, ...theCase.params };
  return { ...theCase, params: settings ? { ...params, settings: { ...settings, ...params.settings } } : params };
}

/**
 * @param {Testbed} testbed
 * @param {Record<string, string>} settings
 * @throws {import('../errors.js').UserError} a node does not know or refuses one; the former values are back then
 */
async function tryOut({ stack, tuning }, settings) {
  const { id } = await stack.primary();
  const replicas = await stack.replicas();
  await tuning.become({ settings }, { primary: id, replicas: replicas.map((each) => each.id) });
  await tuning.back();
}

/** @param {Stack} stack that is not ours */
function whyNotOwn({ backend }) {
  return backend === 'external'
    ? 'It starts and stops stacks of its own and never touches an existing deployment; use --backend local or docker.'
    : 'It starts stacks of its own, but one is already up; take it down with `sentinel-bench down` first.';
}

/**
 * What benchmarks need a stack to be able to do, and whether it can.
 */

const SLOW_LINK = /** @type {const} */ ('slow-link');
/** @type {Ability} */
const NARROW_LINK = 'narrow-link';
/** @type {Ability} */
const POWER_LOSS = 'power-loss';
/** @type {Ability} */
const FULL_DISK = 'fill';
/** @type {Ability} */
const COORDINATED = 'coordinated-failover';

/** @type {Ability} */
const GROUPS = 'group-partition';
/** @type {Ability} */
const VIRTUAL_ADDRESS = 'virtual-address';

/** Hosts of namespaces have no links that can be slowed. @type {readonly Ability[]} */
const SLOWED = [NARROW_LINK, SLOW_LINK, 'slow-all'];
/** What is done to our own stacks only. @type {readonly Ability[]} */
const ONLY_OWN = [POWER_LOSS, 'blocking-command', 'virtual-address'];

/** Abilities that commands of the user give to an external deployment. @type {readonly string[]} */
const NAMED_BY_COMMANDS = [...DISTURBING_ACTIONS, GROUPS];

/**
 * @param {Pick<Benchmark, 'needs'>} benchmark of kind `trial`
 * @param {Partial<Case['params']>} params of a case
 * @returns {Ability[]} what a stack needs to be able to do for it
 */
export function abilitiesFor({ needs = [] }, { linkLatencyMs }) {
  return [...new Set([...needs, /** @type {const} */ ('configure'), ...(linkLatencyMs ? [SLOW_LINK] : [])])];
}

/**
 * @param {Benchmark} benchmark
 * @param {Stack} stack of ours
 * @returns {readonly Ability[]} what a stack of its kind can also do when it is started for the benchmark, with links that can be slowed
 */
function withLinks({ kind, stacks }, { ours, backend, network }) {
  // Docker's own networks serve trials, so only `local` starts theirs with links.
  const linked = stacks?.links || (kind === 'trial' && backend === 'local');
  // Stacks on hosts have a network instead.
  return ours && linked && !network ? linkAbilities(backend) : [];
}

/**
 * @param {Stack} stack of ours
 * @returns {Ability[]} what a stack of its kind can also do when it is started for a trial, if this machine can: some benchmarks find that
 *   out for each of their cases
 */
function abilitiesOfOwn({ ours, backend }) {
  if (!ours || backend === 'external') return [];
  return [POWER_LOSS, FULL_DISK, GROUPS, ...(backend === 'local' ? [VIRTUAL_ADDRESS] : [])];
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
  const ofLinks = wanted.includes(GROUPS) ? [] : withLinks(benchmark, stack);
  return wanted.filter((ability) => ![...stack.can, ...ofLinks, ...ofOwn].includes(ability));
}

/** @param {Ability} ability */
function verbOf(ability) {
  if (ability === POWER_LOSS) return 'cut the power of a disk';
  if (ability === FULL_DISK) return 'fill the disk of a node';
  if (ability === VIRTUAL_ADDRESS) return 'move a virtual address with the primary';
  if (ability === GROUPS) return 'divide its network into groups';
  if (ability === 'blocking-command') return 'block a node by a command';
  if (ability === 'partition') return 'separate a node from its peers';
  if (ability === 'slow-all') return 'slow all links';
  if (ability === NARROW_LINK) return 'narrow the links of one node';
  if (ability === 'slow-link') return 'slow the links of one node';
  if (ability === 'failover') return 'fail over by request';
  return ability === COORDINATED ? 'hand over to a replica' : ability;
}

/**
 * @param {Stack} stack
 * @param {Ability[]} missing
 * @returns {string} why a benchmark is skipped, and the remedy
 */
export function whySkipped({ backend, ours, endsWithRun, server, whyNotConfigure }, missing) {
  if (missing.every((ability) => ability === COORDINATED)) return whyNotCoordinated(backend, server);
  if (whyNotConfigure && missing.includes('configure')) return `It changes settings. ${whyNotConfigure}`;
  const cannot = (/** @type {string} */ who) => `The ${backend} ${who} cannot ${missing.map(verbOf).join(', ')} here;`;
  if (endsWithRun) {
    const remedy = missing.some((ability) => SLOWED.includes(ability)) ? 'local without --agents' : 'hosts';
    const queue = missing.includes(SLOW_LINK) ? 'netem' : missing.includes(NARROW_LINK) ? 'htb' : null;
    const why = queue === null ? '' : `, which takes root, tc, and ${queue} in their kernels`;
    return `Agents cannot ${missing.map(verbOf).join(', ')} on their machines${why}; use --backend ${remedy}.`;
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

/**
 * @param {Stack['backend']} backend
 * @param {Stack['server']} server
 */
function whyNotCoordinated(backend, server) {
  const option = backend === 'docker' ? '--image' : '--server';
  return `The Sentinels of ${serverText(server)} do not know SENTINEL FAILOVER … COORDINATED. It needs Valkey 9.0 or later; name one with ${option}.`;
}

/**
 * Problems that would stop a run half-way are found before it begins: too little room for data sets, unknown settings, and files
 * of somebody else that a setting would overwrite.
 */

/** The largest share of free memory for a scaled data set: several nodes hold it, and forks copy it. */
const SHARE_OF_MEMORY = 1 / 6;
/** While a child of the server saves the data set and every key is overwritten, all of it exists twice. */
const COPIES_WHILE_FORKED = 2;
/** Replicas of our own stacks. */
const ALL_REPLICAS = 2;
/** Redis needs this much memory for a large value, compared with its size. */
const OVERHEAD = 1.2;
/** The base file, the increments, and the file being written; a snapshot replaces one of them. */
const COPIES_ON_DISK = 3;
/** The most that a load measured here writes to an append-only file. */
const WRITTEN_BYTES_A_SECOND = 1e9;
/** The file of a round is only removed once the file of the next round is complete. */
const ROUNDS_ON_DISK = 2;

/**
 * @param {Profile} profile
 * @param {Object} options
 * @param {number} options.payloadBytes of each value of a data set
 * @param {number} options.memoryBytes that are free
 * @returns {number} keys; those of `full` are never scaled
 */
export function preloadKeysFor({ name, preloadKeys }, { payloadBytes, memoryBytes }) {
  if (name === 'full') return preloadKeys;
  return Math.max(1, Math.min(preloadKeys, Math.floor((memoryBytes * SHARE_OF_MEMORY) / payloadBytes)));
}

/**
 * @param {readonly {benchmark: Benchmark, cases: Case[]}[]} plan
 * @param {Object} options
 * @param {readonly StorageClass[]} options.storages
 * @param {Profile} options.profile
 * @throws {UserError} a data set does not fit into memory, or on a disk
 */
export async function checkRoom(plan, { storages, profile }) {
  for (const { benchmark, cases } of plan) {
    if (!benchmark.stacks) continue;
    const { seconds, warmUpSeconds } = paceOf(benchmark, profile);
    for (const { keys, payloadBytes, replicas = ALL_REPLICAS, storage } of stagesOf(cases)) {
      const set = keys * payloadBytes;
      const nodes = 1 + replicas;
      const what = `a data set of ${plural(keys, 'key')} on ${plural(nodes, 'node')}, and what a fork copies of it`;
      await checkMemory(set * OVERHEAD * nodes * COPIES_WHILE_FORKED, what);
      const place = storages.find(({ label }) => label === storage);
      if (!place) continue;
      const written = WRITTEN_BYTES_A_SECOND * (seconds + warmUpSeconds) * ROUNDS_ON_DISK;
      await checkStorage(place, (set * COPIES_ON_DISK + written) * nodes);
    }
  }
}

/**
 * @param {Stack} stack
 * @param {Iterable<Pick<Control, 'call'>>} controls of its data nodes
 * @returns {Promise<(theCase: {params: Pick<Case['params'], 'settings' | 'replicaSettings'>}) => boolean>} false: measuring the case
 *   there would destroy data of somebody else's deployment
 */
export async function mayMeasure(stack, controls) {
  const mayChange = await stack.system.settings.mayChange(stack, controls);
  return ({ params: { settings = {}, replicaSettings = {} } }) => mayChange(settings) && mayChange(replicaSettings);
}
