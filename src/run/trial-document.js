/**
 * What a trial becomes in the result: a round, an audit for each writer, and a timeline.
 * @import { Ledger } from '../audit/ledger.js'
 * @import { NodeReading } from '../audit/value.js'
 * @import { Readings, WriterFacts } from '../audit/verdict.js'
 * @import { TrialPlan, TrialSample } from '../load/trial-thread.js'
 * @import { AuditResult, TrialEvent, TrialResult } from '../result/failure-schema.js'
 * @import { CaseParams, RoundResult } from '../result/schema.js'
 * @import { Case, CompanyOutcome } from './types.js'
 * @typedef {Object} TrialLoad what is known when the load of a trial has ended
 * @property {Case} theCase @property {number} round counted from 1 @property {string} primaryId when it began
 * @property {TrialPlan} plan @property {TrialSample} sample @property {TrialEvent[]} events
 * @typedef {Object} TrialEnd what is known after every node was read
 * @property {string} startedAt @property {number} machineCpu @property {number} downAfterMs of the Sentinels
 * @property {CaseParams['ownSettings']} [own] settings of an existing deployment @property {number | null} linkMs
 * @property {string} [network] what could separate groups @property {TrialResult['agents']} [agents] that ran the writers
 * @property {TrialResult['removed']} removed @property {{afterMs: number, primary: string}} converged
 * @property {ReadonlyMap<string, ReadonlyMap<string, NodeReading>>} readings writer → node → what it holds
 * @property {{id: string, readings: ReadonlyMap<string, NodeReading>} | null} former
 * @property {CompanyOutcome} [counted] by what worked beside the writers
 * @typedef {ReturnType<typeof describeTrial>} TrialOutcome
 */
import { BEHIND_MS, faultOf, fellBehind, outageOf } from '../audit/judgement.js';
import { answeredAfterMs, dueMs, isAccepted, openLedger, State, TICKS_A_MS } from '../audit/ledger.js';
import { total } from '../audit/of-trials.js';
import { STEP_MS, timelineOf, windowsOf, writerEvents } from '../audit/timeline.js';
import { Found } from '../audit/value.js';
import { auditOf, lossTest } from '../audit/verdict.js';
import { count } from '../format.js';
import { HARNESS } from '../result/events.js';
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { addCounts } from '../stats/statistics.js';
import { NS_A_MS } from '../units.js';
import { withOwn } from './case.js';

/** @param {TrialLoad} trial @returns {WriterFacts[]} by writer: what an audit needs beside the ledger and the readings */
export function factsOf({ theCase, round, plan, sample, events }) {
  const fault = faultOf({ events });
  return sample.writers.map(({ name, writes, errors, firstError, moves, library }, index) => ({
    case: theCase.id,
    round,
    writer: name,
    writes,
    errors,
    firstError,
    appends: plan.writers[index].appends ?? false,
    rate: plan.writers[index].rate,
    waits: waitsIn(theCase.params),
    faultFromMs: fault?.from ?? 0,
    faultToMs: fault?.to ?? Number.POSITIVE_INFINITY,
    // 0: it is not known to which node.
    moves: moves.flatMap(({ afterMs, node }) => (node > 0 ? { afterMs, node: plan.nodes[node - 1].id } : [])),
    ...(library && { library }),
  }));
}

/** @param {Pick<CaseParams, 'wait' | 'waitLocal'>} params @returns {boolean} a WAIT or WAITAOF follows each write */
export function waitsIn({ wait, waitLocal }) {
  return wait > 0 || waitLocal !== undefined;
}

/** @param {TrialLoad & TrialEnd} trial @returns inShort: one line for the progress display */
export function describeTrial(trial) {
  const { theCase, round, plan, sample, primaryId, readings, former, converged, linkMs, network, agents } = trial;
  const nodes = plan.nodes.map(({ id }) => id);
  const writers = factsOf(trial).map((facts, index) => {
    /** @type {ReadonlyMap<string, NodeReading>} */
    const byNode = readings.get(facts.writer) ?? new Map();
    const found = byNode.get(converged.primary)?.found ?? [];
    const isLost = lossTest(facts.appends);
    return {
      ...facts,
      name: facts.writer,
      // Without the room for writes that never became due, which is most of it.
      ledger: { ...openLedger(plan.writers[index].ledger), capacity: facts.writes },
      readings: byNode,
      isLost: (/** @type {number} */ number) => isLost(found[number] ?? Found.absent),
    };
  });
  const ledgers = writers.map(({ ledger }) => ledger);
  const audits = writers.map(({ name, isLost, ...writer }) =>
    auditOf({ ...writer, primaryId: converged.primary, former: formerOf(former, name) }),
  );
  const fault = faultOf(trial);
  const told = fault ? writerEvents({ writers, nodes, primaryId, fromMs: fault.from }) : [];
  const events = [...trial.events, ...told].sort((a, b) => a.at - b.at);
  const lengthMs = sample.endedAt - sample.beganAt;
  /** @type {TrialResult} */
  const timeline = {
    case: theCase.id,
    round,
    events,
    windows: windowsOf({ events, ledgers, nodes, primaryId, planned: fault?.planned }),
    stepMs: STEP_MS,
    writers: timelineOf({ writers, endMs: lengthMs }),
    reads: sample.reads,
    linkMs,
    ...(network !== undefined && { network }),
    ...(agents && { agents }),
    ...(trial.removed && { removed: trial.removed }),
    pace: paceOf(trial, ledgers, fault?.from ?? lengthMs),
    converged,
  };
  return {
    result: { ...roundOf(trial, ledgers, audits), ...trial.counted?.figures },
    audits,
    trial: timeline,
    params: withOwn({ ...theCase.params, downAfterMs: trial.downAfterMs }, trial.own ?? {}),
    inShort: [inShort(audits, timeline), trial.counted?.inShort].filter(Boolean).join('; '),
  };
}

/**
 * How well the machine kept up with the writers.
 * @param {{plan: {writers: readonly {rate: number}[]}, sample: Pick<TrialSample, 'lateMs'> & {writers: readonly {writes: number}[]}}} trial
 * @param {readonly Pick<Ledger, 'states' | 'ticks'>[]} ledgers one a writer
 * @param {number} untilMs the writers wrote undisturbed until then
 */
export function paceOf({ plan, sample }, ledgers, untilMs) {
  const writers = ledgers.map(({ states, ticks }, index) => {
    const { rate } = plan.writers[index];
    const due = Math.min(sample.writers[index].writes, Math.ceil((untilMs * rate) / 1000));
    const untilTick = untilMs * TICKS_A_MS;
    const answered = ticks.subarray(0, due).filter((tick) => tick > 0 && tick < untilTick);
    // Several connections are answered out of order.
    answered.sort();
    let [last, stall] = [0, 0];
    for (const tick of answered) {
      stall = Math.max(stall, tick - last);
      last = tick;
    }
    // The fault itself keeps the writes of the last moment from being sent.
    const overdue = Math.floor((Math.max(0, untilMs - BEHIND_MS) * rate) / 1000);
    const unsent = states.subarray(0, Math.min(due, overdue)).filter((state) => state === State.unsent).length;
    return { unsent, stall: Math.max(stall, untilTick - last) };
  });
  return {
    unsent: Math.max(...writers.map(({ unsent }) => unsent)),
    stallMs: Math.max(...writers.map(({ stall }) => stall)) / TICKS_A_MS,
    lateMs: sample.lateMs,
  };
}

/** A case with this many trials or fewer keeps all their timelines. */
const ALL_TIMELINES = 5;
/** Where steps are figures, this many trials of a case keep them. */
const MOST_TIMELINES = 30;

/**
 * Leaves out what makes the result of many trials large: the steps of most timelines, and all but the first event of each decision of the
 * Sentinels. Losses, outages and windows of every trial stay. @param {readonly TrialOutcome[]} outcomes of one case
 * @param {{stepsCount: boolean}} options figures of this benchmark are made from steps; else only the worst and the median trial are drawn
 */
export function keptTimelines(outcomes, { stepsCount }) {
  if (outcomes.length <= ALL_TIMELINES) return outcomes.map(({ trial }) => trial);
  const lostIn = (/** @type {TrialOutcome} */ { audits }) => total(audits, 'ackedLost');
  const outageIn = (/** @type {TrialOutcome} */ { audits }) => Math.max(...audits.map(outageOf));
  // Two endless outages are equal: their difference is NaN.
  const worstFirst = outcomes.toSorted((a, b) => lostIn(b) - lostIn(a) || outageIn(b) - outageIn(a) || 0);
  const kept = stepsCount ? outcomes.slice(0, MOST_TIMELINES) : [worstFirst[0], worstFirst[worstFirst.length >> 1]];
  return outcomes.map((outcome) => (kept.includes(outcome) ? outcome.trial : shortened(outcome.trial)));
}

/** @param {TrialResult} trial @returns {TrialResult} without steps */
function shortened(trial) {
  const firsts = ['down', 'promoted'].map((wanted) => trial.events.find(({ kind }) => kind === wanted));
  const events = trial.events.filter((event) => event.by === HARNESS || firsts.includes(event));
  return { ...trial, events, writers: [] };
}

/** @param {TrialEnd['former']} former @param {string} writer @returns {Readings['former']} */
export function formerOf(former, writer) {
  const reading = former?.readings.get(writer);
  // A node that became a replica before or during the reading has lost its own data.
  return former && reading?.primary ? { id: former.id, reading } : null;
}

/** @param {TrialLoad & TrialEnd} trial @param {Ledger[]} ledgers one a writer @param {AuditResult[]} audits @returns {RoundResult} */
function roundOf({ startedAt, sample, plan, machineCpu }, ledgers, audits) {
  const histogram = newHistogram();
  for (const [index, ledger] of ledgers.entries())
    for (let number = 0; number < ledger.capacity; number++) {
      if (!isAccepted(ledger.states[number])) continue;
      const responseMs = answeredAfterMs(ledger, number) - dueMs(number, plan.writers[index].rate);
      histogram.recordValue(Math.max(0, Math.round(responseMs * NS_A_MS)));
    }
  const outcomes = {
    acked: total(audits, 'acked'),
    underAcked: total(audits, 'underAcked'),
    rejected: total(audits, 'rejected'),
    unknown: total(audits, 'unknown'),
  };
  const seconds = (sample.endedAt - sample.beganAt) / 1000;
  return {
    startedAt,
    seconds,
    operations: total(audits, 'attempted'),
    throughput: seconds > 0 ? outcomes.acked / seconds : 0,
    outcomes,
    errors: addCounts(...sample.writers.map((writer) => writer.errors)),
    latencyNs: latencyOf(histogram),
    histogram: encodeHistogram(histogram),
    load: sample.load,
    machineCpu,
    nodes: [],
  };
}

/** @param {AuditResult[]} audits @param {TrialResult} trial */
function inShort(audits, { windows, pace }) {
  const parts = audits.map(({ writer, acked, ackedLost, unavailableMs }) => {
    const away = unavailableMs === null ? 'to the end' : `${(unavailableMs / 1000).toFixed(1)} s`;
    return `${writer} lost ${count(ackedLost)} of ${count(acked)}, unavailable ${away}`;
  });
  if (windows.splitBrainMs > 0) parts.push(`split brain ${(windows.splitBrainMs / 1000).toFixed(1)} s`);
  if (fellBehind({ pace })) parts.push('the writers fell behind');
  return parts.join('; ');
}
