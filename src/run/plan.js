/**
 * What a run will measure, what it will leave out, and why. Decided before anything is loaded.
 * @import { Stack, Control } from '../stacks/types.js'
 * @import { Testbed } from './rounds.js'
 * @import { RunOptions } from './suite.js'
 * @import { Benchmark, Case, CaseOptions, StorageClass } from './types.js'
 * @typedef {Pick<RunOptions, 'trialParams'> & {options: CaseOptions, settings?: Record<string, string>, whyNoRoom: WhyNot,
 *   isAllowed: Awaited<ReturnType<typeof mayMeasure>>}} Wanted
 * @typedef {(theCase: Case) => string | null} WhyNot a case is not measured, and the remedy; null: it is
 */
import { badInput } from '../errors.js';
import { findClient } from '../registry/clients.js';
import { abilitiesFor, missingFor, SLOWED, whySkipped } from './abilities.js';
import { whyNotAsAsked, withAsked } from './asked.js';
import { FullMemory, isFull } from './full-memory.js';
import { newKeys } from './keys.js';
import { parametersOf } from './parameters.js';
import { whyEvicts } from './removals.js';
import { checkRoom, preloadKeysFor } from './room.js';
import { SENTENCES } from './sentences.js';
import { LONGEST_SECONDS } from './trial-plan.js';

/**
 * @param {Testbed} testbed @param {Pick<RunOptions, 'benchmarks' | 'client' | 'trialParams' | 'parameters' | 'stack'>} asked
 * @param {readonly StorageClass[]} storages
 * @throws {import('../errors.js').UserError} a data set does not fit, or a node refuses a setting; nothing is changed then
 */
export async function planBenchmarks(testbed, asked, storages) {
  const { benchmarks, client, trialParams, parameters = {}, stack: how } = asked;
  const { settings, servers } = how;
  const { stack } = testbed;
  const { ours, server } = stack.about;
  const profile = { ...testbed.profile, preloadKeys: preloadKeysFor(testbed.profile) };
  const isAllowed = await mayMeasure(stack, testbed.controls.values());
  const whyNoRoom = await roomOn(testbed);
  const replicas = stack.nodes.filter(({ kind }) => kind !== 'sentinel').length - 1;
  if (!ours && settings) {
    if (!isAllowed({ params: { settings } })) throw SENTENCES.problem('append-only-file-off');
    await tryOut(testbed, settings);
  }
  const options = { profile, client, server, servers, replicas, storages, parameters };
  const wanted = { options, trialParams, settings, whyNoRoom, isAllowed };
  const made = [];
  for (const benchmark of benchmarks) made.push(await planOne(benchmark, testbed, wanted));
  const [refusal] = made.flatMap((each) => each.refusal ?? []);
  if (refusal && made.every((each) => each.refusal !== null)) throw badInput(refusal.message, refusal.remedy);
  const plan = made.map(({ planned }) => planned);
  await checkRoom(
    plan.filter(({ whyNot }) => whyNot === null),
    { storages, profile },
  );
  return plan;
}

/**
 * @param {Benchmark} benchmark @param {Testbed} testbed @param {Wanted} wanted
 * @returns planned: whyNot: why it is not measured at all, and the remedy; leftOut: durability modes without a case that may be measured
 *   here; notMeasured: cases that cannot be. refusal: of the first case, if none can be measured as the user asks
 */
async function planOne(benchmark, testbed, { options, trialParams, settings, whyNoRoom, isAllowed }) {
  const { ours } = testbed.stack.about;
  const { client } = options;
  const asked = { params: benchmark.kind === 'trial' ? trialParams : undefined, settings };
  const isOfClient = (/** @type {Case} */ { params }) =>
    benchmark.kind !== 'custom' || client === undefined || params.client === client;
  const cases = benchmark.cases(options).filter(isOfClient);
  const answers = cases.map((theCase) => ({ theCase, unmet: whyNotAsAsked(theCase.params, asked) }));
  const refused = answers.flatMap(({ theCase: { id }, unmet }) => (unmet ? { id, ...unmet } : []));
  const own = answers.flatMap(({ theCase, unmet }) => (unmet ? [] : theCase));
  // Our own stacks were started with the settings.
  const taken = own.map((theCase) => withAsked(theCase, ours ? { params: asked.params } : asked));
  const notMeasured = [
    ...refused.map(({ id, message, remedy }) => ({ id, reason: `${message} ${remedy}` })),
    ...twins(taken),
    ...(await whyNotCases(benchmark, { own, taken }, testbed, whyNoRoom)),
  ];
  const allowed = taken.filter((each) => isAllowed(each) && !notMeasured.some(({ id }) => id === each.id));
  const whyNot = whyNotBenchmark(benchmark, testbed, { trialParams, client, none: cases.length === 0 });
  // A benchmark that is not measured at all has its own reason.
  const leftOut = whyNot === null ? taken.filter((each) => !isAllowed(each)) : [];
  const nothingLeft = whyNot === null && notMeasured.length > 0 && allowed.length === 0;
  const reason = nothingLeft ? notMeasured[0].reason : whyNot;
  const planned = {
    benchmark,
    cases: allowed,
    whyNot: reason,
    leftOut: [...new Set(leftOut.map(({ params, id }) => params.mode ?? id))],
    notMeasured: whyNot === null ? notMeasured.filter((each) => each.reason !== reason) : [],
  };
  return { planned, refusal: own.length === 0 ? (refused[0] ?? null) : null };
}

/** Cases that another one measures: what the user asks for may make two of them the same. @param {readonly Case[]} cases */
function twins(cases) {
  const keyOf = (/** @type {Case} */ { params }) => JSON.stringify(Object.entries(params).sort());
  const first = new Map(cases.toReversed().map((theCase) => [keyOf(theCase), theCase.id]));
  const found = cases.map((theCase) => ({ id: theCase.id, twin: first.get(keyOf(theCase)) }));
  return found.flatMap(({ id, twin }) => (id === twin ? [] : { id, reason: SENTENCES.text('twin', { id: twin }) }));
}

/**
 * @param {Benchmark} benchmark @param {Testbed} testbed
 * @param {Pick<Wanted, 'trialParams'> & {client?: string, none: boolean}} wanted none: it has no case for the client
 */
function whyNotBenchmark(benchmark, { stack, agents }, { trialParams, client, none }) {
  const missing = missingFor(benchmark, stack, trialParams);
  if (missing.length > 0) return whySkipped(stack, missing);
  if (benchmark.stacks && !stack.about.ours)
    return SENTENCES.text(stack.about.backend === 'external' ? 'own-stacks-external' : 'own-stacks-up');
  if (none) return SENTENCES.text('no-case-for-client', { client });
  const byAgents = agents?.load || agents?.trials;
  return byAgents && !parametersOf(benchmark).includes('agents') ? SENTENCES.text('not-by-agents') : null;
}

/**
 * @param {Benchmark} benchmark
 * @param {{own: readonly Case[], taken: readonly Case[]}} cases own: as the benchmark has them; taken: the same with what the user asks for
 * @param {Testbed} testbed @param {WhyNot} whyNoRoom
 */
async function whyNotCases(benchmark, { own, taken }, testbed, whyNoRoom) {
  const found = [];
  for (const [index, theCase] of taken.entries()) {
    const whyNotHere = await benchmark.whyNotCase?.(own[index], testbed.stack);
    const reason = whyNotHere ?? whyNotByAgents(theCase, testbed, benchmark) ?? whyNoRoom(theCase);
    if (reason !== null) found.push({ id: theCase.id, reason });
  }
  return found;
}

/** @param {Case} theCase @param {Testbed} testbed @param {Benchmark} benchmark */
function whyNotByAgents({ params }, { agents }, benchmark) {
  const { client, replicas, sentinels, writers = [] } = params;
  if (benchmark.kind !== 'trial')
    return agents?.load && !findClient(client)?.connect ? SENTENCES.text('program-not-by-agents', { client }) : null;
  const size = { replicas, sentinelCount: sentinels };
  const apart = abilitiesFor(benchmark, params).some((ability) => SLOWED.includes(ability));
  return agents?.nodes?.whyNot(size) ?? agents?.trials?.whyNot(writers, size, { apart }) ?? null;
}

/** Our keys must not push out those of an application, and a full primary takes none. @param {Testbed} testbed @returns {Promise<WhyNot>} */
async function roomOn({ stack: { about, database }, controls }) {
  const { room } = database.samples;
  if (!room) return () => null;
  const byNode = new Map();
  for (const [id, control] of controls) byNode.set(id, await room(control));
  const { id } = await database.primary();
  const ofPrimary = byNode.get(id);
  const full = ofPrimary && isFull(ofPrimary) ? new FullMemory(id, ofPrimary) : null;
  const rooms = about.backend === 'external' && !about.endsWithRun ? [...byNode.values()] : [];
  return ({ params }) => {
    const { writers = [], rate = 0, payloadBytes, settings } = params;
    if (full && settings?.maxmemory === undefined) return `${full.message} ${full.remedy}`;
    const keys = writers.length > 0 ? writers.length * rate * LONGEST_SECONDS : newKeys([{ id: '', params }]).count;
    return whyEvicts(rooms, { keys, payloadBytes });
  };
}

/** The former values are back when it ends. @param {Testbed} testbed @param {Record<string, string>} settings @throws a node refuses one */
async function tryOut({ stack, tuning }, settings) {
  const { id } = await stack.database.primary();
  const replicas = await stack.database.replicas();
  await tuning.become({ settings }, { primary: id, replicas: replicas.map((each) => each.id) });
  await tuning.back();
}

/**
 * @param {Stack} stack @param {Iterable<Pick<Control, 'call'>>} controls of its data nodes
 * @returns whether a case may be measured there, or would destroy data of somebody else's deployment
 */
export async function mayMeasure(stack, controls) {
  const mayChange = await stack.database.settings.mayChange(stack, controls);
  return (/** @type {{params: Pick<Case['params'], 'settings' | 'replicaSettings'>}} */ { params }) =>
    mayChange(params.settings ?? {}) && mayChange(params.replicaSettings ?? {});
}
