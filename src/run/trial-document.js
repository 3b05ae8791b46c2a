/**
 * What a trial becomes in the result: a round, an audit for each writer, and a timeline.
 */
import { answeredAfterMs, dueMs, openLedger, State } from '../audit/ledger.js';
import { timelineOf, windowsOf, writerMarks } from '../audit/timeline.js';
import { auditOf } from '../audit/verdict.js';
import { count } from '../report/format.js';
import { faultOf } from '../report/trials/timeline.js';
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';

/**
 * @import { Ledger } from '../audit/ledger.js'
 * @import { NodeReading } from '../audit/value.js'
 * @import { Readings, WriterFacts } from '../audit/verdict.js'
 * @import { TrialPlan, TrialSample } from '../load/trial-thread.js'
 * @import { AuditResult, MarkValue as Mark, TrialResult } from '../result/failure-schema.js'
 * @import { CaseParams, RoundResult } from '../result/schema.js'
 * @import { System } from '../stacks/types.js'
 * @import { Case } from './types.js'
 */

/**
 * @typedef {Object} TrialLoad what is known when the load of a trial has ended
 * @property {Case} theCase
 * @property {number} round counted from 1
 * @property {string} primaryId when it began
 * @property {TrialPlan} plan
 * @property {TrialSample} sample
 * @property {Mark[]} marks
 *
 * @typedef {Object} TrialEnd what is known after every node was read
 * @property {string} startedAt
 * @property {System['failover']['events']} events
 * @property {number} machineCpu
 * @property {number} downAfterMs of the Sentinels
 * @property {number | null} linkMs
 * @property {{afterMs: number, primary: string}} converged
 * @property {ReadonlyMap<string, ReadonlyMap<string, NodeReading>>} readings writer → node → what it holds
 * @property {{id: string, readings: ReadonlyMap<string, NodeReading>} | null} former
 *
 * @typedef {Object} TrialOutcome
 * @property {RoundResult} result
 * @property {AuditResult[]} audits one a writer
 * @property {TrialResult} trial
 * @property {CaseParams} params of the case, with the Sentinels' down-after as it was read
 * @property {string} inShort one line for the progress display
 */

const STEP_MS = 100;
/** A planned failover has no detection. */
const PLANNED = 'failover';

/**
 * @param {TrialLoad} trial
 * @returns {WriterFacts[]} by writer: what an audit needs beside the ledger and the readings
 */
export function factsOf({ theCase, round, plan, sample, marks }) {
  const fault = faultOf({ marks });
  return sample.writers.map(({ name, writes, errors, firstError, moves }, index) => ({
    case: theCase.id,
    round,
    writer: name,
    writes,
    rate: plan.writers[index].rate,
    waits: theCase.params.wait > 0 || theCase.params.waitLocal !== undefined,
    faultFromMs: fault?.from ?? 0,
    faultToMs: fault?.to ?? Number.POSITIVE_INFINITY,
    errors,
    firstError,
    moves: moves.map(({ afterMs, node }) => ({ afterMs, node: plan.nodes[node - 1].id })),
  }));
}

/**
 * @param {TrialLoad & TrialEnd} trial
 * @returns {TrialOutcome}
 */
export function describeTrial(trial) {
  const { theCase, round, plan, sample, primaryId, readings, former, converged, linkMs, downAfterMs } = trial;
  const ledgers = plan.writers.map(({ ledger }) => openLedger(ledger));
  const facts = factsOf(trial);
  const nodes = plan.nodes.map(({ id }) => id);
  const audits = facts.map((fact, index) =>
    auditOf({
      ...fact,
      ledger: ledgers[index],
      readings: readings.get(fact.writer) ?? new Map(),
      primaryId: converged.primary,
      former: formerOf(former, fact.writer),
    }),
  );
  const fault = faultOf(trial);
  const writers = facts.map(({ writer, writes, rate, firstError }, index) => ({
    name: writer,
    ledger: ledgers[index],
    writes,
    rate,
    firstError,
  }));
  const marks = [...trial.marks, ...(fault ? writerMarks({ writers, nodes, primaryId, fromMs: fault.from }) : [])].sort(
    (a, b) => a.afterMs - b.afterMs,
  );
  const timeline = {
    case: theCase.id,
    round,
    marks,
    windows: windowsOf({
      marks,
      events: trial.events,
      ledgers,
      nodes,
      primaryId,
      planned: fault?.detail.endsWith(PLANNED) ?? false,
    }),
    stepMs: STEP_MS,
    writers: timelineOf({ writers, stepMs: STEP_MS, endMs: sample.endedAt - sample.beganAt }),
    reads: sample.reads,
    linkMs,
    converged,
  };
  return {
    result: roundOf(trial, ledgers, audits),
    audits,
    trial: timeline,
    params: { ...theCase.params, downAfterMs },
    inShort: inShort(audits, timeline),
  };
}

/**
 * @param {TrialEnd['former']} former
 * @param {string} writer
 * @returns {Readings['former']}
 */
export function formerOf(former, writer) {
  const reading = former?.readings.get(writer);
  // A node that became a replica before or during the reading has lost its own data.
  return former && reading?.primary ? { id: former.id, reading } : null;
}

/**
 * @param {TrialLoad & TrialEnd} trial
 * @param {Ledger[]} ledgers one a writer
 * @param {AuditResult[]} audits
 * @returns {RoundResult}
 */
function roundOf({ startedAt, sample, plan, machineCpu }, ledgers, audits) {
  const histogram = newHistogram();
  ledgers.forEach((ledger, index) => {
    const { writes } = sample.writers[index];
    const { rate } = plan.writers[index];
    for (let number = 0; number < writes; number++) {
      const state = ledger.states[number];
      if (state !== State.acked && state !== State.underAcked) continue;
      const responseMs = answeredAfterMs(ledger, number) - dueMs(number, rate);
      histogram.recordValue(Math.max(0, Math.round(responseMs * 1e6)));
    }
  });
  const sum = (/** @type {'acked' | 'underAcked' | 'rejected' | 'unknown' | 'attempted'} */ field) =>
    audits.reduce((all, audit) => all + audit[field], 0);
  const seconds = (sample.endedAt - sample.beganAt) / 1000;
  /** @type {Record<string, number>} */
  const errors = {};
  for (const writer of sample.writers) {
    for (const [kind, times] of Object.entries(writer.errors)) errors[kind] = (errors[kind] ?? 0) + times;
  }
  return {
    startedAt,
    seconds,
    operations: sum('attempted'),
    throughput: seconds > 0 ? sum('acked') / seconds : 0,
    outcomes: {
      acked: sum('acked'),
      underAcked: sum('underAcked'),
      rejected: sum('rejected'),
      unknown: sum('unknown'),
    },
    errors,
    latencyNs: latencyOf(histogram),
    histogram: encodeHistogram(histogram),
    load: sample.load,
    machineCpu,
    nodes: [],
  };
}

/**
 * @param {AuditResult[]} audits
 * @param {TrialResult} trial
 * @returns {string}
 */
function inShort(audits, { windows }) {
  const told = audits.map(({ writer, acked, ackedLost, unavailableMs }) => {
    const away = unavailableMs === null ? 'to the end' : `${(unavailableMs / 1000).toFixed(1)} s`;
    return `${writer} lost ${count(ackedLost)} of ${count(acked)}, unavailable ${away}`;
  });
  if (windows.splitBrainMs > 0) told.push(`split brain ${(windows.splitBrainMs / 1000).toFixed(1)} s`);
  return told.join('; ');
}
