/**
 * One trial: writers write while a script disturbs the stack. Then everything is undone and every write is looked for on every
 * node.
 */
import { saveLedger, saveReadings } from '../audit/files.js';
import { saveHistory } from '../audit/histories.js';
import { createLedger, openLedger, State } from '../audit/ledger.js';
import { messageOf, UserError } from '../errors.js';
import { ALL_LINKS, slowLink } from '../faults/index.js';
import { createJournal } from '../faults/journal.js';
import { applySettings } from '../faults/settings.js';
import { startTrialThread } from '../load/trial-thread.js';
import { machineUse, sampleMachine } from '../measure/machine.js';
import { findWriter, placedWriter } from '../registry/writers.js';
import { askNode, dataNodes, nodeOf } from '../stacks/ask.js';
import { clockMs } from '../stats/clock.js';
import { median } from '../stats/statistics.js';
import { waitFor } from '../wait.js';
import { explainFull } from './full-memory.js';
import { NotPutBack, untilAborted } from './interruption.js';
import { newKeyPrefix } from './keys.js';
import { readOwn } from './own-settings.js';
import { watchRemovals } from './removals.js';
import { createScene } from './scene.js';
import { describeTrial, factsOf, formerOf, waitsIn } from './trial-document.js';

/**
 * @import { AgentsTrials, AgentsTrialThread } from '../agents/agents-trials.js'
 * @import { NodeReading } from '../audit/value.js'
 * @import { Site } from '../faults/types.js'
 * @import { TrialPlan, TrialSample, TrialThread, WriterPlan } from '../load/trial-thread.js'
 * @import { Stack, StackOptions } from '../stacks/types.js'
 * @import { TrialOutcome } from './trial-document.js'
 * @import { Case, Company, Profile, TrialBenchmark as Benchmark } from './types.js'
 */

/**
 * @typedef {Object} TrialOptions
 * @property {Stack} stack healthy, and used by nobody else
 * @property {Benchmark} benchmark
 * @property {Case} theCase
 * @property {number} round counted from 1
 * @property {Profile} profile
 * @property {string} folder of the run
 * @property {(error: UserError) => void} notKept called if a file of the audit cannot be written; the audit is made all the same
 * @property {StackOptions['commands']} [commands] of an external deployment, as the user gave them
 * @property {TrialThread} [thread] of the caller, who closes it; default: one of its own
 * @property {Pick<TrialPlan, 'readsPerSecond' | 'tickMs'>} [pace] of the thread; default: looks for stale reads, too
 * @property {ReturnType<typeof import('./progress.js').timelineTeller>} timeline told of each event as it happens
 * @property {AgentsTrials} [agentsTrials] run the writers, instead of this process
 * @property {AbortSignal} signal
 *
 * @typedef {Object} Former what the old primary held when it was back and still a primary
 * @property {string} id
 * @property {Map<string, NodeReading>} readings by writer
 */

/** Nodes that differ in a write without an answer are read again for so long. */
const LATE_WRITES_MS = 10_000;
const READ_AGAIN_MS = 1000;
/** Sequential writes that wait for one replica, to measure a round trip between nodes. */
const LINK_PROBES = 11;

/**
 * @param {TrialOptions} options
 * @returns {Promise<TrialOutcome>} rejects if the trial could not be carried out or the stack
 *   did not recover. Everything is undone by then
 * @throws {NotPutBack} a stack that stays could not be restored
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
    if (elsewhere) await elsewhere.place(stack);
    else
      await stack.network.groups?.admit(
        (theCase.params.writers ?? []).flatMap((name) => placedWriter(name).place ?? []),
      );
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
 * @param {TrialOptions} options
 * @param {Site} site
 * @param {TrialThread} thread
 * @param {{plan: TrialPlan, keyPrefix: string, elsewhere: AgentsTrialThread | null, lost: AbortSignal}} load lost: aborted when an agent is lost
 */
async function carryOut(options, site, thread, { plan, keyPrefix, elsewhere, lost }) {
  const { stack, theCase, benchmark, round, profile, folder, timeline: teller, signal } = options;
  // While they write, losing an agent ends the trial.
  const writing = AbortSignal.any([signal, lost]);
  const primary = await untilAborted(stack.database.primary(), signal);
  // Not aborted half-way: a setting made during the undoing would stay.
  const downAfterMs = await prepareStack(site, theCase);
  signal.throwIfAborted();
  const readingOwn = askNode(stack, primary.id, (control) => readOwn(stack, control));
  const own = await untilAborted(readingOwn, signal);
  const linkMs = await untilAborted(probeLink(stack, primary.id, `${keyPrefix}probe`), signal);

  const removals = watchRemovals(stack);
  await untilAborted(removals.noteAll(), signal);

  const clock = { beganAt: clockMs() };
  /** @type {Former | null} */
  let former = null;
  const scene = createScene({
    site,
    primary,
    downAfterMs,
    profile,
    clock,
    onEvent: teller.event,
    noteProcess: async (id) => (await removals.note(id))?.runId ?? null,
    signal: writing,
    async readFormer(id) {
      const dueBy = (/** @type {number} */ index) =>
        Math.ceil(((clockMs() - clock.beganAt) * plan.writers[index].rate) / 1000);
      try {
        former = { id, readings: await readAll(stack, id, plan.writers, dueBy) };
      } catch {
        // It was made a replica meanwhile and is loading: its old data is gone.
        scene.scene.mark('former-unread', id);
      }
    },
  });
  const watch = await stack.database.failover.watch(stack, scene.hear);
  /** @type {Company | undefined} */
  let company;
  try {
    const companySite = { stack, theCase, plan, prefix: `${keyPrefix}company:` };
    company = benchmark.company && (await untilAborted(begun(benchmark.company(companySite)), signal));
    const startedAt = new Date().toISOString();
    const machineBefore = sampleMachine();
    clock.beganAt = (await untilAborted(begun(thread.start(plan)), writing)).beganAt;
    teller.says('writing');
    await benchmark.script?.(scene.scene, theCase);
    const sample = await untilAborted(thread.stop(), writing);
    await untilAborted(company?.stop() ?? Promise.resolve(), writing);
    const machineCpu = machineUse(machineBefore, sampleMachine());
    const agents = elsewhere && (await untilAborted(elsewhere.agents(), writing));
    const load = { theCase, round, primaryId: primary.id, plan, sample };
    const facts = factsOf({ ...load, events: scene.events() }).map((one) => ({ benchmark: benchmark.name, ...one }));
    // The ledgers are on disk before any node is read.
    for (const [index, { ledger }] of plan.writers.entries())
      await keep(options, saveLedger(folder, facts[index], openLedger(ledger)));

    teller.says('looking for every write');
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
      const contents = {
        readings: readings.get(one.writer) ?? new Map(),
        primaryId: leader.id,
        former: formerOf(former, one.writer),
      };
      await keep(options, saveReadings(folder, one, contents));
    }
    return describeTrial({
      ...load,
      startedAt,
      machineCpu,
      downAfterMs,
      own,
      linkMs,
      ...(stack.network.groups && { network: stack.network.groups.by }),
      ...(agents && { agents }),
      converged,
      events: scene.events(),
      // What works beside the writers may set a TTL, as an application does.
      removed: removed && company ? { ...removed, hadExpiring: true } : removed,
      readings,
      former,
      ...(counted && { counted }),
    });
  } finally {
    watch.close();
    await company?.close();
  }
}

/**
 * @param {TrialOptions} options
 * @returns {AgentsTrialThread | null} null: the writers run here
 */
function openElsewhere({ agentsTrials, stack, benchmark, theCase, round }) {
  const { id, params } = theCase;
  const which = { benchmark: benchmark.name, case: id, round };
  const { writers = [], replicas, sentinels } = params;
  return (
    agentsTrials?.open({
      which,
      system: stack.database.name,
      waits: waitsIn(params),
      writers,
      size: { replicas, sentinelCount: sentinels },
    }) ?? null
  );
}

/**
 * @param {TrialOptions} options
 * @param {Company} company
 */
async function drained(options, company) {
  const { benchmark, theCase, round, folder, signal } = options;
  const counted = await untilAborted(company.drain(), signal);
  const which = { benchmark: benchmark.name, case: theCase.id, round };
  for (const { name, lines } of counted.histories) await keep(options, saveHistory(folder, { ...which, name }, lines));
  return counted;
}

/** @param {Stack} stack @returns {boolean} it outlives the trial, so what was done to it is undone */
function stays({ about: { ours, endsWithRun } }) {
  return !ours && !endsWithRun;
}

/** The writers, or what works beside them, could not begin, so nothing was measured. */
export class NotBegun extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super(messageOf(cause), { cause });
    this.name = 'NotBegun';
  }
}

/**
 * @template T
 * @param {Promise<T>} beginning
 * @returns {Promise<T>}
 * @throws {NotBegun}
 */
async function begun(beginning) {
  try {
    return await beginning;
  } catch (error) {
    throw new NotBegun(error);
  }
}

/**
 * A full disk costs the files for a later audit, but not the measurement.
 *
 * @param {Pick<TrialOptions, 'notKept'>} options
 * @param {Promise<unknown>} saved
 */
async function keep({ notKept }, saved) {
  try {
    await saved;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    notKept(error);
  }
}

/**
 * @param {Site} site
 * @param {Case} theCase
 * @returns {Promise<number>} how long a node is silent before it is called down, milliseconds
 */
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
 * @param {Stack} stack
 * @param {string} primaryId
 * @param {string} key that no writer has
 * @returns {Promise<number | null>} median time of a write that waits for one replica when nothing else goes on, milliseconds; null:
 *   no replica answered
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

/**
 * @param {Stack} stack
 * @param {string} id of a node that answers
 * @param {readonly WriterPlan[]} writers
 * @param {(index: number) => number} countOf number of writes that were due, by the writer's index
 * @param {AbortSignal} [signal]
 * @returns {Promise<Map<string, NodeReading>>} by writer
 */
async function readAll(stack, id, writers, countOf, signal) {
  const { address } = nodeOf(stack, id);
  const readings = new Map();
  for (const [index, { name, shape }] of writers.entries()) {
    const { keyPrefix, payloadBytes } = shape;
    const keys = { keyPrefix, payloadBytes, count: countOf(index), signal };
    readings.set(name, await stack.database.read({ ...address, credentials: stack.access.credentials }, keys));
  }
  return readings;
}

/**
 * A write without an answer may arrive late: the kernel sends again what a partition held up, even for a connection that was closed. A node that was
 * read before its arrival lacks it, and one that was read after has it. So nodes are read again while they differ in such a write.
 *
 * @param {TrialOptions} options
 * @param {TrialPlan} plan
 * @param {TrialSample} sample
 * @returns {ReturnType<typeof readEveryNode>} the last reading
 */
async function readUntilNoneIsLate(options, plan, sample) {
  /** @type {Awaited<ReturnType<typeof readEveryNode>>} */
  let readings = new Map();
  const noneIsLate = async () => {
    readings = await readEveryNode(options, plan, sample);
    return plan.writers.every(
      ({ name, ledger }) => !differInUnknown(ledger, [...(readings.get(name)?.values() ?? [])]),
    );
  };
  await waitFor(noneIsLate, { deadlineMs: LATE_WRITES_MS, pollMs: READ_AGAIN_MS, signal: options.signal });
  return readings;
}

/**
 * @param {WriterPlan['ledger']} ledger
 * @param {readonly NodeReading[]} readings of its nodes
 */
function differInUnknown(ledger, [first, ...others]) {
  const { states } = openLedger(ledger);
  return others.some(({ found }) =>
    found.some((each, number) => states[number] === State.unknown && each !== first.found[number]),
  );
}

/**
 * @param {TrialOptions} options
 * @param {TrialPlan} plan
 * @param {TrialSample} sample
 * @returns {Promise<Map<string, Map<string, NodeReading>>>} writer → node → what it holds
 */
async function readEveryNode({ stack, signal }, { writers }, sample) {
  /** @type {Map<string, Map<string, NodeReading>>} */
  const readings = new Map(writers.map(({ name }) => [name, new Map()]));
  for (const { id } of dataNodes(stack)) {
    const ofNode = await readAll(stack, id, writers, (index) => sample.writers[index].writes, signal);
    for (const [name, reading] of ofNode) readings.get(name)?.set(id, reading);
  }
  return readings;
}

/**
 * Restores a stack that stays: no faults, its former settings, healthy, and without our keys.
 *
 * @param {Site['journal'][]} journals in the order of undoing
 */
async function putBack(journals) {
  try {
    for (const journal of journals) {
      await journal.undoAll();
      await journal.close();
    }
  } catch (error) {
    throw new NotPutBack(
      `The stack could not be put back as it was: ${messageOf(error).replace(/\.?$/, '.')}`,
      error instanceof UserError ? error.remedy : 'Run `sentinel-bench recover` when its nodes answer again.',
      error,
    );
  }
}

/**
 * The plan for the writers of a trial.
 */

/** Longer than any script; later writes are not entered. */
export const LONGEST_SECONDS = 180;
/** A client gives up after a second. */
const GIVE_UP_MS = 1000;
/** For the answers to the last writes; WAIT's own timeout is shorter. */
const DRAIN_MS = 3000;
const READS_PER_SECOND = 100;

/**
 * @param {Stack} stack
 * @param {Case} theCase
 * @param {string} keyPrefix of this trial only
 * @param {{elsewhere?: boolean}} [where] elsewhere: the writers dial from the addresses of their machines
 * @returns {TrialPlan}
 */
export function planTrial(stack, { params }, keyPrefix, { elsewhere = false } = {}) {
  const { nodes, access } = stack;
  const { writers = [], rate = 0, connections, payloadBytes, wait, waitLocal, waitTimeoutMs, waitMode } = params;
  return {
    writers: writers.map((name) => ({
      name,
      appends: findWriter(name)?.appends ?? false,
      ...(elsewhere ? {} : fromOf(stack, name)),
      rate,
      connections,
      shape: {
        payloadBytes,
        pipeline: 1,
        waitReplicas: wait,
        ...(waitLocal !== undefined && { waitLocal }),
        waitTimeoutMs,
        waitMode,
        keyPrefix: `${keyPrefix}${name}:`,
      },
      ledger: createLedger(rate * LONGEST_SECONDS).buffer,
    })),
    module: stack.database.writers,
    nodes: dataNodes(stack).map(({ id, address, announced }) => ({ id, address, announced })),
    sentinels: nodes.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
    sentinelsAnnounced: nodes.filter(({ kind }) => kind === 'sentinel').map(({ announced }) => announced),
    ...(access.virtualAddress && { virtualAddress: access.virtualAddress }),
    masterName: access.masterName,
    credentials: access.credentials,
    giveUpMs: GIVE_UP_MS,
    drainMs: DRAIN_MS,
    readsPerSecond: READS_PER_SECOND,
  };
}

/**
 * @param {Stack} stack
 * @param {string} name of a writer
 * @returns {{from?: string}}
 */
function fromOf({ network: { groups } }, name) {
  const { place } = placedWriter(name);
  if (place === undefined) return {};
  if (!groups) throw new Error(`${name} needs a stack with a network of groups`);
  const from = groups.clientAddress(place);
  return from === undefined ? {} : { from };
}
