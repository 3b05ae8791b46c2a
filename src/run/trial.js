/**
 * One trial: writers write while a script disturbs the stack. Then everything is undone and every write is looked for on every node.
 * @import { AgentsTrials, AgentsTrialThread } from '../agents/agents-trials.js'
 * @import { NodeReading } from '../audit/value.js'
 * @import { Site } from '../faults/types.js'
 * @import { TrialPlan, TrialThread } from '../load/trial-thread.js'
 * @import { Stack, StackOptions } from '../stacks/types.js'
 * @import { TrialOutcome } from './trial-document.js'
 * @import { Case, Company, Profile, TrialBenchmark as Benchmark } from './types.js'
 * @typedef {Object} TrialOptions
 * @property {Benchmark} benchmark @property {Case} theCase @property {number} round counted from 1
 * @property {Stack} stack healthy, and used by nobody else @property {Profile} profile
 * @property {string} folder of the run
 * @property {(error: UserError) => void} notKept called if a file of the audit cannot be written; the audit is made all the same
 * @property {StackOptions['commands']} [commands] of an external deployment, as the user gave them
 * @property {TrialThread} [thread] of the caller, who closes it; default: one of its own
 * @property {Pick<TrialPlan, 'readsPerSecond' | 'tickMs'>} [pace] of the thread; default: looks for stale reads, too
 * @property {AgentsTrials} [agentsTrials] run the writers, instead of this process @property {AbortSignal} signal
 * @typedef {{id: string, readings: Map<string, NodeReading>}} Former what the old primary held when it was back and still a primary, by writer
 */
import { saveLedger, saveReadings } from '../audit/files.js';
import { saveHistory } from '../audit/histories.js';
import { openLedger } from '../audit/ledger.js';
import { messageOf, UserError } from '../errors.js';
import { ALL_LINKS, slowLink } from '../faults/index.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { startTrialThread } from '../load/trial-thread.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { placedWriter } from '../registry/writers.js';
import { askNode, dataNodes } from '../stacks/ask.js';
import { clockMs } from '../stats/clock.js';
import { median } from '../stats/statistics.js';
import { readOwn } from './case.js';
import { explainFull } from './full-memory.js';
import { leftBehind, untilAborted } from './interruption.js';
import { newKeyPrefix } from './keys.js';
import { watchRemovals } from './removals.js';
import { createScene } from './scene.js';
import { describeTrial, factsOf, formerOf, waitsIn } from './trial-document.js';
import { planTrial } from './trial-plan.js';
import { readAll, readUntilNoneIsLate } from './trial-readings.js';

/** Sequential writes that wait for one replica, to measure a round trip between nodes. */
const LINK_PROBES = 11;

/**
 * @param {TrialOptions} options @returns {Promise<TrialOutcome>} when it resolves or rejects, everything is undone
 * @throws {import('./interruption.js').NotPutBack} a stack that stays could not be restored
 */
export async function runTrial(options) {
  const { stack, theCase, commands, pace } = options;
  const openJournal = () => createJournal(stack, { commands });
  // The keys have a journal of their own: nodes are read after faults and settings are undone and before keys are removed.
  const [last, journal] = [openJournal(), openJournal()];
  const elsewhere = openElsewhere(options);
  const lost = AbortSignal.any([elsewhere?.lost, stack.host.faultsLost?.()].flatMap((each) => each ?? []));
  const thread = elsewhere ?? options.thread ?? startTrialThread();
  const keyPrefix = newKeyPrefix(stack.access.keyPrefix);
  try {
    const places = (theCase.params.writers ?? []).flatMap((name) => placedWriter(name).place ?? []);
    await (elsewhere ? elsewhere.place(stack) : stack.network.groups?.admit(places));
    const plan = { ...planTrial(stack, theCase, keyPrefix, { elsewhere: elsewhere !== null }), ...pace };
    if (stays(stack)) {
      await last.note({ kind: 'keys', prefix: keyPrefix });
      await last.note({ kind: 'heal' });
    }
    return await carryOut(options, { stack, journal }, thread, { plan, keyPrefix, elsewhere, lost });
  } catch (error) {
    // What was under way when an agent was lost fails in many ways.
    if (lost.aborted && !options.signal.aborted) throw lost.reason;
    // Before the settings of the trial are put back.
    throw await explainFull(stack, error);
  } finally {
    if (thread !== options.thread) await thread.close();
    // Other stacks are removed with all that was done to them.
    if (stays(stack)) await putBack([journal, last]);
    else await journal.close({ abandon: true });
  }
}

/**
 * @param {TrialOptions} options @param {Site} site @param {TrialThread} thread
 * @param {{plan: TrialPlan, keyPrefix: string, elsewhere: AgentsTrialThread | null, lost: AbortSignal}} load lost: aborted when an agent is
 *   lost
 */
async function carryOut(options, site, thread, { plan, keyPrefix, elsewhere, lost }) {
  const { stack, theCase, benchmark, round, folder, signal } = options;
  // While they write, losing an agent ends the trial.
  const writing = AbortSignal.any([signal, lost]);
  const primary = await untilAborted(stack.database.primary(), signal);
  // Not aborted half-way: a setting made during the undoing would stay.
  const downAfterMs = await prepareStack(site, theCase);
  signal.throwIfAborted();
  const ownSettings = askNode(stack, primary.id, (control) => readOwn(stack, control));
  const own = await untilAborted(ownSettings, signal);
  const linkMs = await untilAborted(probeLink(stack, primary.id, `${keyPrefix}probe`), signal);

  const removals = watchRemovals(stack);
  await untilAborted(removals.noteAll(), signal);

  const clock = { beganAt: clockMs() };
  const { scene, events, hear, former } = openScene(options, site, {
    primary,
    downAfterMs,
    clock,
    plan,
    noteProcess: async (id) => (await removals.note(id))?.runId ?? null,
    signal: writing,
  });
  const watch = await stack.database.failover.watch(stack, hear);
  /** @type {Company | undefined} */
  let company;
  try {
    const companySite = { stack, theCase, plan, prefix: `${keyPrefix}company:` };
    company = benchmark.company && (await untilAborted(begun(benchmark.company(companySite)), signal));
    const startedAt = new Date().toISOString();
    const machineBefore = sampleMachine();
    clock.beganAt = (await untilAborted(begun(thread.start(plan)), writing)).beganAt;
    await benchmark.script?.(scene, theCase);
    const sample = await untilAborted(thread.stop(), writing);
    await untilAborted(company?.stop() ?? Promise.resolve(), writing);
    const machineCpu = machineUse(machineBefore, sampleMachine());
    const agents = elsewhere && (await untilAborted(elsewhere.agents(), writing));
    const load = { theCase, round, primaryId: primary.id, plan, sample };
    const facts = factsOf({ ...load, events: events() }).map((one) => ({ benchmark: benchmark.name, ...one }));
    // The ledgers are on disk before any node is read.
    for (const [index, { ledger }] of plan.writers.entries())
      await keep(options, saveLedger(folder, facts[index], openLedger(ledger)));

    const endedAt = clockMs();
    await site.journal.undoAll();
    await untilAborted(stack.heal(), signal);
    const leader = await untilAborted(stack.database.primary(), signal);
    const converged = { afterMs: clockMs() - endedAt, primary: leader.id };
    const counted = company && (await drained(options, company));
    const readings = await readUntilNoneIsLate(options, plan, sample);
    await untilAborted(removals.noteAll(), signal);
    const removed = removals.removed();
    for (const one of facts) {
      const found = { readings: readings.get(one.writer) ?? new Map(), primaryId: leader.id };
      await keep(options, saveReadings(folder, one, { ...found, former: formerOf(former(), one.writer) }));
    }
    return describeTrial({
      ...{ ...load, startedAt, machineCpu, downAfterMs, own, linkMs, converged, readings },
      ...(stack.network.groups && { network: stack.network.groups.by }),
      ...(agents && { agents }),
      events: events(),
      // What works beside the writers may set a TTL, as an application does.
      removed: removed && company ? { ...removed, hadExpiring: true } : removed,
      former: former(),
      ...(counted && { counted }),
    });
  } finally {
    watch.close();
    await company?.close();
  }
}

/**
 * @param {TrialOptions} options @param {Site} site
 * @param {Pick<Parameters<typeof createScene>[0], 'primary' | 'downAfterMs' | 'clock' | 'noteProcess' | 'signal'> & {plan: TrialPlan}} trial
 */
function openScene({ profile }, site, { plan, ...trial }) {
  /** @type {Former | null} */
  let former = null;
  const made = createScene({
    ...trial,
    site,
    profile,
    async readFormer(id) {
      const dueBy = (/** @type {number} */ index) =>
        Math.ceil(((clockMs() - trial.clock.beganAt) * plan.writers[index].rate) / 1000);
      try {
        former = { id, readings: await readAll(site.stack, id, plan.writers, dueBy) };
      } catch {
        // It was made a replica meanwhile and is loading: its old data is gone.
        made.scene.mark('former-unread', id);
      }
    },
  });
  return { ...made, former: () => former };
}

/** How files call a trial. @param {Pick<TrialOptions, 'benchmark' | 'theCase' | 'round'>} trial */
export function trialName({ benchmark, theCase, round }) {
  return { benchmark: benchmark.name, case: theCase.id, round };
}

/** @param {TrialOptions} options @returns {AgentsTrialThread | null} null: the writers run here */
function openElsewhere(options) {
  const { agentsTrials, stack, theCase } = options;
  const { writers = [], replicas, sentinels } = theCase.params;
  const of = { which: trialName(options), system: stack.database.name, waits: waitsIn(theCase.params) };
  return agentsTrials?.open({ ...of, writers, size: { replicas, sentinelCount: sentinels } }) ?? null;
}

/** @param {TrialOptions} options @param {Company} company */
async function drained(options, company) {
  const counted = await untilAborted(company.drain(), options.signal);
  for (const { name, lines } of counted.histories)
    await keep(options, saveHistory(options.folder, { ...trialName(options), name }, lines));
  return counted;
}

/** @param {Stack} stack @returns {boolean} it outlives the trial, so what was done to it is undone */
function stays({ about: { ours, endsWithRun } }) {
  return !ours && !endsWithRun;
}

/** The writers, or what works beside them, could not begin, so nothing was measured. */
export class NotBegun extends Error {}

/** @template T @param {Promise<T>} beginning @throws {NotBegun} */
function begun(beginning) {
  return beginning.catch((cause) => {
    throw new NotBegun(messageOf(cause), { cause });
  });
}

/** A full disk costs the files for a later audit, but not the measurement. @param {TrialOptions} options @param {Promise<unknown>} saved */
function keep({ notKept }, saved) {
  return saved.catch((error) => {
    if (!(error instanceof UserError)) throw error;
    notKept(error);
  });
}

/** @param {Site} site @param {Case} theCase @returns {Promise<number>} how long a node is silent before it is called down, milliseconds */
async function prepareStack(site, { params }) {
  const { stack } = site;
  const { settings, failover } = stack.database;
  const { settings: wanted = {}, replicaSettings, linkLatencyMs, downAfterMs } = params;
  const replicas = replicaSettings === undefined ? [] : await stack.database.replicas();
  await applySettings(site, {
    all: wanted,
    nodes: Object.fromEntries(replicas.map(({ id }) => [id, replicaSettings ?? {}])),
    sentinels: downAfterMs === undefined ? {} : failover.detectionSettings(downAfterMs),
  });
  // A node that a script restarts reads its file. The file of an existing deployment is not ours to write.
  if ((stack.about.backend !== 'external' || stack.about.endsWithRun) && Object.keys(wanted).length > 0) {
    await Promise.all(dataNodes(stack).map(({ id }) => askNode(stack, id, settings.persist)));
  }
  if (linkLatencyMs) await slowLink({ latencyMs: linkLatencyMs }).inject(site, ALL_LINKS);
  return failover.downAfterMs(stack);
}

/**
 * @param {Stack} stack @param {string} primaryId @param {string} key that no writer has
 * @returns {Promise<number | null>} median time of a write that waits for one replica when nothing else goes on, milliseconds; null: no
 *   replica answered
 */
function probeLink(stack, primaryId, key) {
  const { failover } = stack.database;
  return askNode(stack, primaryId, async (control) => {
    const times = [];
    try {
      for (let probe = 0; probe < LINK_PROBES; probe++) {
        const begins = clockMs();
        if (!(await failover.writeToReplica(control, key))) return null;
        times.push(clockMs() - begins);
      }
    } finally {
      await failover.forget(control, key);
    }
    return median(times);
  });
}

/** Restores a stack that stays, and removes our keys. @param {Site['journal'][]} journals in the order of undoing */
async function putBack(journals) {
  try {
    for (const journal of journals) {
      await journal.undoAll();
      await journal.close();
    }
  } catch (error) {
    throw leftBehind('The stack could not be put back as it was', error);
  }
}
